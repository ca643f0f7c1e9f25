"""What becomes one cluster, what stays apart, and what never moves."""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dream.clusters import group
from dream.types import Cluster, Judgement, Scope
from tests.makers import START, judgement

SENTENCES = (
    "Use pnpm, not npm.",
    "Use npm, not pnpm.",
    "please use pnpm here and not npm",
    "Commit messages in the imperative.",
    "Write commit messages in the imperative mood.",
    "Never wrap a migration in a transaction.",
    "Wrap every migration in a transaction.",
    "提交前先运行测试",
    "提交前不要运行测试",
    "Wrap at 100 columns.",
    "Wrap at 120 columns.",
    "that is wrong",
)


def said(*texts: str, project: str = "/repo/shop") -> list[Judgement]:
    """Each text by another session on another day."""
    return [
        judgement(
            text,
            session=f"pi:{number}",
            happened=START + timedelta(days=number),
            scope=Scope(project=project),
        )
        for number, text in enumerate(texts)
    ]


def homes(clusters: Sequence[Cluster]) -> dict[str, str]:
    return {member: cluster.id for cluster in clusters for member in cluster.members}


def together(judgements: Sequence[Judgement]) -> list[list[str]]:
    words = {each.id: each.statement for each in judgements}
    return sorted([words[m] for m in cluster.members] for cluster in group(judgements, {}))


def test_the_same_wish_in_other_words_is_one_cluster() -> None:
    found = group(said("Use pnpm, not npm.", "please use pnpm here and not npm"), {})
    assert [(c.sessions, c.days) for c in found] == [(2, 2)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Always wrap a migration in a transaction.", "Never wrap a migration in a transaction."),
        ("Use pnpm, not npm.", "Use npm, not pnpm."),
        ("Use our date helper instead of moment.", "Use moment instead of our date helper."),
        ("提交前先运行测试", "提交前不要运行测试"),
        ("用 pnpm，而不是 npm", "用 npm，而不是 pnpm"),
        ("Wrap at 100 columns.", "Wrap at 120 columns."),
        ("Enable the cache in tests.", "Disable the cache in tests."),
        ("Generated files are off limits.", "Edit the generated files."),
    ],
)
def test_opposites_stay_apart_and_name_each_other(one: str, other: str) -> None:
    first, second = sorted(group(said(one, other), {}), key=lambda c: c.first or START)
    assert first.opposed == (second.id,)
    assert second.opposed == (first.id,)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use two spaces in the frontend.", "Use two spaces in the backend."),
        ("Run the unit tests first.", "Run the integration tests first."),
        ("单元测试要先跑", "集成测试要先跑"),
        ("Write the comments in English.", "Write the comments in Chinese."),
    ],
)
def test_the_same_words_about_something_else_stay_apart_without_a_contradiction(
    one: str, other: str
) -> None:
    found = group(said(one, other), {})
    assert [c.opposed for c in found] == [(), ()]


def test_two_projects_are_two_clusters_and_a_scope_unknown_is_a_third() -> None:
    same = "Prices are stored in cents."
    found = group(
        [
            judgement(same, session=f"pi:{n}", scope=Scope(project=project))
            for n, project in enumerate(["/repo/shop", "/repo/shop", "/repo/blog", ""])
        ],
        {},
    )
    support = {cluster.scope.project: cluster.sessions for cluster in found}
    assert support == {"/repo/shop": 2, "/repo/blog": 1, "": 1}


def test_two_files_are_two_clusters_unless_the_other_sentence_names_the_file() -> None:
    def about(path: str, text: str = "Keep the functions in it short.") -> Judgement:
        return judgement(text, session=f"pi:{path}", scope=Scope("/repo/shop", path))

    assert len(group([about("src/a.py"), about("src/b.py")], {})) == 2
    assert len(group([about("src/a.py"), about("")], {})) == 2
    named = [
        about("CHANGELOG.md", "update the changelog.md too"),
        about("", "update the changelog too"),
    ]
    assert len(group(named, {})) == 1


def test_two_tools_are_two_clusters() -> None:
    text = "Ask before you run it."
    tools = [
        judgement(text, session=f"pi:{tool}", scope=Scope("/repo/shop", "", tool))
        for tool in ("git", "terraform")
    ]
    assert len(group(tools, {})) == 2


def test_kinds_of_one_family_meet_and_others_do_not() -> None:
    text = "Run the linter before a commit."
    meeting = [
        judgement(text, kind=kind, session=f"pi:{kind}")
        for kind in ("correction", "preference", "constraint", "repeated_ask", "refusal", "memory")
    ]
    apart = [
        judgement(text, kind=kind, session=f"pi:{kind}")
        for kind in ("tool_error", "detour", "path")
    ]
    assert sorted(c.sessions for c in group([*meeting, *apart], {})) == [1, 1, 1, 6]


def test_support_counts_sessions_and_utc_days_and_not_lines() -> None:
    evening = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
    lines = [
        judgement("Screens need an empty state.", session=session, happened=evening + shift)
        for session, shift in [
            ("pi:a", timedelta()),
            ("pi:a", timedelta(minutes=1)),
            ("pi:a", timedelta(minutes=2)),
            ("pi:b", timedelta(hours=1)),
        ]
    ]
    (cluster,) = group(lines, {})
    assert (cluster.sessions, cluster.days, len(cluster.members)) == (2, 2, 4)
    assert (cluster.first, cluster.last) == (evening, evening + timedelta(hours=1))


