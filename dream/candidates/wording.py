"""A person's sentence as a rule: cleaned, and whether it means anything to somebody else.

Cleaning takes away and never adds: politeness, fillers, marks of markup. What only made sense
where it was said ("no, the other one") is no rule, however often it comes.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import resources
from typing import cast

import yaml

from dream.likeness import say
from dream.shell import commands
from dream.text import HAN, language, opens_with_verb, plain, stance, vocabulary

SHORT, LONG = 12, 240
"""Characters of a rule; Chinese says the same in a third of them."""
TELLING = 2
"""Words that name something, at the least."""
BEFORE = 3
"""Words before a pronoun, among which is then most likely what it stands for."""

_HAN = re.compile(f"[{HAN}]")
_SPACE = re.compile(r"\s+")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|\*|~~)(?=\S)(.+?)(?<=\S)\1(?!\w)")
_BULLET = re.compile(r"^[ \t]*(?:[-*+•>]|\d{1,3}[.)])[ \t]+")
_TICKS = re.compile(r"`{2,}")
_PROGRAM_LIKE = re.compile(r"(?:^|\s)(?:-{1,2}[a-zA-Z]|&&|\|\||\||>{1,2}|\./|\$\w)")
_FACES = re.compile(
    r"(?:^|(?<=\s))[:;8]-?[)(DPp/|]+(?=\s|$)|[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f]+"
)
_QUOTES = (('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("「", "」"), ("`", "`"))


@cache
def _lists() -> dict[str, object]:
    source = resources.files("dream.candidates").joinpath("wording.yaml")
    return cast("dict[str, object]", yaml.safe_load(source.read_text(encoding="utf-8")))


@cache
def _pattern(name: str) -> re.Pattern[str]:
    listed = _lists()[name]
    parts = [listed] if isinstance(listed, str) else cast("list[str]", listed)
    verbs = "|".join(sorted(vocabulary("verbs")))
    joined = "|".join(f"(?:{part.replace('{verbs}', verbs)})" for part in parts)
    return re.compile(joined, re.M)


def cleaned(text: str) -> str:
    """The sentence on one line, without markup and politeness, with a capital and a full stop.

    "can you make sure that we always run `make fmt`, please?" -> "Always run `make fmt`."
    """
    line = _SPACE.sub(" ", _BULLET.sub("", text)).strip()
    line = _LINK.sub(r"\1", line)
    line = _EMPHASIS.sub(r"\2", line)
    line = _FACES.sub("", _TICKS.sub("`", line))
    if line.count("`") % 2:
        line = line.replace("`", "")
    line = _unwrapped(_SPACE.sub(" ", line).strip())
    line = _from_demand(_without_opening(line))
    line = _without_closing(_lasting_part(line))
    if not line:
        return ""
    line = line[0].upper() + line[1:] if line[:1].isalpha() and line.split()[0].islower() else line
    ends = "。" if language(line) == "zh" else "."
    return line if line.endswith((".", "!", "。", "！", "…")) else line + ends


def dated(text: str, detail: Mapping[str, object]) -> str:
    """The sentence with the days that it names from its own day written out.

    detail: of the judgement, with valid_from and valid_until as ISO days. "until next Friday" is
    "until 2026-04-17" to whoever reads it later.
    """
    for part, name in (("valid_until", "until"), ("valid_from", "since")):
        if day := str(detail.get(part) or ""):
            text = _pattern(name).sub(lambda found, day=day: found[1] + day, text, count=1)  # type: ignore[misc]
    return text


def _unwrapped(line: str) -> str:
    for opening, closing in _QUOTES:
        inner = line[1:-1]
        if len(line) > 2 and line[0] == opening and line[-1] == closing and opening not in inner:
            return inner.strip()
    return line


def _without_opening(line: str) -> str:
    """Takes fillers off the front as long as there are any."""
    opening = _pattern("openings")
    while found := opening.match(plain(line)):
        if not found.end():
            break
        line = line[found.end() :].lstrip(" ,.:;!-")
    return line


def _from_demand(line: str) -> str:
    """From the demand on, where the sentence wraps it: "add that we should always run it"."""
    if opens_with_verb(plain(line)) == 0 and not re.search(r"\b(?:always|never)\b", plain(line)):
        return line
    found = _pattern("inside").search(plain(line))
    if not found:
        return line
    start = found.start("from") if found["from"] else found.start("verb")
    return line[start:]


def _lasting_part(line: str) -> str:
    """Of "push it, and always run the checks first" what holds for good, if only that does."""
    found = _pattern("tail").search(plain(line))
    if found and _pattern("pronouns").search(plain(line[: found.start()])):
        return line[found.start("from") :]
    return line


def _without_closing(line: str) -> str:
    closing = _pattern("closings")
    while found := closing.search(plain(line)):
        if found.start() == 0:
            return ""
        line = line[: found.start()]
    return line.rstrip(" ,;:")


@lru_cache(maxsize=20_000)
def unfit(text: str) -> str:
    """Why a person's sentence can not be a rule by itself, "" when it can.

    Asked of the words as they were said and of what cleaning leaves of them.
    """
    low = plain(text).strip()
    if _pattern("junk").search(low):
        return "it is a heading, a command, a score, a diff or code, and no sentence"
    if "[redacted:" in low:
        return "a secret was removed from it"
    rule = cleaned(text)
    return _wrong_length(rule) or _no_sentence(rule) or _momentary(text, rule)


def _wrong_length(rule: str) -> str:
    size = len(rule) + 2 * len(_HAN.findall(rule))
    if size < SHORT:
        return "it is too short to be understood elsewhere"
    return "it is too long for one rule" if size > LONG else ""


def _no_sentence(rule: str) -> str:
    if _is_command(rule):
        return "it is a command and no sentence"
    telling = {token for token in say(rule).telling() if len(token) > 1}
    if len(telling) < TELLING:
        return "it names too little"
    tongue, low = language(rule), plain(rule)
    if tongue == "en" and not _demands(low):
        return "it neither demands nor states anything"
    if tongue == "zh" and stance(rule) == "none" and not _pattern("verbs_zh").search(rule):
        return "it neither demands nor states anything"
    if tongue == "other" and len(rule.split()) < 3:
        return "it is too short to be understood elsewhere"
    return ""


def _demands(low: str) -> bool:
    return (
        opens_with_verb(low) is not None
        or stance(low) != "none"
        or bool(_pattern("verbs_between").search(low))
    )


def _is_command(rule: str) -> bool:
    """Whether a whole text is a line for a shell: flags and operators, and no sentence's words."""
    line = rule.rstrip(".。")
    if not _PROGRAM_LIKE.search(line) or "`" in line:
        return False
    first = commands(line)
    return bool(first) and first[0].program == line.split()[0].rsplit("/", 1)[-1]


def _momentary(text: str, rule: str) -> str:
    low = plain(rule)
    if text.rstrip().endswith(("?", "？")) and not _was_request(text):
        return "it asks a question"
    if _pattern("momentary").search(low):
        return "it speaks of its own moment"
    if _pattern("errand").search(low) and not _pattern("lasting").search(low):
        return "it is an errand, and says nothing of when else it holds"
    left = _pattern("harmless").sub(" ", low)
    pronouns = _pattern("pronouns").finditer(left)
    if _pattern("pointers").search(left) or any(_dangles(left, it.start()) for it in pronouns):
        return "it points at something that is not in it"
    return ""


def _dangles(low: str, place: int) -> bool:
    """Whether a pronoun comes before anything that it could stand for."""
    return len(low[:place].split()) < BEFORE


def _was_request(text: str) -> bool:
    """Whether a question was a polite demand: cleaning has taken its "can you" away."""
    low = plain(text).strip()
    return bool(re.match(r"(?:\W|\w+,? ){0,3}(?:can|could|would|will) (?:you|we|u)\b", low)) or (
        language(text) == "zh" and stance(text) != "none"
    )
