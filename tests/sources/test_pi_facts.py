"""Every session file that pi wrote, against the facts that pi's and OM's own code computed."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from dream.records import Transcript
from dream.sources import jsonl, om, pi, pi_tree
from dream.sources.om_entries import KINDS, LEGACY_ENTRY, Ledger, Observation, Reflection
from dream.sources.pi_context import Step, context, tokens_after
from dream.sources.pi_curation import BEHIND, RANGES
from tests.conftest import SHARED

Facts = dict[str, Any]
pytestmark = [pytest.mark.shared, pytest.mark.usefixtures("shared")]


class File(NamedTuple):
    """One session file: what the reader makes of it, its tree, and its entries as they stand."""

    transcript: Transcript
    ids: Sequence[str]
    values: Sequence[Mapping[str, Any]]  # in file order, without the header
    steps: Mapping[str, Step]
    tree: pi_tree.Tree
    ledger: Ledger

    def branch(self, place: int) -> list[str]:
        return [self.ids[step] for step in pi_tree.path(self.tree, place)]

    @property
    def tip(self) -> list[str]:
        return self.branch(self.tree.tip)


def _expected() -> list[Facts]:
    path = SHARED / "archives" / "expected" / "pi-sessions.json"
    return list(json.loads(path.read_bytes())["sessions"]) if path.is_file() else []


SESSIONS = _expected()


@cache
def _file(name: str) -> File:
    path = SHARED / "archives" / name
    (transcript,) = pi.read(path, {}, path.parent)
    _, entries, _ = pi.gather(path)
    values = [line.value for line in jsonl.lines(path, [])][1:]
    reading = entries.reading
    kept = {
        row.compaction_id.rpartition("/")[2]: (row.kept_from or "").rpartition("/")[2]
        for row in transcript.compactions
    }
    steps = {
        name: Step(name, value, kept.get(name))
        for name, value in zip(reading.nodes, values, strict=True)
    }
    return File(transcript, list(reading.nodes), values, steps, reading.tree(), entries.ledger)


every_session = pytest.mark.parametrize(
    "facts", SESSIONS, ids=["+".join(facts["scenario"]) or "untold" for facts in SESSIONS]
)


def test_all_sessions_of_the_archive_are_looked_at(shared: Path) -> None:
    files = set((shared / "archives").glob("*/*/*.jsonl")) | set(
        (shared / "archives" / "imitation").glob("*.jsonl")
    )
    assert len(SESSIONS) == 44
    assert {shared / "archives" / facts["file"] for facts in SESSIONS} == files


@every_session
def test_a_session_has_the_header_title_and_number_of_records_that_pi_finds(facts: Facts) -> None:
    file = _file(facts["file"])
    (session,) = file.transcript.sessions
    header = facts["header"]
    assert session.session_id == f"pi:{header['id']}"
    assert session.cwd == header["cwd"]
    assert session.started is not None
    assert (
        session.started.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        == (header["timestamp"])
    )
    assert session.title == facts["sessionName"]
    assert (session.parent_id is None) == ("parentSession" not in header)
    assert file.transcript.records == facts["lines"] == facts["entryCount"] + 1
    assert _told(file.transcript) == _old_memory(facts)


def _told(transcript: Transcript) -> int:
    """Of these files nothing is lost; what is told is old memory and the changes of settings."""
    assert not any(skip.lost for skip in transcript.skips)
    told = {skip.reason: skip for skip in transcript.skips if skip.reason != "housekeeping"}
    assert set(told) <= {"legacy_memory", "result_without_call"}
    return told["legacy_memory"].count if "legacy_memory" in told else 0


def _old_memory(facts: Facts) -> int:
    details = [one for one in facts["compactions"] if one["detailsType"] == "observational-memory"]
    return len((facts["om"] or {"legacyV2EntryIds": []})["legacyV2EntryIds"]) + len(details)


@every_session
def test_entries_are_counted_by_type_as_pi_counts_them(facts: Facts) -> None:
    file = _file(facts["file"])
    values = file.values
    assert len(values) == facts["entryCount"]
    assert Counter(value["type"] for value in values) == facts["countsByType"]
    customs = Counter(value["customType"] for value in values if value["type"] == "custom")
    assert customs == facts["customTypes"]
    transcript = file.transcript
    quiet = {skip.detail: skip.count for skip in transcript.skips if skip.reason == "housekeeping"}
    types = facts["countsByType"]
    shrunk = [row for row in transcript.compactions if row.trigger in ("range", "blocks")]
    for name in ("model_change", "thinking_level_change", "context_edit"):
        assert quiet.get(name, 0) == types.get(name, 0)
    for name, count in customs.items():
        if name in (RANGES, BEHIND):
            ids = [row.compaction_id.rpartition("/")[2] for row in shrunk]
            short = sum(file.steps[one].value.get("customType") == name for one in ids)
            assert quiet.get(f"custom {name}", 0) + short == count
        elif name not in KINDS and name != LEGACY_ENTRY:
            assert quiet[f"custom {name}"] == count
    summaries = types.get("branch_summary", 0) + types.get("compaction", 0)
    kinds = Counter(message.kind for message in transcript.messages)
    assert kinds["summary"] == summaries
    assert kinds["meta"] == sum(facts["customMessageTypes"].values())
    assert len(transcript.messages) == types["message"] + summaries + kinds["meta"]
    assert len(transcript.compactions) - len(shrunk) == types.get("compaction", 0)


@every_session
def test_messages_have_the_roles_stops_and_models_that_pi_finds(facts: Facts) -> None:
    messages = _file(facts["file"]).transcript.messages
    roles = facts["messageRoles"]
    stops: Counter[str] = Counter(facts["stopReasons"])
    kinds = Counter(message.kind for message in messages)
    told = [message for message in messages if message.stop is not None]
    assert kinds["prompt"] == roles["user"]
    assert kinds["result"] == roles.get("toolResult", 0)
    assert kinds["shell"] == roles.get("bashExecution", 0)
    assert kinds["system"] == roles.get("system", 0)
    assert len(told) == roles["assistant"]
    assert Counter(message.stop for message in told) == stops
    assert Counter(message.model for message in told) == Counter(
        {name.partition("/")[2]: count for name, count in facts["models"].items()}
    )
    assert kinds["api_error"] <= stops["error"]
    assert kinds["interrupt"] <= stops["aborted"] + stops["error"]  # "Request was aborted"


@every_session
def test_tool_calls_have_the_outcomes_that_pi_stored(facts: Facts) -> None:
    transcript = _file(facts["file"]).transcript
    calls = transcript.calls
    assert Counter(call.tool for call in calls) == facts["toolCalls"]
    failed = [call for call in calls if call.result_id and call.status != "ok"]
    assert len(failed) == facts["toolResultErrors"]
    assert {call.status for call in failed} <= {"error", "interrupted", "refused"}
    open_calls = [call for call in calls if call.result_id is None]
    assert [call.call_id.rpartition("/")[2] for call in open_calls] == (
        facts["toolCallsWithoutResult"]
    )
    assert {call.status for call in open_calls} <= {"unanswered", "interrupted"}
    results = [message for message in transcript.messages if message.kind == "result"]
    assert len(calls) - len(open_calls) == len(results)


@every_session
def test_the_tree_has_the_tip_branches_and_leaves_that_pi_finds(facts: Facts) -> None:
    file = _file(facts["file"])
    tree, named = file.tree, _named(file.ids)
    assert named(pi_tree.roots(tree)) == facts["rootIds"]
    assert named(pi_tree.branch_points(tree)) == sorted(
        facts["branchPointIds"], key=named(range(len(file.ids))).index
    )
    assert sorted(named(pi_tree.leaves(tree))) == sorted(facts["leafIds"])
    assert named([tree.tip]) == [facts["leafId"]]
    path = pi_tree.path(tree, tree.tip)
    assert named(path) == facts["branch"]["entryIds"]
    assert len(path) == facts["branch"]["length"]
    marks = pi_tree.on_branch(tree)
    assert marks.count(0) == facts["offBranchEntryCount"]

    rows = file.transcript.branches
    (active,) = [row for row in rows if row.active]
    assert len(rows) == len(facts["leafIds"])
    assert active.length == facts["branch"]["length"]
    on_path = {f"{active.session_id}/{file.ids[place]}" for place in path}
    for message in file.transcript.messages:
        assert message.active == (message.message_id in on_path)
    for summary in facts["branchSummaries"]:
        if summary["fromId"] in file.tip:
            continue  # the tip that it names is where the new path begins
        (row,) = [one for one in rows if one.branch_id.endswith(f"/{summary['fromId']}")]
        assert (row.active, row.reason in ("summary", "checkout", "squash")) == (False, True)
        assert (row.summary or "").startswith(summary["summaryHead"])
        if summary["parentId"] in file.tip:
            assert row.fork_point == f"{active.session_id}/{summary['parentId']}"


def _named(ids: Sequence[str]) -> Any:
    """Names by place as `expected` writes them: version 1 has lines for ids."""

    def name(places: Iterable[int]) -> list[str]:
        texts = (ids[place] for place in places)
        return [f"line:{text[1:]}" if text.startswith("L") else text for text in texts]

    return name


@every_session
def test_labels_hang_where_pi_hangs_them(facts: Facts) -> None:
    labels = _file(facts["file"]).transcript.labels
    assert {label.target.rpartition("/")[2]: label.text for label in labels} == facts["labels"]


@every_session
def test_compactions_keep_what_pi_says_they_kept(facts: Facts) -> None:
    file = _file(facts["file"])
    rows = [row for row in file.transcript.compactions if row.trigger not in ("range", "blocks")]
    for row, told in zip(rows, facts["compactions"], strict=True):
        short = row.compaction_id.rpartition("/")[2]
        kept = (row.kept_from or "").rpartition("/")[2]
        if facts["fileVersion"] == 1:
            short, kept = (f"line:{name[1:]}" for name in (short, kept))
        assert (short, kept) == (told["id"], told["firstKeptEntryId"])
        assert row.tokens_before == told["tokensBefore"]
        assert (row.trigger == "extension") == (told["fromHook"] is True)
        assert row.active == told["onTipBranch"]
        (summary,) = [
            one for one in file.transcript.messages if one.message_id == row.compaction_id
        ]
        assert (summary.role, summary.kind, summary.number) == ("injected", "summary", row.number)
        fold = file.ledger.folded.get(short)
        assert (fold is not None) == (told["detailsType"] == "om.folded")
        if fold is not None:
            assert fold.full == told["fullFold"]
            assert [seen.id for seen in fold.observations] == told["observations"]
            assert [thought.id for thought in fold.reflections] == told["reflections"]


@every_session
def test_the_context_is_the_one_that_pi_builds(facts: Facts) -> None:
    file = _file(facts["file"])
    built, told = context([file.steps[name] for name in file.tip]), facts["context"]
    assert len(built.roles) == told["messageCount"]
    assert Counter(built.roles) == told["roles"]
    assert built.thinking_level == told["thinkingLevel"]
    assert built.model == (told["model"]["provider"], told["model"]["modelId"])


@every_session
def test_the_samples_stand_where_pi_found_them(facts: Facts) -> None:
    messages = _file(facts["file"]).transcript.messages
    prompts = [message for message in messages if message.kind == "prompt" and message.active]
    samples = facts["samples"]
    for message, sample in ((prompts[0], samples["firstUser"]), (prompts[-1], samples["lastUser"])):
        assert message.role == "human"
        assert message.message_id.endswith(sample["id"].replace("line:", "/L"))
        assert message.text.startswith(sample["text"])
    replies = [message for message in messages if message.stop and message.active]
    last = samples["lastAssistant"]
    assert replies[-1].message_id.endswith(last["id"].replace("line:", "/L"))
    assert replies[-1].stop == last["stopReason"]
    if replies[-1].kind == "reply":
        assert replies[-1].text.startswith(last["text"])


with_memory = pytest.mark.parametrize(
    "facts",
    [facts for facts in SESSIONS if facts["om"]],
    ids=["+".join(facts["scenario"]) or "untold" for facts in SESSIONS if facts["om"]],
)


def _ids(records: Iterable[Observation | Reflection]) -> list[str]:
    return [record.id for record in records]


@with_memory
def test_the_ledger_folds_to_what_om_folds_it_to(facts: Facts) -> None:
    file = _file(facts["file"])
    told, branch, ledger = facts["om"]["tip"], file.tip, file.ledger
    fold = om.fold(branch, ledger)
    assert list(fold.observations) == told["recordedObservationIds"]
    assert _ids(fold.active) == told["activeObservationIds"]
    assert list(fold.dropped) == told["droppedObservationIds"]
    assert list(fold.reflections) == told["reflectionIds"]
    full, seen = om.full_projection(branch, ledger), om.visible_projection(branch, ledger)
    for mine, theirs in ((full, told["fullProjection"]), (seen, told["visibleProjection"])):
        assert _ids(mine.observations) == theirs["observationIds"]
        assert _ids(mine.reflections) == theirs["reflectionIds"]
    assert om.full_fold_boundary(branch, ledger) == told["latestFullFoldBoundaryId"]


@with_memory
def test_watermarks_and_what_lies_behind_them_are_those_of_om(facts: Facts) -> None:
    file = _file(facts["file"])
    told, branch, ledger = facts["om"]["tip"], file.tip, file.ledger
    seen = om.watermark(branch, ledger, "observation")
    thought = om.watermark(branch, ledger, "reflection")
    assert seen == told["coverage"]["observationsUpToId"]
    assert thought == told["coverage"]["reflectionsUpToId"]
    assert om.watermark(branch, ledger, "drop") == told["coverage"]["dropsUpToId"]
    steps = [file.steps[name] for name in branch]
    places = {name: place for place, name in enumerate(branch)}
    raw = told["rawTokensSince"]
    assert tokens_after(steps, places.get(seen or "", -1)) == raw["observation"]
    assert tokens_after(steps, places.get(thought or "", -1)) == raw["reflection"]
    kept = [step.first_kept for step in steps if step.type == "compaction"]
    start = places.get(kept[-1] or "", 0) if kept else 0
    assert tokens_after(steps, start - 1) == raw["compaction"]


@with_memory
def test_recall_finds_what_om_recalls(facts: Facts) -> None:
    file = _file(facts["file"])
    types = {name: str(step.type) for name, step in file.steps.items()}
    for told in facts["om"]["tip"]["recall"]:
        found = om.recall(file.tip, file.ledger, types, told["id"])
        assert ("found" if found.kind else "not_found") == told["status"]
        assert found.kind == told["kind"]
        assert found.collision == told["collision"]
        assert found.partial == told["partial"]
        assert list(found.missing_supports) == told["missingSupportingObservationIds"]
        assert [
            {
                "id": seen.observation.id,
                "status": seen.status,
                "observationEntryId": seen.entry_id,
                "sourceEntryIds": list(seen.sources),
                "missing": list(seen.missing),
                "nonSource": list(seen.not_sources),
            }
            for seen in found.observations
        ] == told["observations"]
        assert [
            {"id": thought.id, "reflectionEntryId": entry} for entry, thought in found.reflections
        ] == told["reflections"]


@with_memory
def test_every_other_leaf_has_the_memory_that_om_gives_it(facts: Facts) -> None:
    file = _file(facts["file"])
    others = facts["om"]["otherLeaves"]
    assert len(others) == len(facts["leafIds"]) - 1
    for told in others:
        branch = file.branch(file.ids.index(told["leafId"]))
        fold = om.fold(branch, file.ledger)
        assert len(branch) == told["branchLength"]
        assert _ids(fold.active) == told["activeObservationIds"]
        assert list(fold.dropped) == told["droppedObservationIds"]
        assert list(fold.reflections) == told["reflectionIds"]


@with_memory
def test_memory_rows_tell_the_same_as_the_fold(facts: Facts) -> None:
    file = _file(facts["file"])
    told, rows = facts["om"]["tip"], file.transcript.memories
    noted = {row.memory_id.rpartition("/")[2] for row in rows}
    counts = Counter(file.steps[name].value["customType"] for name in noted)
    old = len(facts["om"]["legacyV2EntryIds"])
    assert counts + Counter({LEGACY_ENTRY: old}) == Counter(facts["om"]["entryCounts"])
    status = {
        name: [row.ledger_id for row in rows if row.kind == "observation" and row.status == name]
        for name in ("active", "dropped", "shadowed", "off_branch")
    }
    assert status["active"] == told["activeObservationIds"]
    assert sorted({*status["active"], *status["dropped"]}) == sorted(told["recordedObservationIds"])
    assert set(status["shadowed"]) <= set(told["recordedObservationIds"])
    thoughts = [row for row in rows if row.kind == "reflection" and row.status == "active"]
    assert [row.ledger_id for row in thoughts] == told["reflectionIds"]
    drops = [row for row in rows if row.kind == "drop" and row.status == "active"]
    assert [row.ledger_id for row in drops] == told["droppedObservationIds"]
    seen = {row.ledger_id for row in rows if row.kind == "observation" and row.visible}
    assert seen == set(told["visibleProjection"]["observationIds"])
    seen = {row.ledger_id for row in rows if row.kind == "reflection" and row.visible}
    assert seen == set(told["visibleProjection"]["reflectionIds"])
    known = {message.message_id for message in file.transcript.messages}
    for row in rows:
        assert set(row.sources) <= known
        assert (row.kind == "observation") == bool(row.sources)
        assert (row.kind == "reflection") == bool(row.supports)


@every_session
def test_every_fold_shows_what_its_rules_give(facts: Facts) -> None:
    """The rules of a fold, told from the ledger before it, against what the fold wrote down."""
    file = _file(facts["file"])
    for name, fold in file.ledger.folded.items():
        before = file.branch(file.ids.index(name))[:-1]
        assert fold.first_kept is not None
        shown = om.at_fold(before, file.ledger, fold.first_kept, fold.full)
        assert _ids(shown.observations) == _ids(fold.observations)
        assert _ids(shown.reflections) == _ids(fold.reflections)