def test_errors_are_the_same_by_their_signature_alone() -> None:
    errors = [
        judgement(signature, kind="tool_error", session=f"pi:{n}")
        for n, signature in enumerate(["edit-before-read", "edit-before-read", "edit-not-unique"])
    ]
    assert sorted(c.sessions for c in group(errors, {})) == [1, 2]


def test_a_cluster_is_named_after_its_first_member_and_keeps_the_name() -> None:
    early, late, later = said(*["Use pnpm, not npm."] * 3)
    (first_night,) = group([late, later], {})
    assert first_night.id == "c-" + late.id.removeprefix("j-")
    registry = dict.fromkeys(first_night.members, first_night.id)
    (second_night,) = group([early, late, later], registry)
    assert second_night.id == first_night.id
    (third_night,) = group([early, later], registry)
    assert third_night.id == first_night.id


def test_a_new_judgement_joins_the_old_cluster_it_is_most_like() -> None:
    old = said("Use pnpm, not npm.", "Write commit messages in the imperative mood.")
    registry = {old[0].id: "c-000000000001", old[1].id: "c-000000000002"}
    new = judgement("imperative mood for commit messages", session="pi:new")
    assert homes(group([*old, new], registry))[new.id] == "c-000000000002"


def test_a_new_opposite_never_joins_and_is_told() -> None:
    old = said("Use pnpm, not npm.", "please use pnpm and not npm")
    registry = dict.fromkeys((each.id for each in old), "c-000000000001")
    new = judgement("Use npm, not pnpm.", session="pi:new")
    found = {cluster.id: cluster for cluster in group([*old, new], registry)}
    assert found["c-000000000001"].opposed == (homes(list(found.values()))[new.id],)


def test_what_an_earlier_night_decided_stays_even_where_tonight_would_decide_otherwise() -> None:
    one, other = said("Use pnpm, not npm.", "Screens need an empty state.")
    registry = dict.fromkeys((one.id, other.id), "c-000000000001")
    assert len(group([one, other], registry)) == 1


def test_the_typical_member_is_what_most_sessions_said() -> None:
    texts = ["Use pnpm, not npm.", *["please use pnpm here and not npm"] * 4]
    (cluster,) = group(said(*texts), {})
    assert cluster.statement == "please use pnpm here and not npm"


def test_a_path_that_all_members_share_is_the_cluster_s() -> None:
    def about(session: str, path: str) -> Judgement:
        text = "update the changelog too"
        return judgement(text, session=session, scope=Scope("/repo/shop", path))

    (narrow,) = group([about("pi:a", "CHANGELOG.md"), about("pi:b", "CHANGELOG.md")], {})
    (wide,) = group([about("pi:a", "CHANGELOG.md"), about("pi:b", "")], {})
    assert (narrow.scope.path, wide.scope.path) == ("CHANGELOG.md", "")


@st.composite
def archives(draw: st.DrawFn) -> list[Judgement]:
    texts = draw(st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=10))
    sessions = draw(st.lists(st.integers(0, 4), min_size=len(texts), max_size=len(texts)))
    days = draw(st.lists(st.none() | st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    made = [
        judgement(
            text,
            session=f"pi:{session}",
            message=f"pi:{session}/{number}",
            happened=None if day is None else START + timedelta(days=day),
            scope=Scope(project=draw(st.sampled_from(["", "/repo/shop"]))),
        )
        for number, (text, session, day) in enumerate(zip(texts, sessions, days, strict=True))
    ]
    return list({each.id: each for each in made}.values())


@settings(max_examples=60, deadline=None)
@given(archives(), st.randoms(use_true_random=False))
def test_every_judgement_is_in_one_cluster_and_the_order_does_not_matter(
    judgements: list[Judgement], chance: random.Random
) -> None:
    found = group(judgements, {})
    assert sorted(homes(found)) == sorted(each.id for each in judgements)
    assert sum(len(c.members) for c in found) == len(judgements)
    shuffled = list(judgements)
    chance.shuffle(shuffled)
    assert group(shuffled, {}) == found


@settings(max_examples=60, deadline=None)
@given(archives(), st.integers(0, 10), st.randoms(use_true_random=False))
def test_a_second_night_moves_nobody_and_a_night_without_news_changes_nothing(
    judgements: list[Judgement], known: int, chance: random.Random
) -> None:
    first = homes(group(judgements[:known], {}))
    second = homes(group(judgements, first))
    assert {id_: second[id_] for id_ in first} == first
    shuffled = list(judgements)
    chance.shuffle(shuffled)
    assert homes(group(shuffled, first)) == second
    assert homes(group(judgements, second)) == second


@settings(max_examples=60, deadline=None)
@given(archives())
def test_opposition_is_mutual_and_never_inside_a_cluster(judgements: list[Judgement]) -> None:
    found = {cluster.id: cluster for cluster in group(judgements, {})}
    for cluster in found.values():
        for other in cluster.opposed:
            assert other != cluster.id
            assert cluster.id in found[other].opposed
