"""Where in a source something stands."""

import pytest

from dream.templates import placed


@pytest.mark.parametrize(
    ("file", "line", "said"),
    [
        ("a.jsonl", 3, "a.jsonl, line 3"),
        ("a.jsonl", 0, "a.jsonl"),
        ("runs.sqlite", 33, "runs.sqlite, record 33"),
        ("opencode.db", 2, "opencode.db, record 2"),
    ],
)
def test_a_database_has_records_and_a_text_has_lines(file: str, line: int, said: str) -> None:
    assert placed(file, line) == said
