"""How much text of one reading is stored, so that one file costs itself and never the night.

A query holds some two thousand rows at a time, with all their text. A session of hundreds of
megabytes would make every later night fail, so its longest texts are cut. It happens after secrets
are taken out: half a secret is found by no pattern.
"""

import dataclasses
from collections import defaultdict
from collections.abc import Sequence

import orjson

from dream.archive.lines import Rows
from dream.archive.schema import JSON_TEXTS, TABLES
from dream.records import Skip

MOST = 64_000_000
"""Characters of one reading. Measured: three times as many take a gigabyte to work with."""


def bounded(rows: Rows, most: int = MOST) -> None:
    """Cuts the longest texts of every reading that holds more than `most` characters. Each text
    that was cut is counted as too long, with its line.
    """
    lengths: defaultdict[int, list[int]] = defaultdict(list)
    for name, table in TABLES.items():
        for scan, record in rows[name]:
            lengths[scan] += [len(getattr(record, part) or "") for part in table.texts]
    limits = {scan: _limit(each, most) for scan, each in lengths.items() if sum(each) > most}
    if not limits:
        return
    for name, table in TABLES.items():
        for index, (scan, record) in enumerate(rows[name]):
            limit = limits.get(scan)
            cut = {} if limit is None else _cut(record, table.texts, limit)
            for part, kept in cut.items():
                detail = f"{len(getattr(record, part))} characters, of which {limit} are kept"
                rows["skips"].append((scan, Skip("too_long", record.line, detail)))
                if part in JSON_TEXTS:
                    cut[part] = orjson.dumps({"cut": kept}).decode()
            if cut:
                rows[name][index] = (scan, dataclasses.replace(record, **cut))


def _cut(record: object, parts: Sequence[str], limit: int) -> dict[str, str]:
    """What is left of the texts that are longer."""
    texts = {part: getattr(record, part) or "" for part in parts}
    return {part: text[:limit] for part, text in texts.items() if len(text) > limit}


def _limit(lengths: Sequence[int], most: int) -> int:
    """The longest that a text may be for all of them to fit into `most` together."""
    room = most
    for left, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        if length * left > room:
            return room // left
        room -= length
    return max(lengths, default=0)
