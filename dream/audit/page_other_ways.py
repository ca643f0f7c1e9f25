"""The same question asked in other ways, as rows of a rule's page."""

from dream.audit.assessment import OtherWay, Way
from dream.audit.figures import Interval
from dream.audit.rule_page import Sensitivity

NAMES: dict[Way, str] = {
    "e_value": "something unmeasured",
    "exact": "exact interval, all kinds of runs together, no controls",
    "per_run": "errors by run, not by occasion",
    "without_session": "without the session that weighs most",
    "first_half": "first half of the time since it landed",
    "second_half": "second half of it",
    "placebo_date": "a month earlier, when there was no rule",
    "placebo_space": "other projects, taken for ones with the rule",
    "negative_controls": "other errors in the same runs",
    "empirical_bayes": "the burst drawn towards what such projects usually have",
    "interrupted": "a trend and a step, day by day, no controls",
}
MOVED = "speaks against it: something else moved too"


def sensitivity(ways: tuple[OtherWay, ...]) -> tuple[Sensitivity, ...]:
    """In the order given."""
    return tuple(Sensitivity(NAMES[each.way], _ratio(each), _note(each)) for each in ways)


def _ratio(each: OtherWay) -> Interval | None:
    if each.way in ("e_value", "placebo_space"):
        return None
    return Interval("", each.ratio.low, each.ratio.point, each.ratio.high, "")


def _note(each: OtherWay) -> str:
    if each.way == "e_value":
        point, limit = each.of
        note = f"would have to hang on both the rule and the errors by a factor {point:.1f} to"
        note += " explain the estimate away"
        return note + (f", {limit:.1f} for its limit" if limit > 1 else "; the limit needs nothing")
    if each.way == "placebo_space":
        rank, units = each.of
        return f"of {units:.0f} projects, {rank:.0f} moved as far as this one or farther"
    if each.way == "exact":
        return f"p {each.of[0]:.3g}"
    return MOVED if each.moved else ""
