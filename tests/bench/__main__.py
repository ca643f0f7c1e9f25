"""make bench: our speed beside a bare loop's, and a whole night at three sizes of news.

    python -m tests.bench [--messages 100000] [--write docs/performance.md]

Every figure is of a whole process or the median of three turns taken in the same run, ours and the
bare loop's alternating, so that a busy machine slows both.
"""

import argparse
import os
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import orjson
import zstandard

from dream.sources import claude, run2
from tests.bench import generate

TURNS = 3


@dataclass(frozen=True, slots=True)
class Pace:
    """Ours against a bare loop over the same bytes, in CPU seconds of one turn."""

    what: str
    megabytes: float
    records: int
    bare: float
    ours: float

    @property
    def share(self) -> float:
        """Our speed as a share of the bare loop's; 1 is as fast."""
        return self.bare / self.ours


@dataclass(frozen=True, slots=True)
class Night:
    """One night as a whole process."""

    what: str
    messages: int
    wall: float  # seconds
    cpu: float  # seconds
    peak: float  # MB, largest resident set


def timed(work: Callable[[], int]) -> tuple[float, int]:
    """CPU seconds of one turn of work, and what it counted."""
    before = time.process_time()
    count = work()
    return time.process_time() - before, count


def pace(what: str, size: int, bare: Callable[[], int], ours: Callable[[], int]) -> Pace:
    turns = [(timed(bare), timed(ours)) for _ in range(TURNS)]
    records = turns[0][0][1]
    assert records == turns[0][1][1], f"{what}: the two loops saw different records"
    return Pace(
        what,
        size / 1e6,
        records,
        statistics.median(turn[0][0] for turn in turns),
        statistics.median(turn[1][0] for turn in turns),
    )


def jsonl_pace(folder: Path) -> Pace:
    files = sorted(folder.rglob("*.jsonl"))

    def bare() -> int:
        count = 0
        for path in files:
            with path.open("rb") as lines:
                for line in lines:
                    orjson.loads(line)
                    count += 1
        return count

    def ours() -> int:
        return sum(t.records for path in files for t in claude.read(path, {}, folder / "scratch"))

    size = sum(path.stat().st_size for path in files)
    return pace("Claude Code files, against open + orjson", size, bare, ours)


def run2_pace(path: Path, scratch: Path) -> Pace:
    def bare() -> int:
        con = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
        (bytes_,) = con.execute("SELECT bytes FROM dicts").fetchone()
        words = zstandard.ZstdCompressionDict(bytes_, dict_type=zstandard.DICT_TYPE_RAWCONTENT)
        unpack = zstandard.ZstdDecompressor(dict_data=words).decompress
        count = 0
        for (payload,) in con.execute("SELECT payload FROM messages ORDER BY first_seq"):
            orjson.loads(unpack(payload))
            count += 1
        con.close()
        return count

    def ours() -> int:
        return sum(len(t.messages) for t in run2.read(path, {}, scratch))

    size = path.stat().st_size
    return pace("RUN2 archive, against sqlite3 + zstandard + orjson", size, bare, ours)


def night(what: str, messages: int, config: Path, day: str) -> Night:
    """One `dream night` as a process of its own, timed by the kernel."""
    command = [sys.executable, "-m", "dream", "night", "--config", str(config), "--date", day]
    before = time.perf_counter()
    log = config.parent / "night.log"
    with log.open("ab") as out:
        child = subprocess.Popen([*command, "--quiet"], stdout=out, stderr=out)
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - before
    if child.returncode not in (0, 1):
        raise SystemExit(f"the night failed:\n{log.read_text()[-4000:]}")
    return Night(what, messages, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def nights(folder: Path, messages: int) -> Iterator[Night]:
    """Cold, one per cent new, nothing new; on an archive of that many messages."""
    sources = folder / "sources"
    generate.claude(sources / "claude", messages // 2, seed=1)
    generate.run2(sources / "run2" / "runs.sqlite", messages // 2, seed=2)
    config = folder / "dream.yaml"
    config.write_text(
        f"sources:\n  - path: {sources / 'claude'}\n  - path: {sources / 'run2'}\n"
        f"state: {folder / 'state'}\nskills_out: {folder / 'skills_out'}\n"
    )
    yield night("cold", messages, config, "2026-11-01")
    generate.claude(sources / "claude", messages // 100, seed=3, first=900_000)
    yield night("1 % new", messages, config, "2026-11-02")
    yield night("nothing new", messages, config, "2026-11-03")


def help_seconds() -> float:
    def once() -> float:
        before = time.perf_counter()
        subprocess.run([sys.executable, "-m", "dream", "--help"], check=True, capture_output=True)
        return time.perf_counter() - before

    return statistics.median(once() for _ in range(5))


def page(paces: list[Pace], rows: list[Night], helped: float) -> str:
    """The table as Markdown, the same on the screen and in docs/performance.md."""
    lines = [
        "| reading | MB | records | bare loop | ours | ours / bare |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {p.what} | {p.megabytes:.0f} | {p.records:,} | {p.records / p.bare:,.0f} /s"
        f" | {p.records / p.ours:,.0f} /s | {p.share:.2f} |"
        for p in paces
    ]
    lines += ["", "| night | messages | wall | CPU | peak memory |", "|---|---|---|---|---|"]
    lines += [
        f"| {n.what} | {n.messages:,} | {n.wall:.1f} s | {n.cpu:.1f} s | {n.peak:.0f} MB |"
        for n in rows
    ]
    return "\n".join([*lines, "", f"`dream --help`: {helped:.2f} s", ""])


def measure(messages: int, folder: Path) -> str:
    rows = []
    for size in (max(messages // 10, 1000), messages):
        rows += list(nights(folder / str(size), size))
    large = folder / str(messages) / "sources"
    paces = [
        jsonl_pace(large / "claude"),
        run2_pace(large / "run2" / "runs.sqlite", folder / "scratch"),
    ]
    return page(paces, rows, help_seconds())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000)
    parser.add_argument("--write", type=Path, help="put the table into this file, below its mark")
    parser.add_argument("--keep", action="store_true", help="leave the generated archive there")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="dream-bench-"))
    (folder / "scratch").mkdir()
    try:
        table = measure(options.messages, folder)
    finally:
        if options.keep:
            print(folder, file=sys.stderr)
        else:
            shutil.rmtree(folder)
    print(table)
    if options.write:
        head = options.write.read_text().split("<!-- bench -->")[0]
        options.write.write_text(f"{head}<!-- bench -->\n\n{table}")


if __name__ == "__main__":
    main()
