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
    steps = tuple(str(step) for step in case.members[0].detail.get("steps", ()))
    programs = [step.removeprefix("run ") for step in steps if step.startswith("run ")]
    for gate, needed, got in (
        ("skill_sessions", gates.skill_sessions, case.sessions),
        ("skill_steps", gates.skill_steps, len(steps)),
        ("score", gates.score, round(case.score, 3)),
        ("not_general", PROGRAMS, len(set(programs))),
    ):
        if got < needed:
            note = "a row of edits, and no programs" if gate == "not_general" else ""
            return case.missed(gate, needed, got, note)
    texts = step_texts(case.members)
    purpose = _purpose(steps)
    return said_already(case, purpose, rules, gates) or Candidate(
        id=named("skill", case.cluster.id),
        kind="skill",
        slug=slug(_name(programs)),
        title=title(_title(programs)),
        body=purpose,
        applies=_when(steps),
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
    return [f"{texts[last].removesuffix('.')} ends without an error.".replace("Run ", "", 1)]


def _verbs(programs: Sequence[str]) -> list[str]:
    """What each program is for, by its last word: "go test" -> "test"; each once."""
    return list(dict.fromkeys(program.split()[-1] for program in programs))


def _name(programs: Sequence[str]) -> str:
    return "-".join(_verbs(programs))


def _title(programs: Sequence[str]) -> str:
    return ", then ".join(dict.fromkeys(programs)).capitalize()


def _purpose(steps: Sequence[str]) -> str:
    """One line that says what the skill does, for an agent that looks for one."""
    parts = [
        f"`{step.removeprefix('run ')}`"
        if step.startswith("run ")
        else step.replace("edit ", "change ")
        for step in dict.fromkeys(steps)
    ]
    return f"The usual way through {', '.join(parts[:-1])} and {parts[-1]} in this project."


def _when(steps: Sequence[str]) -> str:
    edits = [
        step.removeprefix("edit ") for step in dict.fromkeys(steps) if step.startswith("edit ")
    ]
    last = [step for step in steps if step.startswith("run ")][-1].removeprefix("run ")
    first = f"after changing {' and '.join(edits)} files" if edits else "when a change is ready"
    return f"{first}, up to `{last}`"
