"""The readers, in the order in which a file is offered to them. A new format is one line here."""

from dream.sources import (
    Reader,
    claude,
    codex,
    copilot,
    entire,
    gemini,
    kimi,
    opencode,
    pi,
    run2,
    specstory,
    swe_agent,
)

READERS: tuple[Reader, ...] = (
    run2, pi, entire, claude, codex, copilot, specstory, gemini, opencode, kimi, swe_agent,
)  # fmt: skip
