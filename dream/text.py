"""What every stage needs to know of words: language, sentences, comparison tokens, stance.

No model and no dictionary: characters, punctuation, and the short lists of text.yaml.
"""

import re
from functools import cache
from importlib import resources
from typing import cast

import yaml

from dream.types import Language, Polarity

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
KANA = "\u3040-\u30ff"

_CODE_SPAN = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.S)
_CODE_LIKE = re.compile(r"\S*[a-zA-Z0-9][/\\_.:@#=][a-zA-Z0-9]\S*|(?<!\S)--?[a-zA-Z][\w-]*")
_HAN_CHAR = re.compile(f"[{HAN}]")
_KANA_CHAR = re.compile(f"[{KANA}]")
_LATIN_WORD = re.compile(r"[A-Za-zÀ-ÖØ-öø-ÿŒœßĀ-ž]+(?:'[a-z]+)?")
_LETTER = re.compile(r"[^\W\d_]")

_FENCE = re.compile(r"^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\Z)", re.S | re.M)
_BULLET = re.compile(r"[ \t]*(?:[-*+•·–]|\(?\d{1,3}[.)、]|[a-z][.)]|\[[ xX]?\]|>)+[ \t]+")
_ENDS = re.compile(r"[.!?…]+[\"')\]”’]*(?=\s|$|[" + HAN + r"])|[。！？；]+[」』”’）)\"]*")
_ABBREVIATIONS = frozenset(
    ["e.g", "i.e", "etc", "vs", "mr", "mrs", "dr", "approx", "incl", "cf", "no"]
)
_JOINED = len("please ")
"""A demand so near before a negation belongs to it: "please do not", "should never"."""
_WRAPPED = 60
"""A line of at least so many characters that goes on in lower case was wrapped, not ended."""

_ENOUGH = 4_000
"""Characters after which a text does not change its language any more."""
_BREAKS = re.compile(r"\n+")
_TOKEN = re.compile(
    r"`(?P<quoted>[^`\s]+)`"
    r"|(?P<flag>(?<![\w-])--?[A-Za-z][\w-]*(?:=[\w./-]+)?)"
    r"|(?P<code>[@#]?[A-Za-z0-9_.~-]*(?:[A-Za-z0-9_]?[/\\_.:@][A-Za-z0-9_@-]+)+)"
    r"|(?P<han>[" + HAN + KANA + r"]+)"
    r"|(?P<word>[^\W_" + HAN + KANA + r"]+(?:'[a-z]+)?)"
)
_OPENING = re.compile(
    r"(?:(?:ok(?:ay)?|so|now|then|and|but|also|hi|hey|well|just|yes|yeah|no|nope|actually|please"
    r"|first|next|instead|great|good|nice|cool|hmm+)\b[\s,.:!-]*)*"
    r"([a-z']+)(?:\s+(the|a|an|all|every|each|any|my|our|your|its|it|this|that|these|those)\b)?"
)
_NEGATED = re.compile(r"^(\w+)n't$")
_VOWEL = re.compile(r"[aeiouy]")


@cache
def _lists() -> dict[str, object]:
    source = resources.files("dream").joinpath("text.yaml").read_text(encoding="utf-8")
    return cast("dict[str, object]", yaml.safe_load(source))


@cache
def vocabulary(name: str) -> frozenset[str]:
    """A word list of text.yaml: foreign, english, verbs."""
    return frozenset(str(_lists()[name]).split())


@cache
def pattern(name: str) -> re.Pattern[str]:
    """A pattern list of text.yaml as one expression: do, do_not, double."""
    parts = cast("list[str]", _lists()[name])
    return re.compile("|".join(f"(?:{part})" for part in parts))


def plain(text: str) -> str:
    """The same length, lower case, typographic apostrophes made plain. For matching only."""
    low = text.translate({0x2019: "'", 0x2018: "'", 0x60: "`", 0x3000: " "})
    lowered = low.lower()
    return lowered if len(lowered) == len(low) else "".join(_lower(each) for each in low)


def _lower(character: str) -> str:
    lowered = character.lower()
    return lowered if len(lowered) == 1 else character


