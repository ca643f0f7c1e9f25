"""What a person said, and what stood around it when they said it."""

import re
from dataclasses import dataclass
from datetime import datetime

from dream.signals.own_words import LIMIT, own_words
from dream.text import language

_DONE = re.compile(
    r"\b(?:done|completed?|fixed|committed|pushed|implemented|updated|added|created|removed"
    r"|all (?:tests|checks) pass|tests? pass|passes|now (?:works?|shows?|uses?)|verified|ready"
    r"|successfully|perfect)\b|✅|✓|已|完成|修复|现在",
    re.I,
)
_ASKS = re.compile(
    r"\?\s*$|\b(?:want me to|would you like|should i|shall i|let me know|do you want"
    r"|which (?:one|approach)|if you want|thoughts)\b|需要我|要不要|吗[？?]|告诉我|如果你|是否",
    re.I,
)
_PASTE = 200
"""So many characters of a prompt that are not the person's own make it a prompt with a paste."""
_MIDDLING, _LONG = 400, 1200


@dataclass(frozen=True, slots=True)
class HumanTurn:
    """One message of a person, as signals/human_turns.sql gives it."""

    message_id: str
    session_id: str
    run_id: str
    copy_key: str
    kind: str  # prompt, or refusal: words inside a refused tool call
    text: str
    happened: datetime | None
    project_key: str
    earlier: int  # messages of a person before it in its session
    reply: str  # the end of the agent's last words since then, "" without any
    calls: int  # tool calls since then
    edits: int  # of these, calls that may have changed something
    interrupted: bool  # the person had stopped the agent


@dataclass(frozen=True, slots=True)
class Said:
    """A turn with the person's own sentences in it."""

    turn: HumanTurn
    spans: tuple[tuple[int, int], ...]
    around: frozenset[str]  # names of what stands around it, as in weights.yaml


def hear(turn: HumanTurn) -> Said:
    """The person's own sentences of a turn, and the marks of its surroundings."""
    spans = own_words(turn.text)
    own = sum(end - start for start, end in spans)
    marks = {
        "first": turn.earlier == 0,
        "cold": turn.earlier == 0 and not turn.reply and not turn.calls,
        "worked": turn.calls > 0,
        "edited": turn.edits > 0,
        "interrupted": turn.interrupted,
        "refused": turn.kind == "refusal",
        "said_done": bool(_DONE.search(turn.reply)),
        "had_asked": bool(_ASKS.search(turn.reply[-200:])),
        "paste": min(len(turn.text), LIMIT) - own > _PASTE,
        "middling": _MIDDLING < own <= _LONG,
        "long": own > _LONG,
        "chinese": language(turn.text) == "zh",
    }
    return Said(turn, spans, frozenset(name for name, holds in marks.items() if holds))
