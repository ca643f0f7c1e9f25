"""A skill from a path of steps that comes back in runs that ended well."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dream.candidates.advice import advice, cause
from dream.candidates.case import Case, days, named, slug, telling, title, worth
from dream.candidates.facts import Facts
from dream.candidates.standing import Standing, adopted, said_already
from dream.candidates.steps import good_steps, step_texts
from dream.config import Gates
from dream.types import Candidate, NearMiss

PROGRAMS = 2
"""Different programs that a path must run: a row of edits is work and no way of working."""
PITFALL_SESSIONS = 2
"""Sessions of the path in which an error must have come to be a pitfall of it."""
PITFALLS = 5
WEIGHT = 0.75
"""A path shows what was done; only a person's words show what is wanted."""
_NOT_THERE = frozenset(["wrapper_unknown_command", "command_not_available"])
_CALLED = {"Cut": "cut a release", "Check": "check a change", "Hand": "hand a change over"}
"""What an agent calls a skill by, by the first word of its purpose: one of each in a project."""
_HANDS_OVER = {
    "git commit": "commit",
    "git tag": "tag",
    "git push": "push",
    "gh pr": "open a pull request",
    "gh pr create": "open a pull request",
}


@dataclass(frozen=True, slots=True)
class Trouble:
    """The errors of all projects. by_run: the cases that came in a run.

    dead: for each project the steps that run what is not there; whoever follows them only meets
    the error again.
    """

    by_run: Mapping[str, Sequence[Case]]
    dead: Mapping[str, frozenset[str]]


def trouble(found: Sequence[Case]) -> Trouble:
    """From all cases."""
    by_run: dict[str, list[Case]] = defaultdict(list)
    dead: dict[str, set[str]] = defaultdict(set)
    for case in found:
        if case.cluster.kind != "tool_error" or not case.members:
            continue
        for run in sorted({member.run_id for member in case.members}):
            by_run[run].append(case)
        if cause(case.members[0]) in _NOT_THERE and case.sessions >= PITFALL_SESSIONS:
            dead[case.project] |= {f"run {m.detail.get('program')}" for m in case.members}
    return Trouble(by_run, {project: frozenset(steps) for project, steps in dead.items()})


def skill(
    case: Case,
    gates: Gates,
    rules: Standing,
    trouble: Trouble,
    facts: Facts,
) -> Candidate | NearMiss:
    """The skill that a path's evidence founds, or the gate that it failed."""
    good = _good(case, trouble)
    steps = [step for _, step in good]
    programs = programs_of(case, trouble)
    if missed := _missed(case, gates, steps, programs):
        return missed
    texts = step_texts(case.members, good)
    purpose = _purpose(programs)
    pitfalls = _pitfalls(case, trouble, facts)
    name = named("skill", case.cluster.id)
    taken = adopted(name, purpose, rules, gates, case.project)
    if not taken and (said := said_already(case, purpose, rules, gates)):
        return said
    return Candidate(
        id=name,
        kind="skill",
        slug=slug(_CALLED[purpose.split()[0]]),
        title=title(purpose),
        body=purpose,
        applies=_when(steps, programs),
        counter_example="",
        valid_from=next(iter(days(case.members)), None),
        valid_until=None,
        scope=case.cluster.scope,
        clusters=(case.cluster.id,),
        evidence=telling(case.members),
        against=(),
        sessions=case.sessions,
        days=case.days,
        score=worth(case.score * WEIGHT, case.sessions, case.days),
        payload={"steps": list(texts), "pitfalls": pitfalls, "verify": _verify(steps, texts)},
        flags=() if case.project else ("scope unknown: choose the repository it belongs to",),
    )


def _missed(
    case: Case, gates: Gates, steps: Sequence[str], programs: Sequence[str]
) -> NearMiss | None:
    few = "it runs too few programs: a row of edits is work, and no way of working"
    for gate, needed, got, note in (
        ("skill_sessions", gates.skill_sessions, case.sessions, ""),
        ("skill_steps", gates.skill_steps, len(steps), ""),
        ("score", gates.score, round(case.score, 3), ""),
        ("not_general", PROGRAMS, len(programs), few),
    ):
        if got < needed:
            return case.missed(gate, needed, got, note)
    return None


def programs_of(case: Case, trouble: Trouble) -> tuple[str, ...]:
    """The programs that the good steps of a path run, each once, in order."""
    steps = (step for _, step in _good(case, trouble))
    return tuple(dict.fromkeys(s.removeprefix("run ") for s in steps if s.startswith("run ")))


def _good(case: Case, trouble: Trouble) -> list[tuple[int, str]]:
    dead = trouble.dead.get(case.project, frozenset())
    return [(place, step) for place, step in good_steps(case.members) if step not in dead]


def _pitfalls(case: Case, trouble: Trouble, facts: Facts) -> list[str]:
    """Our words on the errors that came in the runs of the path, the most frequent first."""
    runs = {member.run_id: member.session_id for member in case.members}
    seen: dict[str, set[str]] = {}
    for run, session in sorted(runs.items()):
        for error in trouble.by_run.get(run, ()):
            if error.project == case.project and (told := advice(error.members, facts.after)):
                seen.setdefault(told.rule, set()).add(session)
    often = [rule for rule, sessions in seen.items() if len(sessions) >= PITFALL_SESSIONS]
    return sorted(often, key=lambda rule: (-len(seen[rule]), rule))[:PITFALLS]


def _verify(steps: Sequence[str], texts: Sequence[str]) -> list[str]:
    """How to see that it worked: the last program of the path ends without an error."""
    last = max(place for place, step in enumerate(steps) if step.startswith("run "))
    return [f"{texts[last].removeprefix('Run ').removesuffix('.')} ends without an error."]


def _purpose(programs: Sequence[str]) -> str:
    """What the path is for, in one line that an agent finds when it looks for it."""
    ends = [what for program, what in _HANDS_OVER.items() if program in programs]
    checks = [f"`{program}`" for program in programs if program.split()[0] not in {"git", "gh"}]
    if "git tag" in programs:
        before = f"check it with {_listed(checks)}, then " if checks else ""
        return f"Cut a release: {before}{_listed(ends)}."
    if ends and checks:
        return f"Check a change with {_listed(checks)}, then {_listed(ends)}."
    if ends:
        return f"Hand a change over: {_listed([f'`{program}`' for program in programs])}."
    return f"Check a change with {_listed(checks)}."


def _listed(parts: Sequence[str]) -> str:
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]


def _when(steps: Sequence[str], programs: Sequence[str]) -> str:
    if "git tag" in programs:
        return "when a release is to be cut"
    edits = dict.fromkeys(step.removeprefix("edit ") for step in steps if step.startswith("edit "))
    after = f"after changing {_listed(list(edits))} files" if edits else "after a change"
    until = (
        "when it is to be handed over"
        if _HANDS_OVER.keys() & set(programs)
        else "before it is called done"
    )
    return f"{after}, {until}"
