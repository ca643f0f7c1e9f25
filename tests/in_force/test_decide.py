"""The decision alone: over histories of chance, and where evidence speaks against evidence."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as some

from dream.history import Checkout, Commit, HeadMove, RuleChange, Standing
from dream.in_force.decide import in_force
from dream.in_force.facts import History, Link, Place, holder

STORE, ROOT = "/shop/.git", "/shop"
START = datetime(2026, 5, 4, 8, tzinfo=UTC)


def at(minutes: int) -> datetime:
    return START + timedelta(minutes=minutes)


def place(minutes: int | None = 0, branch: str | None = "main", cwd: str = ROOT) -> Place:
    started = None if minutes is None else at(minutes)
    return Place("run", "session", started, started, cwd, branch, ROOT, "shop", ROOT)


def history(times: list[int], **rest: object) -> History:
    """A line of commits at these minutes, each of which rewrites one rule file."""
    made = History(checkouts=(Checkout(STORE, ROOT, True, "main"),))
    before = ""
    for number, minutes in enumerate(times):
        name = f"c{number}"
        made.commits[(STORE, name)] = Commit(
            name, STORE, at(minutes), at(minutes), name, (), name, before
        )
        change = RuleChange(name, STORE, "CLAUDE.md", "changed", f"text of {name}")
        made.changes[(STORE, name)] = [change]
        row = Standing(STORE, "main", number, name, at(minutes))
        made.standings.setdefault((STORE, "main"), []).append(row)
        before = name
    return replace(made, **rest)  # type: ignore[arg-type]  # what a test is about


def link(commit: str, made: int, authored: int | None = None, kept: int | None = None) -> Link:
    wrote = made if authored is None else authored
    return Link(
        "session", "point", at(wrote if kept is None else kept), commit, at(wrote), at(made), STORE
    )


MINUTES = some.lists(some.integers(-500, 500), max_size=12, unique=True).map(sorted)


@given(MINUTES, some.integers(-600, 600), some.sampled_from(["main", "gone", None]))
def test_nothing_is_in_force_before_it_was_committed(
    times: list[int], minutes: int, branch: str | None
) -> None:
    found = in_force(place(minutes, branch), history(times))
    earlier = [number for number, moment in enumerate(times) if moment <= minutes]
    assert [one.blob_id for one in found.held] == [f"text of c{n}" for n in earlier[-1:]]
    assert found.basis == "time"


@given(MINUTES, some.integers(-600, 600), some.data())
def test_a_sessions_own_commit_and_all_after_its_begin_are_not_in_force(
    times: list[int], minutes: int, data: some.DataObject
) -> None:
    later = [number for number, moment in enumerate(times) if moment > minutes]
    if not later:
        return
    own = data.draw(some.sampled_from(later))
    known = history(times, links={"session": [link(f"c{own}", times[own])]})
    found = in_force(place(minutes), known)
    assert (found.basis, found.how, found.commit_id) == ("commit", "commit_of_session", f"c{own}")
    earlier = [number for number, moment in enumerate(times) if moment <= minutes]
    assert found.anchor == (f"c{earlier[-1]}" if earlier else "")


def test_a_commit_is_believed_before_a_log_and_a_log_before_the_time() -> None:
    moves = {ROOT: [HeadMove(STORE, ROOT, at(-5), "x", "main", "c0")]}
    known = history([-60, -30, 10], moves=moves)
    assert in_force(place(), known).how == "log_of_checkout"
    assert in_force(place(), known).anchor == "c0"
    linked = replace(known, links={"session": [link("c2", 10)]})
    assert in_force(place(), linked).how == "commit_of_session"
    assert in_force(place(), history([-60, -30, 10])).how == "branch"


def test_a_commit_made_anew_is_believed_last() -> None:
    rewritten = {"session": [link("c2", made=300, authored=10)]}
    known = history([-60, -30, 300], links=rewritten)
    assert in_force(place(branch="main"), known).how == "branch"
    found = in_force(place(branch="gone"), known)
    assert (found.basis, found.how, found.anchor) == ("time", "rewritten", "c1")


def test_a_commit_long_after_its_checkpoint_is_another_one() -> None:
    known = history([-60, 300], links={"session": [link("c1", made=300, kept=10)]})
    assert in_force(place(branch="gone"), known).how == "rewritten"


def test_a_run_belongs_to_the_next_checkpoint_of_its_session() -> None:
    links = [
        replace(link("c1", 10), checkpoint_id="first"),
        replace(link("c2", 20), checkpoint_id="second"),
    ]
    known = history([0, 10, 20], links={"session": links})
    assert in_force(place(5), known).commit_id == "c1"
    assert in_force(place(15), known).commit_id == "c2"
    assert in_force(place(25), known).how == "branch"


def test_a_log_of_a_commit_that_is_gone_tells_nothing() -> None:
    moves = {ROOT: [HeadMove(STORE, ROOT, at(-5), "x", "main", None)]}
    assert in_force(place(), history([-60], moves=moves)).how == "branch"


def test_a_worktree_that_is_gone_does_not_have_what_the_checkout_around_it_had() -> None:
    known = history([-60], moves={ROOT: [HeadMove(STORE, ROOT, at(-5), "x", "main", "c0")]})
    inside = f"{ROOT}/.claude/worktrees/fix"
    assert in_force(place(branch=None, cwd=inside), known).how == "branch_untold"
    assert in_force(place(branch="fix", cwd=inside), known).how == "branch_unknown"
    assert in_force(place(branch=None, cwd=f"{ROOT}/api"), known).how == "log_of_checkout"


def test_a_run_without_any_time_is_not_guessed_at() -> None:
    assert in_force(place(None), history([-60])).basis == "unknown"
    assert in_force(place(None), history([-60])).how == "no_time"


def test_the_deepest_folder_holds() -> None:
    assert holder(["/shop", "/shop/api", "/sh"], "/shop/api/v1") == "/shop/api"
    assert holder(["/shop", ""], "/shopping") == ""
    assert holder(["/shop"], "/shop") == "/shop"
