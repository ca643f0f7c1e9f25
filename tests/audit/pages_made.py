"""A rule's page for tests, with something in every place."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from dream.audit.beside import Moved, Rate
from dream.audit.figures import Balance, Interval, Moment, Span
from dream.audit.holes import Coverage, Hole
from dream.audit.output import Output, Outputs
from dream.audit.rule_page import (
    Influential,
    PathBlock,
    Practised,
    RulePage,
    Sensitivity,
    Side,
    Stratum,
    Usage,
)

LANDED = date(2026, 3, 2)


def page(**parts: Any) -> RulePage:
    """A rule that helped, unless told otherwise."""
    wide = [1 + 3 / (n + 1) for n in range(60)]
    nights = tuple(
        (LANDED + timedelta(n), Interval("", 0.45 / w, 0.45, 0.45 * w)) for n, w in enumerate(wide)
    )
    made = RulePage(
        rule="rule-1a2b3c4d",
        title="Read a file again before you edit it.",
        project="shop",
        as_of=date(2026, 5, 1),
        landed="2026-03-02 09:15 (Europe/Berlin)",
        landed_day=LANDED,
        revision="1",
        plan="9f3c2a41d0e7",
        target="edit_target_not_found",
        kind="errors",
        verdict="helped",
        level="B1",
        reasons=(),
        usage=Usage("not told", 150, 139, 4, 12, 120, tokens=38),
        before=Side(133, 60, 40, 27, 3412, 4, 14, 6.5, 41000, 9),
        after=Side(139, 66, 42, 11, 3105, 6, 13, 6.0, None, 4),
        withheld=Side(),
        ratio=Interval("", 0.24, 0.45, 0.83),
        excluding=Interval("", 0.24, 0.48, 0.8),
        including=Interval("", 0.22, 0.42, 0.83),
        confidence=90,
        expected=24.6,
        pruned={"no run of its kind on the other side": (12, 9), "still running": (0, 1)},
        balance=(Balance("length of the request", 0.31, 0.04), Balance("files named", -0.2, 0.12)),
        strata=(
            Stratum(
                "fix, medium",
                20,
                2000,
                80,
                8,
                1800,
                84,
                Interval("fix, medium", 0.2, 0.44, 0.98, "20 in 2,000 to 8 in 1,800"),
            ),
            Stratum(
                "build, large",
                7,
                1412,
                53,
                3,
                1305,
                55,
                Interval("build, large", 0.12, 0.46, 1.7, "7 in 1,412 to 3 in 1,305"),
            ),
        ),
        nights=nights,
        crossed=date(2026, 4, 20),
        closing=date(2026, 5, 1),
        closed=True,
        detectable=0.62,
        detectable_at_close=0.62,
        dispersion=1.42,
        drift=-0.05,
        drift_spread=0.12,
        controls=4,
        p=0.004,
        p_adjusted=0.02,
        evidence=61.0,
        looks=60,
        path=PathBlock(
            Interval("", 0.9, 0.97, 1.05), "equivalent", 20.5, 19.0, 24.1, 23.7, 0.03, 0.04
        ),
        beside=(
            Moved("lint_failure", "class", Rate(13, 250), Rate(19, 777), 0.46, 0.2, 0.9, "fewer"),
        ),
        tools=(
            Moved(
                "edit", "tool", Rate(30, 250), Rate(44, 496), 0.74, 0.28, 1.95, "still", aimed=True
            ),
        ),
        outputs=Outputs(
            ("bash",), Output(False, 252, 332.5, 2238.3), Output(True, 781, 224.0, 1533.7)
        ),
        landings=(
            Moment("landed", LANDED, True),
            Moment("rule-00000000", date(2026, 3, 20), False),
        ),
        spans=(
            Span("model-x", date(2026, 1, 5), date(2026, 3, 30), "model"),
            Span("model-y", date(2026, 3, 31), date(2026, 5, 1), "model"),
            Span("the days that led to it", date(2026, 2, 23), LANDED, "detection"),
            Span("nothing recorded", date(2026, 4, 2), date(2026, 4, 16), "hole"),
        ),
        runs_by_day={(date(2026, 1, 5) + timedelta(n)).isoformat(): n % 6 for n in range(117)},
        straddling=("pi:a:3",),
        coverage=Coverage(60, 62, 66, 66),
        holes=(Hole(date(2026, 4, 2), date(2026, 4, 16)),),
        sensitivity=(
            Sensitivity("per run instead of per call", Interval("", 0.25, 0.47, 0.9)),
            Sensitivity(
                "the same a month earlier", Interval("", 0.7, 1.02, 1.5), "nothing had landed then"
            ),
        ),
        influential=(
            Influential(
                "pi:s1:4",
                "pi:s1",
                "r4",
                "2026-02-11",
                False,
                5,
                40,
                "fix, medium",
                0.06,
                "file:///sessions/s1.jsonl",
            ),
        ),
        warnings=("The number of sessions that can be read fell on one side: 20 of 62.",),
    )
    return replace(made, **parts)


def practised(done: int, of: int) -> Practised:
    return Practised(done, of)
