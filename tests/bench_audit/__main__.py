"""make bench-audit: simulated archives with a planted truth, audited night after night.

    python -m tests.bench_audit [--reps 400] [--reports 60] [--seed 31415926] [--write FILE]

What was done is kept in build/bench-audit.json by the code it was done with, so that a run that was
stopped goes on where it was.
"""

import argparse
import hashlib
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.bench_audit.fdr import Listed, report
from tests.bench_audit.page import tables
from tests.bench_audit.run import Trial, trial
from tests.bench_audit.scenarios import EXTRA, WORLDS

HOUSE = Path(__file__).parents[2]
KEPT = HOUSE / "build" / "bench-audit.json"
SPLIT = "<!-- bench -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reps", type=int, default=400)
    parser.add_argument("--reports", type=int, default=60)
    parser.add_argument("--seed", type=int, default=31415926)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    kept = _load()
    worlds = {**WORLDS, **EXTRA}
    for place, (name, world) in enumerate(worlds.items()):
        key = f"{name}|{asked.seed}|{asked.reps}"
        if key not in kept:
            trials = [trial(world, (asked.seed, place, n)) for n in range(asked.reps)]
            kept[key] = [asdict(one) for one in trials]
            _save(kept)
        print(name, file=sys.stderr, flush=True)
    key = f"crowd|{asked.seed}|{asked.reports}"
    if key not in kept:
        kept[key] = [asdict(report((asked.seed, 99, n))) for n in range(asked.reports)]
        _save(kept)
    done = {n: [_trial(each) for each in kept[f"{n}|{asked.seed}|{asked.reps}"]] for n in worlds}
    text = tables(done, [Listed(**each) for each in kept[key]], asked.seed, asked.reps)
    if asked.write:
        words = asked.write.read_text("utf-8").partition(SPLIT)[0] if asked.write.exists() else ""
        asked.write.write_text(f"{words}{SPLIT}\n\n{text}", "utf-8")
    print(text)
    return 0


def _trial(kept: dict[str, Any]) -> Trial:
    return Trial(**{**kept, "reasons": tuple(kept["reasons"])})


def _digest() -> str:
    """Of all code that decides what comes out."""
    found = hashlib.sha256()
    for folder in (HOUSE / "dream" / "audit", HOUSE / "tests" / "bench_audit"):
        for path in sorted(folder.glob("*.py")):
            if path.name not in ("page.py", "__main__.py"):
                found.update(path.read_bytes())
    return found.hexdigest()


def _load() -> dict[str, Any]:
    if not KEPT.exists():
        return {}
    kept = json.loads(KEPT.read_text("utf-8"))
    return dict(kept["done"]) if kept["code"] == _digest() else {}


def _save(done: dict[str, Any]) -> None:
    KEPT.parent.mkdir(exist_ok=True)
    KEPT.write_text(json.dumps({"code": _digest(), "done": done}), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
