"""A large archive for timing: invented work, the shapes and sizes of real transcripts.

Sizes are those measured on public transcripts: a Claude Code line is about 1 KB in the median and
3.6 KB on average, because a tool's result stands in it twice and some are long; one line in six
tells of progress. A RUN2 message is about 1.1 KB on average and packs to a third. Half of the
messages go into Claude Code files, half into one RUN2 archive with a dictionary. The same seed
writes the same bytes.
"""

import random
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import zstandard

from dream.sample.run2 import SCHEMA

START = datetime(2026, 6, 1, 8, tzinfo=UTC)
ASKS = (
    "Add a filter for the {n} list.",
    "Why does {n} fail after the import?",
    "Rename the {n} column in the report.",
    "Show me how {n} is built.",
    "Write a test for {n}.",
    "Move {n} into its own module.",
    "Look at the log of {n} from last night.",
    "{n} is slow, find out why.",
    "把{n}的测试补上。",
    "看一下{n}的报错。",
    "No, {n} belongs in the service and not in the view.",
)
SAYINGS = (
    "Always run the tests before you commit.",
    "Never edit the generated files by hand.",
    "No, use the helper in money.py for amounts, not floats.",
    "Please answer in short sentences.",
    "提交前先运行格式检查。",
    "不要改自动生成的文件。",
)
"""What people say again and again: one turn in sixteen."""
ERRORS = (
    "Exit code 1\nModuleNotFoundError: No module named '{n}'",
    "Exit code 2\nmake: *** No rule to make target '{n}'.  Stop.",
    "<tool_use_error>String to replace not found in file.\nString: {n}</tool_use_error>",
)
WORDS = [f"{a}{b}" for a in ("ord", "inv", "cust", "ship", "tax", "user") for b in range(60)]
SOUNDS = ("ba", "cor", "di", "fen", "gul", "ha", "jin", "kel", "mo", "nar", "pi", "ros", "tu", "vi")


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange: a request, some tool calls with results, an answer."""

    session: int
    started: datetime
    ask: str
    steps: tuple[tuple[str, str, bool], ...]  # command, result, failed
    answer: str


def turns(messages: int, seed: int, long: float) -> Iterator[Turn]:
    """About `messages` messages, 2 + 2 x steps each turn, 12 turns a session: one in 24 is typed.

    long: the mean of the logarithm of a result's length in characters.
    """
    draw = random.Random(seed)  # noqa: S311 - invented text, not a secret
    words = ["".join(draw.choices(SOUNDS, k=draw.randint(1, 4))) for _ in range(6000)]
    written, number = 0, 0
    while written < messages:
        started = START + timedelta(minutes=11 * number)
        steps = tuple(_step(draw, words, long) for _ in range(draw.randint(2, 20)))
        ask = draw.choice(SAYINGS if draw.random() < 1 / 16 else ASKS)
        ask = ask.format(n=f"{draw.choice(WORDS)}_{draw.randint(1, 99)}")
        yield Turn(number // 12, started, ask, steps, _prose(draw, words, 400))
        written += 2 + 2 * len(steps)
        number += 1


def _step(draw: random.Random, words: list[str], long: float) -> tuple[str, str, bool]:
    name = draw.choice(WORDS)
    if draw.random() < 0.06:
        return f"make {name}", draw.choice(ERRORS).format(n=name), True
    return f"rg -n {name} src", _prose(draw, words, int(draw.lognormvariate(long, 1.4))), False


def _prose(draw: random.Random, words: list[str], length: int) -> str:
    """Lines of about 80 characters, as a search or a listing gives them."""
    name = draw.choice(WORDS)
    lines = range(min(length, 400_000) // 80 + 1)
    return "\n".join(f"src/{name}.py:{i}: {' '.join(draw.choices(words, k=9))}" for i in lines)


def claude(folder: Path, messages: int, seed: int, first: int = 0) -> None:
    """Claude Code files, one a session, below folder/projects."""
    out = None
    current = -1
    for number, turn in enumerate(turns(messages, seed, 7.6)):
        if turn.session != current:
            if out:
                out.close()
            current = turn.session
            name = f"{first + current:08d}-0000-4000-8000-{seed:012d}"
            path = folder / "projects" / "-home-dev-shop" / f"{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            out = path.open("wb")
        assert out is not None
        for record in _claude_records(turn, name, number):
            out.write(orjson.dumps(record) + b"\n")
    if out:
        out.close()


def _claude_records(turn: Turn, session: str, number: int) -> Iterator[dict[str, Any]]:
    parent: str | None = None
    place = 0

    def line(kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        nonlocal parent, place
        uuid = f"{number:08d}-{place:04d}-4000-8000-000000000000"
        happened = turn.started + timedelta(seconds=place)
        record = {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/dev/shop",
            "sessionId": session,
            "version": "2.1.20",
            "gitBranch": "main",
            "type": kind,
            "message": message,
            "uuid": uuid,
            "timestamp": happened.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **more,
        }
        parent, place = uuid, place + 1
        return record

    def reply(block: dict[str, Any]) -> dict[str, Any]:
        usage = {"input_tokens": 9, "output_tokens": 40, "cache_read_input_tokens": 900}
        message = {"id": f"m{number}-{place}", "role": "assistant", "model": "model-x"}
        return line("assistant", {**message, "content": [block], "usage": usage}, requestId="r")

    yield line("user", {"role": "user", "content": turn.ask})
    for at, (command, result, failed) in enumerate(turn.steps):
        call = f"t{number}-{at}"
        yield reply({"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command}})
        if at % 2:
            yield {
                **line("progress", {}),
                "data": {"type": "bash_progress", "output": result[:900]},
            }
        block = {"type": "tool_result", "tool_use_id": call, "content": result, "is_error": failed}
        yield line("user", {"role": "user", "content": [block]}, toolUseResult={"stdout": result})
    yield reply({"type": "text", "text": turn.answer})


def run2(path: Path, messages: int, seed: int) -> None:
    """One RUN2 archive, schema 2, payloads in zstd with a raw-content dictionary."""
    path.parent.mkdir(parents=True, exist_ok=True)
    con = sqlite3.connect(path)
    con.executescript(SCHEMA.replace("PRAGMA journal_mode = WAL;", ""))
    sample = b"".join(_payload(message) for message in _pi_messages(next(turns(50, seed, 6.5)), 0))
    words = zstandard.ZstdCompressionDict(sample[:16384], dict_type=zstandard.DICT_TYPE_RAWCONTENT)
    pack = zstandard.ZstdCompressor(dict_data=words, write_checksum=False).compress
    con.execute("INSERT INTO dicts VALUES (1, ?, ?, 1)", (sample[:16384], _iso(START)))
    seq, session = 0, -1
    for number, turn in enumerate(turns(messages, seed + 1, 6.5), start=1):
        if turn.session != session:
            session = turn.session
            _new_session(con, session + 1, turn.started, seed)
        ref = session + 1
        run = (number, _uuid(1, number, seed), ref, ref, number, "pi", "completed")
        ended = turn.started + timedelta(minutes=5)
        con.execute(
            "INSERT INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,NULL,NULL,NULL,?)",
            (*run, _iso(turn.started), _iso(ended), _iso(ended), turn.ask),
        )
        for message in _pi_messages(turn, number):
            seq += 1
            con.execute(
                "INSERT INTO messages VALUES (?,?,?,?,?,?,?,1)",
                (
                    _uuid(2, seq, seed),
                    ref,
                    number,
                    ref,
                    message["role"],
                    seq,
                    pack(_payload(message)),
                ),
            )
    con.commit()
    con.close()


def _new_session(con: sqlite3.Connection, ref: int, started: datetime, seed: int) -> None:
    con.execute(
        "INSERT INTO sessions VALUES (?,?,?,'/home/dev/shop',NULL,'pi',?,?)",
        (ref, _uuid(3, ref, seed), _uuid(4, ref, seed), _iso(started), _iso(started)),
    )
    con.execute(
        "INSERT INTO branches VALUES (?,?,?,NULL,NULL,'root',?)",
        (ref, _uuid(5, ref, seed), ref, _iso(started)),
    )


def _pi_messages(turn: Turn, number: int) -> Iterator[dict[str, Any]]:
    now = int(turn.started.timestamp() * 1000)
    yield {"role": "user", "content": [{"type": "text", "text": turn.ask}], "timestamp": now}
    usage = {"input": 9, "output": 40, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 49}
    model = {"role": "assistant", "api": "a", "provider": "p", "model": "m", "usage": usage}
    for at, (command, result, failed) in enumerate(turn.steps):
        call = f"c{number}-{at}"
        asked = {"type": "toolCall", "id": call, "name": "bash", "arguments": {"command": command}}
        now += 1000
        yield {**model, "content": [asked], "stopReason": "toolUse", "timestamp": now}
        now += 1000
        text = [{"type": "text", "text": result}]
        back = {"role": "toolResult", "toolCallId": call, "toolName": "bash", "content": text}
        yield {**back, "isError": failed, "timestamp": now}
    now += 1000
    said = [{"type": "text", "text": turn.answer}]
    yield {**model, "content": said, "stopReason": "stop", "timestamp": now}


def _payload(message: dict[str, Any]) -> bytes:
    return orjson.dumps(message)


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _uuid(kind: int, number: int, seed: int) -> str:
    return f"{kind:08d}-{seed % 10000:04d}-4000-8000-{number:012d}"
