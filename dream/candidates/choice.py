"""Of candidates that would tell a reviewer the same thing, the one that tells it best."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from dream.candidates.case import Case
from dream.candidates.skills import Trouble, programs_of
from dream.types import Candidate, NearMiss

ALIKE = 0.5
"""Share of the programs of the shorter path in the longer, above which one stands for both. So it
does for what is used for the same: one way of checking and one of handing over is what a project
has, and its paths are the forms it takes."""

Outcome = Candidate | NearMiss


def one_of_each(
    drafts: Sequence[Candidate],
    cases: Mapping[str, Case],
    trouble: Trouble,
    shown: Collection[str],
) -> list[Outcome]:
    """The candidates, those that repeat a better one as near misses "covered".

    cases: by cluster id; shown: ids of candidates that wait already. Better is what waits, then
    what more evidence supports; of paths the longer one of nearly as much. Our words about an
    error are the same in every project: the one with most sessions speaks, and says how many
    others there are.
    """
    skills = [each for each in drafts if each.kind == "skill"]
    advised = [each for each in drafts if each.kind != "skill" and _is_error(each, cases)]
    said = [each for each in drafts if each.kind != "skill" and not _is_error(each, cases)]
    programs = {each.id: set(programs_of(cases[each.clusters[0]], trouble)) for each in skills}
    return [*said, *_paths(skills, programs, shown), *_advice(advised, shown)]


def _is_error(candidate: Candidate, cases: Mapping[str, Case]) -> bool:
    return cases[candidate.clusters[0]].cluster.kind == "tool_error"


def _paths(
    skills: Iterable[Candidate], programs: Mapping[str, set[str]], shown: Collection[str]
) -> list[Outcome]:
    kept: list[Candidate] = []
    found: list[Outcome] = []
    for each in sorted(skills, key=lambda each: (each.id not in shown, *_weight(each))):
        mine = programs[each.id]
        twin = next(
            (
                other
                for other in kept
                if other.scope.project == each.scope.project
                and (
                    other.body.split()[0] == each.body.split()[0]
                    or _share(mine, programs[other.id]) > ALIKE
                )
            ),
            None,
        )
        if twin:
            found.append(_covered(each, twin, _share(mine, programs[twin.id])))
        else:
            kept.append(each)
    return [*kept, *found]


def _weight(skill: Candidate) -> tuple[float, str]:
    """A path of twice the steps stands for one of up to a third more sessions."""
    steps = len(skill.payload["steps"])
    return -round(skill.score * (1 + 0.08 * min(steps, 8)), 6), skill.id


def _share(one: set[str], other: set[str]) -> float:
    """How much of the smaller set is in the larger."""
    return len(one & other) / min(len(one), len(other))


def _advice(drafts: Iterable[Candidate], shown: Collection[str]) -> list[Outcome]:
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for each in drafts:
        groups.setdefault((each.kind, each.body), []).append(each)
    found: list[Outcome] = []
    for group in groups.values():
        best, *others = sorted(group, key=lambda each: (each.id not in shown, -each.score, each.id))
        if others:
            count = len({each.scope.project for each in others} - {best.scope.project})
            told = f"the same error comes back in {count} other project{'s' * (count != 1)}"
            best = replace(best, flags=(*best.flags, told)) if count else best
        found += [best, *(_covered(each, best, 1.0) for each in others)]
    return found


def _covered(candidate: Candidate, by: Candidate, share: float) -> NearMiss:
    note = f"{by.id} says the same with more evidence"
    cluster = candidate.clusters[0]
    return NearMiss(
        cluster, candidate.body, candidate.kind, "covered", 1, round(1 - share, 3), note
    )
