"""A night with something of everything, over a small archive in memory."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from dream.config import Gates
from dream.records import Run, Session
from dream.report.build import build
from dream.report.night import AgentLine, BacktestLine, NightReport, Stage, WayLine
from dream.review.propose import propose
from dream.types import NearMiss, Proposed, Waiting
from tests.review.nouns import NIGHT, candidate, heard
from tests.review.tables import WHEN, Tables

STAGES = (
    Stage("clusters", 12, "judgements", 7, "clusters"),
    Stage("candidates", 7, "clusters", 2, "candidates"),
    Stage("review", 2, "candidates", 2, "proposals"),
)
MISSES = (
    NearMiss(
        "c-00000000000a", "Answer in Chinese 请用中文回答", "preference", "rule_sessions", 3, 1
    ),
    NearMiss("c-00000000000b", "كل شيء يُراجع قبل النشر", "preference", "rule_days", 3, 2),
    NearMiss(
        "c-00000000000c", "Use `pnpm`.", "correction", "already_said", 0.75, 0.9, "AGENTS.md:4"
    ),
)

BACKTEST = BacktestLine(
    "2026-03-01",
    "2026-05-03",
    64,
    (
        WayLine("dream", 7, 8, 0.529, 0.978),
        WayLine("exact text", 3, 7, 0.158, 0.75),
        WayLine("most frequent", 5, 8, 0.306, 0.863),
        WayLine("most sessions", 0, 0, None, None),
    ),
    9,
    21,
)


def filled(title: str = "Use pnpm, never npm") -> Tables:
    tables = Tables()
    night = NIGHT.isoformat()
    for file, reader, count in (("/home/me/a.jsonl", "claude-code", 100), ("/b.jsonl", "pi", 30)):
        tables.add(
            "files",
            source_file=file,
            reader=reader,
            first_night=night,
            last_night=night,
            gone=False,
            records=count * 2,
            messages=count,
        )
        passed(tables, file, reader, "read", count=count * 2)
    passed(tables, "/home/me/a.jsonl", "claude-code", "skipped", "not_json", 17, "33 bytes")
    passed(tables, "/home/me/a.jsonl", "claude-code", "noticed", "unknown_type", 9, title, 4)
    passed(tables, "/old.sqlite", "run2", "refused", "damaged", 0, "damaged; page 7 is malformed")
    for kind, mark in (("private-key", "a"), ("github-token", "b"), ("github-token", "c")) * 2:
        tables.add(
            "removals", session_id="pi:0", line=1, kind=kind, mark=mark, source_file="/b.jsonl"
        )
    for n in range(3):
        started = WHEN + timedelta(days=n)
        session = Session(f"pi:{n}", "pi", title=title, started=started, ended=started)
        tables.add("sessions", session, project_key="/repo/shop", project_name="shop")
        tables.add("runs", Run(f"pi:{n}:1", f"pi:{n}", 1, started=started))
    return tables


def passed(
    tables: Tables,
    file: str,
    reader: str,
    status: str,
    reason: str = "",
    line: int = 0,
    detail: str = "",
    count: int = 1,
) -> None:
    tables.add(
        "coverage",
        source_file=file,
        reader=reader,
        night=NIGHT.isoformat(),
        status=status,
        reason=reason,
        line=line,
        detail=detail,
        lost=status not in ("read", "noticed"),
        count=count,
    )


def report(title: str = "Use pnpm, never npm", misses: Sequence[NearMiss] = MISSES) -> NightReport:
    """Two proposals, one waiting, one adopted; a damaged source, lost lines, removed secrets."""
    tables = filled(title)
    said = heard(tables, f"{title} please")
    against = heard(tables, "For the docs npm is fine.", count=1, first=9)
    asked = [
        candidate(tuple(said), against=tuple(against), title=title),
        candidate(tuple(said), kind="check", payload={"detector": "call"}, flags=(title,)),
    ]
    made = propose(
        asked, said | against, tables, {}, night=NIGHT, earlier={}, gates=Gates(), git=None
    )
    since = date(2026, 4, 9)
    waiting = (
        Waiting("rule-0000000a", "总是先运行测试", since, "2026-04-09/rule-0000000a-test"),
        Waiting("rule-0000000b", title, since, "2026-04-09/rule-0000000b-x", "landed"),
    )
    made_of = build(
        tables,
        night=NIGHT,
        stages=STAGES,
        kinds={"correction": 8, "tool_error": 4},
        proposed=replace(made, waiting=waiting, troubles=("shop: x/SKILL.md:3:34: a colon",)),
        misses=misses,
        kept=("rule-00000099-older",),
    )
    other = AgentLine("codex", 2, 1, 3, 40, 12, 4, 1)
    return replace(made_of, agents=(*made_of.agents, other), backtest=BACKTEST)


def empty() -> NightReport:
    """A night with nothing to read."""
    return build(Tables(), night=NIGHT, stages=(), kinds={}, proposed=Proposed(), misses=())
