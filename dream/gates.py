"""Near misses in plain words: which gate of dream.yaml a cluster failed, and by how much."""

_TOLD = {
    "rule_sessions": "heard in {got} of the {needed} sessions that a rule needs",
    "rule_days": "heard on {got} of the {needed} days that a rule needs",
    "error_sessions": "came in {got} of the {needed} sessions that a rule for an error needs",
    "error_days": "came on {got} of the {needed} days that a rule for an error needs",
    "skill_sessions": "done in {got} of the {needed} sessions that a skill needs",
    "skill_steps": "has {got} of the {needed} steps that a skill needs",
    "score": "{got} sure on average, and {needed} is needed",
    "per_night": "number {got} of a night that has room for {needed}",
    "contradicted": "{share} of its sessions say the opposite, and from {limit} on it is open",
    "already_said": "{share} like a rule that stands, and from {limit} on nothing is proposed",
    "check_breaches": "",
    "covered": "",
    "ended": "",
    "no_remedy": "",
    "not_general": "",
}
"""By gate; where it is empty the note of the near miss says all."""

_CODES = ("tool_error", "detour")


def missed(gate: str, needed: float, got: float, note: str = "") -> str:
    """How far a cluster was from its gate, the gate's name last."""
    plain = _TOLD.get(gate, "{gate} is {needed}, it has {got}").format(
        gate=gate, needed=f"{needed:g}", got=f"{got:g}", share=f"{got:.0%}", limit=f"{needed:.0%}"
    )
    told = "; ".join(filter(None, (plain, note))) or f"it has {got:g} of {needed:g}"
    return f"{told} ({gate})"


def subject(kind: str, statement: str) -> str:
    """What a cluster says, for a person: an error's class without its underscores."""
    head, colon, rest = statement.partition(": ")
    if kind not in _CODES:
        return statement
    return f"{head.replace('_', ' ')}{colon}{rest.replace('_', ' ') if kind == 'detour' else rest}"