def language(text: str) -> Language:
    """The language a person wrote in; code, paths and addresses do not count.

    A text without a single word ("3", "ok?", "pnpm") is taken for English, where such words are
    at home. Chinese with kana is Japanese, so "other".
    """
    text = text[:_ENOUGH]
    prose = _CODE_LIKE.sub(" ", _CODE_SPAN.sub(" ", text))
    if not _LETTER.search(prose):
        prose = text
    han, latin = len(_HAN_CHAR.findall(prose)), _LATIN_WORD.findall(prose.replace("’", "'"))
    if len(_KANA_CHAR.findall(prose)) > max(1, han // 8):
        return "other"
    if han and han >= len(latin):
        return "zh"
    letters = len(_LETTER.findall(prose)) - han
    if letters > 2 * sum(map(len, latin)) and letters > 2:
        return "other"
    low = [word.lower() for word in latin]
    foreign = sum(word in vocabulary("foreign") for word in low)
    english = sum(word in vocabulary("english") for word in low)
    odd = any(not letter.isascii() for word in low for letter in word)
    return "other" if foreign > english or (odd and foreign and foreign >= english) else "en"


def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Spans (start, end in code points) of the sentences, in order, without overlap.

    A line break ends a sentence unless the line was only wrapped. List marks, quote marks and
    outer blanks stand outside the spans; fenced code is passed over.
    """
    found: list[tuple[int, int]] = []
    place = 0
    for fence in _FENCE.finditer(text):
        found.extend(_in_prose(text, place, fence.start()))
        place = fence.end()
    found.extend(_in_prose(text, place, len(text)))
    return tuple(found)


def _in_prose(text: str, start: int, end: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    place = _past_breaks(text, start, end)
    while place < end:
        stop = _end_of_paragraph(text, place, end)
        found.extend(_in_paragraph(text, place, stop))
        place = _past_breaks(text, stop + 1, end)
    return found


def _past_breaks(text: str, place: int, end: int) -> int:
    breaks = _BREAKS.match(text, place, max(place, end))
    return breaks.end() if breaks else place


def _end_of_paragraph(text: str, start: int, end: int) -> int:
    """The line break that ends the run of wrapped lines beginning at start."""
    place = start
    while True:
        stop = text.find("\n", place, end)
        if stop < 0:
            return end
        following = text[stop + 1 : stop + 2]
        ended = text[place:stop].rstrip()[-1:] in set(".!?:;。！？：；…`")
        if stop - place < _WRAPPED or ended or not following.islower():
            return stop
        place = stop + 1


def _in_paragraph(text: str, start: int, end: int) -> list[tuple[int, int]]:
    bullet = _BULLET.match(text, start, end)
    place = bullet.end() if bullet else start
    found: list[tuple[int, int]] = []
    for stop in _ENDS.finditer(text, place, end):
        before = text[place : stop.start()]
        if before.count("`") % 2 or _is_abbreviation(before, stop.group()):
            continue
        _keep(found, text, place, stop.end())
        place = stop.end()
    _keep(found, text, place, end)
    return found


def _is_abbreviation(before: str, mark: str) -> bool:
    last = before.rsplit(None, 1)[-1].lower() if before.split() else ""
    return mark == "." and (last.strip("(") in _ABBREVIATIONS or last.isdigit())


def _keep(found: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if any(character.isalnum() for character in text[start:end]):
        found.append((start, end))


def words(text: str) -> tuple[str, ...]:
    """Comparison tokens in order, lower case, nothing left out but Chinese particles.

    English words lose plural and verb endings (so "wrapped" and "wraps" are "wrap", "deleting"
    is "delet"); "don't" becomes "do", "not". Code keeps its shape: `src/api`, `--no-verify`,
    `pnpm`. Chinese gives pairs of neighbouring characters between particles.
    """
    found: list[str] = []
    for token in _TOKEN.finditer(plain(text)):
        kind, value = str(token.lastgroup), token.group(str(token.lastgroup))
        if kind == "han":
            found.extend(_pairs(value))
        elif kind == "word":
            found.extend(_folded(value))
        elif trimmed := value.strip(".:,;"):
            found.append(trimmed)
    return tuple(found)


def _pairs(run: str) -> list[str]:
    parts = re.split(f"[{_lists()['particles']}]+", run)
    found: list[str] = []
    for part in parts:
        found.extend(part[place : place + 2] for place in range(max(1, len(part) - 1)) if part)
    return found


def _folded(word: str) -> list[str]:
    if negated := _NEGATED.match(word):
        return [{"ca": "can", "wo": "will", "sha": "shall"}.get(negated[1], negated[1]), "not"]
    if word == "cannot":
        return ["can", "not"]
    return [fold(word.split("'")[0])]


def fold(word: str) -> str:
    """One English word, lower case, without its plural, past or -ing ending and its last e."""
    if not word.isascii() or not word.isalpha() or len(word) < 3:
        return word
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("ss", "sh", "ch", "x", "zz")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1 and _VOWEL.search(stem) and not word.endswith("eed"):
            double = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "lsz"
            short = len(stem) == 2 and stem[0] in "aeiou"  # used, owing
            word = stem[:-1] if double else stem + "e" * short
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") and word[-2] != "e" else word


def stance(sentence: str) -> Polarity:
    """Whether a sentence asks for something, against something, or for neither.

    The first demand decides: "use the staging key, never the live one" asks for something.
    Two negations ask for something: "never delete without asking". A plain statement or a
    complaint that something fails is "none".
    """
    low = plain(sentence).strip()
    against = pattern("do_not").search(low)
    toward = pattern("do").search(low)
    opening = opens_with_verb(low)
    if not against:
        return "do" if toward or opening is not None else "none"
    if pattern("double").search(low):
        return "do"
    asked = [at for at in (opening, toward.start() if toward else None) if at is not None]
    return "do" if any(at + _JOINED < against.start() for at in asked) else "do_not"


def opens_with_verb(low: str) -> int | None:
    """Where an imperative starts in lower-case text, after a greeting or a filler."""
    opening = _OPENING.match(low)
    if opening and (opening[1] in vocabulary("verbs") or _has_object(opening)):
        return opening.start(1)
    return None


def _has_object(opening: re.Match[str]) -> bool:
    """Whether an unknown first word is followed by a determiner: "lock every door"."""
    return opening[2] is not None and opening[1] not in vocabulary("english")
