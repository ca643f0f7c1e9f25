"""The last backtest that a person kept: backtest.json in skills_out, beside what it speaks of."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from dream.backtest.nouns import WAYS, Backtest
from dream.report.night import BacktestLine, WayLine
from dream.templates.json_text import json_bytes

NAME = "backtest.json"


@dataclass(frozen=True, slots=True)
class _File:
    """What the file must hold; what else it holds is passed over."""

    line: BacktestLine


def line_of(made: Backtest) -> BacktestLine:
    """What a night's report says of it."""
    ways = []
    for way in WAYS:
        met = made.score(way).met
        ways.append(WayLine(way, met.count, met.of, met.low, met.high))
    first, last = made.first.isoformat(), made.last.isoformat()
    return BacktestLine(first, last, made.nights, tuple(ways), made.in_time.count, made.recurring)


def save(out: Path, made: Backtest) -> Path:
    """Puts it in place at once, over an older one."""
    out.mkdir(parents=True, exist_ok=True)
    path, fresh = out / NAME, out / f".{NAME}.new"
    fresh.write_bytes(json_bytes({"line": line_of(made), "backtest": made}))
    fresh.replace(path)
    return path


def load(out: Path, troubles: list[str]) -> BacktestLine | None:
    """What the last one came to; None without one. One that cannot be read is named in troubles."""
    path = out / NAME
    if not path.exists():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=_File).line
    except (ValueError, RecursionError, OSError) as error:
        troubles.append(f"{NAME} cannot be read ({error}); `dream backtest --keep` makes it anew")
        return None
