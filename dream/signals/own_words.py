"""Which parts of a prompt the person wrote: not code, logs, diffs, quotes or pasted chats.

Everything else is blanked in place, so that a span found in what is left is a span of the stored
text. Wrong guesses here cost a sentence and never invent one.
"""

import re
from collections.abc import Iterator

from dream.shell import commands
from dream.text import plain, sentences, vocabulary

LIMIT = 20_000
"""Characters of a prompt that are looked at; what a person says stands before or after a paste."""

_FENCE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.S | re.M)
_TAGGED = re.compile(r"<([A-Za-z][\w:-]*)\b[^<>\n]*>.*?</\1>", re.S)
_QUOTED = re.compile(r"^[ \t]*(\"{2,3}|'{3})[ \t]*$.*?(?:^[ \t]*\1[ \t]*$|\Z)", re.S | re.M)
_SPEAKER = re.compile(
    r"(?P<who>user|human|me|you|用户|assistant|agent|ai|claude|助手)\s*[:：]\s*", re.I
)
_PERSON = frozenset(["user", "human", "me", "用户"])

_PASTED = re.compile(
    r"""^\s*(?:
      \#{1,6}\s | \*\*[^*]+\*\*:?\s*$ | [-=_*~─━═]{3,}          # headings and rules
    | >                                                          # quoted by the person
    | \[[^\]\n]{1,60}\](?!\(|\s*$|[ ]*[a-z])(?<!\[[xX\ ]\])       # [ERROR], [score=0.9]
    | \[\w+= | \[(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE)\]
    | [✓✗×✔✘❯⎿│├└┃╭╰╮╯⏺▶►➜⠋●]
    | \|.*\|\s*$                                                 # a table's row
    | @@\s | diff\ --git | index\ [0-9a-f]{7} | \+\+\+\  | ---\ [ab/]
    | \d{1,4}[-/.:]\d{2}[-/.:]\d{2}
    | \$\s | PS\ [A-Z]: | >>>\s | \S+@\S+[^\n]*[%$\#]\s
    | at\ .+[(:]\d+ | File\ ".+",\ line | Traceback\b | Caused\ by:
    | (?:[\w.]*(?:Error|Exception|Warning)|npm\ (?:ERR|WARN)!?|fatal|error|warning|hint|panic
        |FAIL|PASS|ERROR|WARN|INFO|DEBUG)
      (?:\[\w+\])?(?::|\s*\d|\s{2,}|!|\s+[\w./-]+\.\w{1,5}\b)
    | (?:Exit\ code|exit\ status)\s+\d
    | \d+\s*[|│]
    | "[\w.-]+"\s*:
    | \S*[/\\.]\S*\s*$                                           # an address or path on its own
    )""",
    re.X,
)
_CODE = re.compile(
    r"[;{}]\s*$|^\s*[\])}]+[;,]?\s*$|=>|\b(?:const|let|var) \w+ ?[=:]"
    r"|^\s*(?:async )?(?:function|def|class|import|export|return|func|public)\b.*[=({;]|^\s*<[/a-zA-Z!][^>]*>|^\s*(?://|/\*|\*/|#!)|\w+\([^)]*\)\s*[;{]|^\s*@\w+[({]|:=|::\w"
)
_NAMED = re.compile(r"`[^`\n]*`|https?://\S+|\[[^\]\n]*\]\([^)\n]*\)")
_PADDED = re.compile(r"\S\s{12,}\S|\S {20,}$|^\s{16,}\S")
_PROSE = re.compile(r"[^\W\d_]")


def own_words(text: str) -> tuple[tuple[int, int], ...]:
    """Spans (start, end in code points) of the sentences the person wrote themselves, in order."""
    kept = blanked(text[:LIMIT])
    return tuple(span for span in sentences(kept) if not is_command(text[span[0] : span[1]]))


def blanked(text: str) -> str:
    """The same length, with line breaks in place of everything that was pasted in."""
    for shape in (_FENCE, _TAGGED, _QUOTED):
        text = shape.sub(_blank, text)
    lines = text.split("\n")
    pasted = _smooth([_is_pasted(line) for line in lines], lines)
    return "\n".join(_without_speakers(lines, pasted))


def _blank(found: re.Match[str]) -> str:
    return "\n" * len(found[0])


def _is_pasted(line: str) -> bool:
    if not line.strip():
        return False
    if _PASTED.match(line) or _PADDED.search(line):
        return True
    bare = _NAMED.sub("x", line)
    letters, solid = len(_PROSE.findall(bare)), sum(not each.isspace() for each in bare)
    return (solid > 12 and letters < 0.55 * solid) or bool(_CODE.search(bare))


def _smooth(pasted: list[bool], lines: list[str]) -> list[bool]:
    """Lines inside a pasted block are pasted too: indented ones, and single ones between two."""
    result = list(pasted)
    for place, line in enumerate(lines):
        if result[place] or not line.strip():
            continue
        before = result[place - 1] if place else False
        after = pasted[place + 1] if place + 1 < len(lines) else False
        result[place] = before and (line.startswith(("  ", "\t")) or after)
    return result


def _without_speakers(lines: list[str], pasted: list[bool]) -> Iterator[str]:
    """A pasted chat: the person's turns without their mark, the other side's turns blanked."""
    other = False
    for line, drop in zip(lines, pasted, strict=True):
        speaker = _SPEAKER.match(line)
        if speaker:
            other = speaker["who"].lower() not in _PERSON
        elif not line.strip():
            other = False
        if drop or other:
            yield "\n" * len(line)
        elif speaker:
            yield "\n" * speaker.end() + line[speaker.end() :]
        else:
            yield line


def is_command(sentence: str) -> bool:
    """Whether a sentence is a line for a shell rather than words for a person."""
    low = plain(sentence)
    parts = low.split()
    said = sum(part.strip(".,!?") in vocabulary("english") for part in parts)
    if len(parts) < 2 or said > 1 or not sentence.isascii():
        return False
    joined = re.search(r"\s(?:&&|\|\|?|>>?|2>&1)\s", low) is not None
    flagged = any(re.fullmatch(r"--?[a-z][\w-]*(?:=\S*)?", part) for part in parts[1:])
    return (joined or flagged or parts[0] in {"sudo", "cd", "export"}) and bool(commands(sentence))
