"""Makers of runs as an audit knows them."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from dream.audit.request import Request
from dream.audit.worked import Worked, WorkedRun

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def ran(
    name: str = "r",
    days: float = 0,
    *,
    session: str = "",
    tools: Mapping[str, int] | None = None,
    failed: Mapping[str, int] | None = None,
    state: str = "settled",
    path: int = 10,
    project: str = "/repo/shop",
    model: str = "model-x",
    task: Request | None = None,
    number: int = 1,
    hours: float = 0.5,
) -> Worked:
    """A run so many days after START, in a session of its own unless told."""
    started = START + timedelta(days=days)
    run = WorkedRun(
        run_id=name,
        session_id=session or f"s-{name}",
        name=None,
        number=number,
        state=state,
        started=started,
        ended=started + timedelta(hours=hours),
        session_started=started,
        agent="pi",
        agent_version="1.0",
        session_kind="interactive",
        continued=False,
        project_key=project,
        project_name=project.rsplit("/", 1)[-1],
        cwd=project,
        model=model,
        turns=path,
        tokens_in=None,
        tokens_out=None,
        path=path,
        calls=path,
        failed=sum((failed or {}).values()),
        asked=True,
        request="",
        length=100,
    )
    return Worked(run, task or Request("fix", "medium", 100, 0, True), tools or {}, failed or {})
