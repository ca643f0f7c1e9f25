r"""The two lines of a memory kept by hand, read and written.

    [FACT: PATH] the settings lie in config/ | last verified turn: 42
    constraint | scene | counter-example | valid from

A bar inside a part is written `\|`, with the backslashes right before it doubled, so that what was
written reads back as it was.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, cast

from dream.types import FactType, Kept

TYPES: Sequence[FactType] = ("path", "name", "version", "order", "constraint")
"""What stands behind FACT; a fragment says nothing of the kind."""

VERIFIED = "last verified turn"
_TURN = re.compile(rf"(?:{VERIFIED}|最后验证轮次)\s*[:：]\s*(.*)", re.IGNORECASE)
_TAG = re.compile(r"\[\s*(project|module|fact)\s*(?:[:：]\s*([^\]]*?))?\s*\]\s*(.*)", re.IGNORECASE)
_BULLET = re.compile(r"^[ \t]{0,8}(?:[-*+•]|\d{1,3}[.)])[ \t]+")
_LEAD = re.compile(r"\\*\[")  # would be a tag; of its backslashes one is ours
_BAR = re.compile(r"(\\*)([|｜])")
_FROM = re.compile(r"(?:valid from|since|生效时间|自)\s*[:：]?\s*", re.IGNORECASE)
_RULER = re.compile(r"[\s|:｜-]*")
_HEADS = ({"constraint", "约束"}, {"scene", "场景"}, {"counter-example", "counterexample", "反例"})


class Heading(NamedTuple):
    """What the entries below it are about."""

    what: Literal["project", "module"]
    name: str


class Entry(NamedTuple):
    """One line of a memory. fault: what in it could not be read as meant; "" when all could."""

    text: str
    kept: Kept
    fault: str = ""


class Odd(NamedTuple):
    """A line that means to be an entry and is none."""

    fault: str


def read_line(line: str) -> Heading | Entry | Odd | None:
    """One line; None for what is no entry and means to be none: prose, headings, table rules."""
    body = _BULLET.sub("", line, count=1).strip()
    if not body or line.lstrip().startswith(("#", "<!--")):
        return None
    if tag := _TAG.fullmatch(body):
        what, named, rest = tag[1].lower(), (tag[2] or "").strip(), tag[3]
        return _fact(named, rest) if what == "fact" else _heading(what, named, rest)
    if body.lower().startswith(("[fact", "[project", "[module")):
        return Odd("its bracket is not closed")
    parts = bars(body[1:] if body[0] == "\\" and _LEAD.match(body) else body)
    return _fragment(parts) if len(parts) > 1 else None


def bars(text: str) -> tuple[str, ...]:
    """The parts of a line between its bars, without the bars at both ends of a table's row."""
    parts, start, kept = list[str](), 0, ""
    for hit in _BAR.finditer(text):
        half, odd = divmod(len(hit[1]), 2)
        kept += text[start : hit.start()] + "\\" * half
        start = hit.end()
        if odd:
            kept += hit[2]
        else:
            parts.append(kept.strip())
            kept = ""
    parts.append((kept + text[start:]).strip())
    if len(parts) > 2 and not parts[0] and not parts[-1]:
        return tuple(parts[1:-1])
    return tuple(parts)


def fact_line(text: str, turn: int | None) -> str:
    """A constraint of ours as a line of a long memory."""
    told = "" if turn is None else f" | {VERIFIED}: {turn}"
    return f"[FACT: CONSTRAINT] {escaped(text)}{told}"


def fragment_line(constraint: str, scene: str, counter_example: str, valid_from: str = "") -> str:
    """A rule of ours as a fragment. A part that is not known is a dash."""
    told = [escaped(part) or "-" for part in (constraint, scene, counter_example)]
    line = " | ".join([*told, escaped(valid_from)] if valid_from else told)
    return "- " + ("\\" if _LEAD.match(line) else "") + line


def escaped(text: str) -> str:
    """One line in which no bar parts anything."""
    return _BAR.sub(lambda hit: rf"{hit[1] * 2}\{hit[2]}", " ".join(text.split()))


def _heading(what: str, named: str, rest: str) -> Heading | Odd:
    if not named or rest:
        return Odd(f"[{what.upper()}: a name] stands alone on its line")
    return Heading("project" if what == "project" else "module", named)


def _fact(named: str, rest: str) -> Entry | Odd:
    parts, turn, fault = _verified(bars(rest))
    text = " | ".join(part for part in parts if part)
    if not text:
        return Odd("a fact without words")
    kind = named.lower()
    if kind in TYPES:
        return Entry(text, Kept(cast("FactType", kind), turn), fault)
    told = f"{named!r} is not one of {', '.join(each.upper() for each in TYPES)}"
    return Entry(text, Kept("unknown", turn), "; ".join(each for each in (told, fault) if each))


def _fragment(parts: tuple[str, ...]) -> Entry | Odd | None:
    if all(_RULER.fullmatch(part) for part in parts):
        return None
    if all(part.lower() in names for part, names in zip(parts, _HEADS, strict=False)):
        return None
    told, turn, fault = _verified(parts)
    if len(told) not in (3, 4) or not told[0]:
        return Odd(f"a fragment has 3 or 4 parts with its constraint first; this has {len(told)}")
    constraint, scene, counter_example = ("" if part == "-" else part for part in told[:3])
    since = _FROM.sub("", told[3], count=1) if len(told) == 4 else ""
    kept = Kept(
        "fragment", turn, scene=scene, counter_example=counter_example, valid_from=since
    )  # fmt: skip
    return Entry(constraint, kept, fault) if constraint else Odd("a fragment without constraint")


def _verified(parts: tuple[str, ...]) -> tuple[tuple[str, ...], int | None, str]:
    """The parts without the last one when it tells the turn; the turn; what is wrong with it."""
    said = _TURN.fullmatch(parts[-1])
    if said is None or len(parts) == 1:
        return parts, None, ""
    digits = said[1].strip()
    if digits.isascii() and digits.isdigit() and len(digits) < 10:
        return parts[:-1], int(digits), ""
    return parts[:-1], None, "its turn is no number"
