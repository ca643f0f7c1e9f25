"""The readers, in the order in which a file is offered to them. A new format is one line here."""

from dream.sources import (
    Reader,
    claude,
    entire,
    gemini,
    opencode,
    pi,
    run2,
    specstory,
    swe_agent,
)

READERS: tuple[Reader, ...] = (
    run2, pi, entire, claude, specstory, swe_agent, gemini, opencode,
)  # fmt: skip
