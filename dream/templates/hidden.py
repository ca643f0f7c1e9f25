"""Characters that a reader cannot see, or takes for others, made visible.

Direction overrides, zero-width and tag characters, terminal escapes: each can make a text say one
thing to a person and another to a program. `shown` spells them out; nothing is taken away. What
ordinary writing needs stays: joiners inside emoji, Persian and Indic words, flags, variants of Han.
"""

import re
import unicodedata

_PICTURE = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf"
    "\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_SKIN = "[\U0001f3fb-\U0001f3ff]"
_EMOJI = f"[{_PICTURE}](?:\ufe0f|\ufe0e)?{_SKIN}?"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_ARABIC = "\u0620-\u064a\u066e-\u06d3\u0750-\u077f"
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_ORDINARY = "|".join(
    (
        _FLAGS,
        f"{_EMOJI}(?:\u200d{_EMOJI})*",
        "[0-9#*]\ufe0f\u20e3",
        f"[{_HAN}][\ufe00-\ufe02\U000e0100-\U000e01ef]",
        f"(?<=[{_ARABIC}])\u200c(?=[{_ARABIC}])",
        f"(?<=[{_VIRAMA}])[\u200c\u200d]",
    )
)
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_SIGHT = re.compile(f"(?P<ordinary>{_ORDINARY})|(?P<unseen>[{_UNSEEN}])")
_GATE = re.compile(f"[{_UNSEEN}]")

_LOOKALIKE = (
    "АВЕЅІЈКМНОРСТХУаеѕіјорсухԁԛԝһ"  # Cyrillic
    "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧνορυ"  # Greek
    "ՕՍՏօսո"  # Armenian
)
_MIXED = re.compile(f"\\w*(?:[A-Za-z]\\w*[{_LOOKALIKE}]|[{_LOOKALIKE}]\\w*[A-Za-z])\\w*")


def shown(text: str) -> str:
    """The text with unseen characters spelled out: ⟨U+202E⟩. A CR before LF is an ordinary end."""
    text = text.replace("\r\n", "\n")
    if not _GATE.search(text):
        return text
    return _SIGHT.sub(lambda hit: hit[0] if hit["ordinary"] else _spelled(hit[0]), text)


def hidden(text: str) -> tuple[str, ...]:
    """The unseen characters of the text by name, each once: "U+200B ZERO WIDTH SPACE"."""
    text = text.replace("\r\n", "\n")
    found = (hit["unseen"] for hit in _SIGHT.finditer(text) if hit["unseen"])
    return tuple(_named(character) for character in dict.fromkeys(found))


def lookalikes(text: str) -> tuple[str, ...]:
    """Letters that look Latin and are not, inside words that are, in the order met."""
    found = (each for word in _MIXED.findall(text) for each in word if each in _LOOKALIKE)
    return tuple(_named(character) for character in dict.fromkeys(found))


def json_escaped(document: str) -> str:
    r"""JSON text with unseen characters as \u escapes: equal when read, visible when seen."""
    return _GATE.sub(_escape, document)


def _escape(hit: re.Match[str]) -> str:
    units = hit[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[n]:02x}{units[n + 1]:02x}" for n in range(0, len(units), 2))


def _spelled(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X} {name or 'without a name'}"
