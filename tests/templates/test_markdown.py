"""Whatever a transcript says, it stays text on the reviewer's page."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from dream.templates.hidden import shown
from dream.templates.markdown import cell, codespan, fence, mdtext, oneline, prose

PAGE = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = [
    '<img src=x onerror="document.title=1">',
    "![x](javascript:alert(1)) and ````` five ticks",
    '</pre><b>bold</b> & "quotes"',
    "[click](javascript:alert(1))",
    "[ref]: https://example.org",
    "https://example.org/a_b_c and www.example.org, or me@example.org",
    "<https://example.org>",
    "<!-- dream:end -->",
    "# heading",
    "---",
    "===",
    "1. list",
    "- list",
    "> quote",
    "**b** _i_ ~~s~~ `c` \\`d`",
    "a | b | c",
    "&lt;b&gt; &#60;i&#62;",
    "x\\",
    "```\n# out of the fence\n",
    "~~~\n<b>",
    "line\u2028separator",
    "    indented",
    "never do this!`rm -rf x`",
    "@~/.ssh/config and @AGENTS.md",
]
ENDS = ("open", "close")
texts = st.one_of(
    st.text(),
    st.text(alphabet="`~#*_[]()<>!&\\|-+=@:/.w \n\tab1文"),
    st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3).map(" ".join),
)


def flat(tokens: list[Token] | None) -> Iterator[Token]:
    for token in tokens or ():
        yield token
        yield from flat(token.children)


def kinds(markdown: str) -> set[str]:
    return {token.type for token in flat(PAGE.parse(markdown))}


def words(markdown: str) -> str:
    return "".join(token.content for token in flat(PAGE.parse(markdown)) if not token.children)


def squeezed(text: str) -> str:
    return "".join(text.split())


@given(texts)
@example("`a!` and `b`")
@example("\\")
@example("a\\`b`")
def test_a_line_of_foreign_words_makes_no_element(text: str) -> None:
    for made in (mdtext(text), prose(text)):
        plain = {"inline", "text", "text_special", "code_inline"}
        assert kinds(f"# {made}") <= plain | {"heading_open", "heading_close"}
        lists = {
            f"{part}_{end}" for part in ("bullet_list", "list_item") for end in ("open", "close")
        }
        assert kinds(f"- x {made}") <= plain | lists | {"paragraph_open", "paragraph_close"}
        assert kinds(f"before\n\n{made}\n") <= plain | {"paragraph_open", "paragraph_close"}


@given(texts)
def test_a_line_of_foreign_words_reads_as_it_was_written(text: str) -> None:
    assert squeezed(words(f"x {mdtext(text)}")) == "x" + squeezed(shown(oneline(text)))


@given(texts)
def test_no_text_gets_out_of_its_fence(text: str) -> None:
    tokens = PAGE.parse(f"before\n\n{fence(text)}\n\nafter\n")
    blocks = [token.type for token in tokens if token.nesting >= 0 and token.type != "inline"]
    assert blocks == ["paragraph_open", "fence", "paragraph_open"]
    inside = next(token.content for token in tokens if token.type == "fence")
    assert inside.removesuffix("\n") == shown(text).removesuffix("\n")


@given(texts)
def test_no_text_gets_out_of_its_code_span(text: str) -> None:
    inside = [token for token in flat(PAGE.parse(f"x {codespan(text)} y")) if not token.children]
    kept = [token.content for token in inside if token.type == "code_inline"]
    assert [token.type for token in inside if token.content] == ["text", "code_inline", "text"]
    assert kept == [shown(oneline(text)) or '""']


@given(texts)
def test_no_text_gets_out_of_its_cell(text: str) -> None:
    page = f"| a | b |\n| --- | --- |\n| {cell(text)} | y |\n"
    tokens = list(flat(PAGE.parse(page)))
    cells = [token for token in tokens if token.type == "td_open"]
    assert len(cells) == 2
    assert [t.content for t in tokens if t.type == "code_inline"] == [shown(oneline(text)) or '""']


@given(texts)
@example("`````<!--`````")
@example("@`")
def test_nothing_in_a_rule_makes_an_agent_run_or_load_something(text: str) -> None:
    made = prose(text)
    assert "!`" not in made
    assert "<!--" not in made
    assert not any(word.startswith("@") for word in made.split(" ") if len(word) > 1)


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("Use `pnpm`, never npm.", "Use `pnpm`, never npm."),
        ("Keep snake_case in src/api.", "Keep snake_case in src/api."),
        ("Config lies in ~/.config.", "Config lies in ~/.config."),
        ("提交前运行 `ruff`。", "提交前运行 `ruff`。"),
        ("Don't touch src/*.py", "Don't touch src/\\*.py"),
        ("See https://example.org.", "See `https://example.org`."),
        ("#1 rule", "\\#1 rule"),
        ("2. rule", "2\\. rule"),
        ("a < b && c", "a &lt; b && c"),
    ],
)
def test_ordinary_rules_read_as_a_person_would_write_them(written: str, rule: str) -> None:
    assert prose(written) == rule


@pytest.mark.shared
def test_markup_in_real_names_stays_text(shared: Path) -> None:
    source = shared / "cases" / "review" / "markup-in-names.jsonl"
    found: list[str] = []

    def collect(value: object) -> None:
        if isinstance(value, str):
            found.append(value)
        for each in value.values() if isinstance(value, dict) else ():
            collect(each)
        for each in value if isinstance(value, list) else ():
            collect(each)

    for line in source.read_text(encoding="utf-8").splitlines():
        collect(json.loads(line))
    assert any("<img" in each for each in found)
    for each in found:
        html = PAGE.render(f"# {mdtext(each)}\n\n{codespan(each)}\n\n{fence(each)}\n")
        assert not any(tag in html for tag in ("<img", "<b>", "<u>", "<i>", "<a ", "</pre><b"))
