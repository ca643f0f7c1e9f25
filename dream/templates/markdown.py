"""Foreign text inside Markdown: it stays text, whatever it says.

No element, link, image, heading, list or handler may arise from it, in CommonMark and in GitHub's
kind. Three places to put it: `fence` for a block, `codespan` for a name, `mdtext` for a line of
words. `prose` is mdtext that keeps code in ticks; it is what a rule file gets.
"""

import re

from dream.templates.hidden import shown

_TICKS = re.compile("`+")
_SPAN = re.compile("(?<!`)(`+)(?!`)(.+?)(?<!`)\\1(?!`)", re.DOTALL)
_BARE = re.compile(
    r"(?:[a-zA-Z][a-zA-Z0-9+.-]*://|(?<!\w)www\.)[^\s`]*[^\s`.,;:!?)\]}'\"]"  # would be a link
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # would be an address
    r"|(?<![\w.+-])@[^\s`]*[^\s`.,;:!?)\]}'\"]"  # would be an import or a mention
)
_ESCAPED = re.compile(
    r"[`*\[\]]|(?<!\w)@"
    r"|(?<![^\W_])_|_(?![^\W_])"  # inside a word it is plain
    r"|(?<!\s)~|~(?!/)"  # not the one of ~/.config
    r"|\\(?=[!-/:-@\[-`{-~]|$)"
)
_OPENING = re.compile(r"(\d{1,9}(?=[.)])|(?=[#>+=-]))")


def oneline(text: str) -> str:
    """The words on one line: every run of white space is one space."""
    return " ".join(text.split())


def fence(text: str, info: str = "text") -> str:
    """A code block that ends where we say: its fence is longer than any run of ticks in it."""
    body = shown(text)
    mark = "`" * max(3, _longest(body) + 1)
    return f"{mark}{info}\n{body}{'' if body.endswith(chr(10)) else chr(10)}{mark}"


def codespan(text: str) -> str:
    """The text as code inside a line; "" stays visible as an empty pair of quotes.

    Also padded after a closing "!": an exclamation mark before a tick makes some agents run what
    follows when they load a skill.
    """
    body = shown(oneline(text)) or '""'
    mark = "`" * (_longest(body) + 1)
    pad = " " if body[0] == "`" or body[-1] in "`!" else ""
    return f"{mark}{pad}{body}{pad}{mark}"


def cell(text: str) -> str:
    """Code inside a table's cell, where a bar would end the cell even in code."""
    return codespan(text).replace("|", "\\|")


def mdtext(text: str) -> str:
    """A line of words as words, for a heading, a list item or a paragraph of its own."""
    return _line(((False, shown(oneline(text))),))


def prose(text: str) -> str:
    """As mdtext, but code between ticks stays code: for text that we wrote ourselves.

    A comment's opening is broken in code too: readers that strip comments do not look for code.
    """
    line, parts, end = shown(oneline(text)), [], 0
    for span in _SPAN.finditer(line):
        parts += [(False, line[end : span.start()]), (True, span[2].replace("<!--", "<! --"))]
        end = span.end()
    return _line((*parts, (False, line[end:])))


def _line(parts: tuple[tuple[bool, str], ...]) -> str:
    """Joins words and code; a bare address or import becomes code, where it does nothing."""
    made = ""
    for is_code, part in parts:
        if is_code:
            made = _joined(made, codespan(part))
            continue
        end = 0
        for bare in _BARE.finditer(part):
            made = _joined(made + _escaped(part[end : bare.start()]), codespan(bare[0]))
            end = bare.end()
        made += _escaped(part[end:])
    return _OPENING.sub(r"\1\\", made, count=1) if _OPENING.match(made) else made


def _joined(words: str, code: str) -> str:
    """Words, then code, with a space where "!" or a tick would run into it."""
    return f"{words} {code}" if words.endswith(("!", "`")) else words + code


def _escaped(text: str) -> str:
    text = re.sub(r"&(?=#|\w)", "&amp;", text)
    text = _ESCAPED.sub(lambda hit: "\\" + hit[0], text)
    return text.replace("<", "&lt;")


def _longest(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
