"""A skill from a path of steps that comes back in runs that ended well."""

from collections.abc import Mapping, Sequence

from dream.candidates.advice import advice
from dream.candidates.case import Case, days, named, slug, telling, title, worth
from dream.candidates.facts import Facts
from dream.candidates.standing import Standing, said_already
from dream.candidates.steps import step_texts
from dream.config import Gates
from dream.types import Candidate, NearMiss

PROGRAMS = 2
"""Different programs that a path must run: a row of edits is work and no way of working."""
PITFALL_SESSIONS = 2
"""Sessions of the path in which an error must have come to be a pitfall of it."""
PITFALLS = 5
_HANDS_OVER = {"git commit": "commit", "git push": "push", "gh pr": "open a pull request"}


def skill(
    case: Case,
    gates: Gates,
    rules: Standing,
    errors: Mapping[str, Sequence[Case]],
    facts: Facts,
) -> Candidate | NearMiss:
    """The skill that a path's evidence founds, or the gate that it failed.

    errors: run -> the error cases that came in it.
    """
    steps = path_of(case)
    programs = programs_of(case)
    for gate, needed, got in (
        ("skill_sessions", gates.skill_sessions, case.sessions),
        ("skill_steps", gates.skill_steps, len(steps)),
        ("score", gates.score, round(case.score, 3)),
        ("not_general", PROGRAMS, len(programs)),
    ):
        if got < needed:
            note = "a row of edits, and no programs" if gate == "not_general" else ""
            return case.missed(gate, needed, got, note)
    texts = step_texts(case.members)
    purpose = _purpose(programs)
    return said_already(case, purpose, rules, gates) or Candidate(
        id=named("skill", case.cluster.id),
        kind="skill",
        slug=slug("-".join(dict.fromkeys(program.split()[-1] for program in programs))),
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
        score=worth(case.score, case.sessions, case.days),
        payload={
            "steps": list(texts),
            "pitfalls": _pitfalls(case, errors, facts),
            "verify": _verify(steps, texts),
        },
        flags=() if case.project else ("scope unknown: choose the repository it belongs to",),
    )


def path_of(case: Case) -> tuple[str, ...]:
    """The steps of a path, as dream/signals tells them: "edit test", "run go test"."""
    listed = case.members[0].detail.get("steps", ()) if case.members else ()
    return tuple(str(step) for step in listed)


def programs_of(case: Case) -> tuple[str, ...]:
    """The programs that a path runs, each once, in order."""
    runs = (step.removeprefix("run ") for step in path_of(case) if step.startswith("run "))
    return tuple(dict.fromkeys(runs))


def _pitfalls(case: Case, errors: Mapping[str, Sequence[Case]], facts: Facts) -> list[str]:
    """Our words on the errors that came in the runs of the path, the most frequent first."""
    runs = {member.run_id: member.session_id for member in case.members}
    seen: dict[str, set[str]] = {}
    for run, session in sorted(runs.items()):
        for error in errors.get(run, ()):
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
    if ends and checks:
        return f"Check a change with {_listed(checks)}, then {_listed(ends)}."
    if ends:
        return f"Hand a change over: {_listed([f'`{program}`' for program in programs])}."
    return f"Check a change with {_listed(checks)}."


def _listed(parts: Sequence[str]) -> str:
    return " and ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]


def _when(steps: Sequence[str], programs: Sequence[str]) -> str:
    edits = dict.fromkeys(step.removeprefix("edit ") for step in steps if step.startswith("edit "))
    after = f"after changing {_listed(list(edits))} files" if edits else "after a change"
    until = (
        "when it is to be handed over"
        if _HANDS_OVER.keys() & set(programs)
        else "before it is called done"
    )
    return f"{after}, {until}"
