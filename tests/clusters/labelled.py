"""Gold clusters with the words of their members, from ../shared/labels and the corpora."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from dream.signals.signature import signature
from dream.text import stance
from dream.types import Judgement, Scope
from tests.makers import judgement

SPOKEN = "the user said:\n"
"""After this stand a person's words inside a refused tool call."""


@dataclass(frozen=True)
class Gold:
    """judgements: all in one project, so that only their words tell them apart."""

    judgements: tuple[Judgement, ...]
    cluster: Mapping[str, str]  # judgement id -> gold cluster
    apart: frozenset[tuple[str, str]]  # gold clusters that must not meet: opposites, near misses
    doubtful: frozenset[str]  # judgement ids


def gold(shared: Path, corpus: Callable[[str], Path]) -> Gold:
    rows = [
        json.loads(line)
        for line in (shared / "labels" / "clusters.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    judgements: list[Judgement] = []
    cluster: dict[str, str] = {}
    doubtful: set[str] = set()
    for row in rows:
        for member in row["members"]:
            made = _member(member, row["kind"], _words(member, corpus))
            judgements.append(made)
            cluster[made.id] = row["cluster_id"]
            if member.get("doubtful"):
                doubtful.add(made.id)
    pairs = {
        (min(row["cluster_id"], other), max(row["cluster_id"], other))
        for row in rows
        for other in (*row["opposite_of"], *row["near"])
    }
    return Gold(tuple(judgements), cluster, frozenset(pairs), frozenset(doubtful))


def _member(member: Mapping[str, Any], kind: str, text: str) -> Judgement:
    words = " ".join(text.split(SPOKEN)[-1].split())
    moment = datetime.fromisoformat(member["date"]).replace(tzinfo=UTC)
    error = kind == "error"
    return judgement(
        str(signature("bash", "{}", text)) if error else words,
        kind="tool_error" if error else "correction",
        session=member["session"],
        message=member["member_id"],
        happened=moment,
        scope=Scope(),
        polarity="none" if error else stance(words),
    )


def _words(member: Mapping[str, Any], corpus: Callable[[str], Path]) -> str:
    if "text" in member:
        return str(member["text"])
    data = (corpus(member["corpus"]) / member["file"]).read_bytes()
    wanted = member["text_sha256"]
    if member["file"].endswith(".md"):
        texts: Iterator[str] = _turn(data.decode(), member["line"])
    else:
        line = data if member["line"] is None else data.split(b"\n")[member["line"] - 1]
        texts = _texts(json.loads(line))
    for text in texts:
        if hashlib.sha256(text.encode()).hexdigest() == wanted:
            return text
    raise AssertionError(f"{member['member_id']} is not in {member['file']}")


def _turn(page: str, line: int) -> Iterator[str]:
    """A SpecStory turn from its head line on, up to the next, in the forms it may have."""
    lines = page.split("\n")[line:]
    end = next((n for n, each in enumerate(lines) if each.startswith("_**")), len(lines))
    whole = "\n".join(lines[:end])
    for outer in ("\n", None):
        yield whole.strip(outer)
        yield whole.strip().removesuffix("---").strip(outer)


def _texts(value: object) -> Iterator[str]:
    """Every text in a record, and the parts of a list of blocks joined."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)
        parts = [part["text"] for part in value if isinstance(part, dict) and "text" in part]
        yield "\n".join(map(str, parts))


def b_cubed(found: Mapping[str, str], wanted: Mapping[str, str]) -> tuple[float, float, float]:
    """Precision, recall and F1 over the members of wanted (Bagga & Baldwin 1998)."""
    mine, gold_of = _members(found, wanted), _members(wanted, wanted)
    precision = recall = 0.0
    for each in wanted:
        both = len(mine[found[each]] & gold_of[wanted[each]])
        precision += both / len(mine[found[each]]) / len(wanted)
        recall += both / len(gold_of[wanted[each]]) / len(wanted)
    return precision, recall, 2 * precision * recall / (precision + recall)


def _members(of: Mapping[str, str], among: Mapping[str, str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in among:
        found.setdefault(of[each], set()).add(each)
    return found


def wrongly_merged(
    found: Mapping[str, str], wanted: Mapping[str, str], apart: Sequence[tuple[str, str]]
) -> tuple[int, int]:
    """(how many member pairs of gold clusters that must stay apart are together, of how many)."""
    gold_of = _members(wanted, wanted)
    pairs = [
        (one, other)
        for left, right in apart
        for one in gold_of.get(left, ())
        for other in gold_of.get(right, ())
    ]
    return sum(found[one] == found[other] for one, other in pairs), len(pairs)
