"""Words for people: one Jinja environment, and the filters that keep foreign text text.

A template chooses and orders words and computes nothing. Text from a transcript goes through
`fence`, `codespan`, `cell` or `mdtext` on its way into Markdown; an `.html.j2` escapes by itself.
"""

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from dream.templates.hidden import shown
from dream.templates.markdown import cell, codespan, fence, mdtext, oneline, prose
from dream.templates.width import clip


def render(template: str, **values: Any) -> str:
    """The text of one template of this folder, by its file name. A missing value is an error."""
    return environment().get_template(template).render(**values)


@cache
def environment() -> Environment:
    """The one environment. It loads from this package only, so nobody else's text is a template."""
    made = Environment(
        loader=PackageLoader("dream", "templates"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(("html", "html.j2"), default_for_string=False),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    told = (cell, clip, codespan, counted, factor, fence, mdtext, oneline, placed, prose, shown)
    made.filters |= {each.__name__: each for each in told}
    return made


def counted(number: int, noun: str, plural: str = "") -> str:
    """1 session, 2 sessions, 12,345 sessions."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


FACTOR = 1000
"""A ratio beyond it says only that nobody knows how large it is."""


def factor(ratio: float) -> str:
    """A ratio: 0.85, 12.30, over 1,000."""
    return f"{ratio:.2f}" if ratio <= FACTOR else f"over {FACTOR:,}"


DATABASES = (".sqlite", ".db")
"""Endings of files whose parts are records and no lines."""


def placed(file: str, line: int) -> str:
    """A place in a source, "a.jsonl, line 3"; 0 is the file as a whole."""
    unit = "record" if file.endswith(DATABASES) else "line"
    return f"{file}, {unit} {line}" if line > 0 else file
