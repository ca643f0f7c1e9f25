"""What is known of every run for an audit, before any rule is looked at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from dream.audit.request import Request, request
from dream.types import Rows


@dataclass(frozen=True, slots=True)
class WorkedRun:
    """A row of runs.sql: one request and the work on it."""

    run_id: str
    session_id: str
    name: str | None
    number: int
    state: str  # settled, running, interrupted, stopped
    started: datetime | None  # UTC
    ended: datetime | None
    session_started: datetime | None
    agent: str
    agent_version: str | None
    session_kind: str
    continued: bool  # its session was forked, cloned or goes on from another
    project_key: str
    project_name: str
    cwd: str
    model: str | None  # of its first reply
    turns: int  # replies on the branch that was kept
    tokens_in: int | None  # None: not told
    tokens_out: int | None
    path: int  # calls that ran on the branch that was kept
    calls: int  # all calls
    failed: int
    asked: bool  # a person's own words began it
    request: str  # their beginning; "" when there are none
    length: int  # characters of them all


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A row of tool_use.sql."""

    run_id: str
    tool: str  # in lower case
    calls: int
    failed: int


@dataclass(frozen=True, slots=True)
class Worked:
    """A run, what it was asked and what it called."""

    run: WorkedRun  # its request's words are not kept
    request: Request
    tools: Mapping[str, int]  # calls that ran, by tool
    failed: Mapping[str, int]  # of these, those that failed; tools without any are left out

    @property
    def aborted(self) -> bool:
        """It did not settle by itself, so that its path was cut off."""
        return self.run.state in {"interrupted", "stopped"}

    @property
    def began(self) -> datetime | None:
        """When its session began: that is when an agent is told its rules."""
        known = [each for each in (self.run.session_started, self.run.started) if each]
        return min(known, default=None)

    @property
    def day(self) -> str:
        """The UTC day it began on, as ISO text; "" when nothing tells."""
        return self.run.started.date().isoformat() if self.run.started else ""


def worked(rows: Rows, since: datetime) -> Iterator[Worked]:
    """Every run that began since a moment, or nobody knows when, by id.

    Two queries run side by side in the same order, so that nothing but the run at hand is held.
    """
    uses = rows.rows("audit/tool_use", ToolUse)
    use = next(uses, None)
    for run in rows.rows("audit/runs", WorkedRun, since=since):
        tools: dict[str, int] = {}
        failed: dict[str, int] = {}
        while use is not None and use.run_id <= run.run_id:
            if use.run_id == run.run_id:
                tools[use.tool] = use.calls
                failed |= {use.tool: use.failed} if use.failed else {}
            use = next(uses, None)
        fresh = run.number <= 1 and not run.continued
        told = request(run.request, length=run.length, fresh=fresh)
        yield Worked(replace(run, request=""), told, tools, failed)
