"""The strata of a look one by one, and the runs that weigh most in it."""

import math

import numpy as np

from dream.audit.assessment import Estimate, StratumResult
from dream.audit.looks import Look, Setting
from dream.audit.rates import Stratum, mantel_haenszel

Z = 1.645
MOST = 10


def strata_results(told: Look) -> tuple[StratumResult, ...]:
    """In the order of their numbers, each with an interval of its own (90 %, over-dispersed)."""
    compared = told.compared
    found = []
    for code, one in enumerate(compared.strata()):
        mine = compared.codes == code
        runs = int((mine & ~compared.after).sum()), int((mine & compared.after).sum())
        number = int(compared.runs.stratum[mine][0])
        found.append(
            StratumResult(
                number,
                (int(one.yb), int(one.ya)),
                (int(one.eb), int(one.ea)),
                runs,
                _own_ratio(one, told.phi),
            )
        )
    return tuple(found)


def _own_ratio(one: Stratum, phi: float) -> Estimate:
    if not (one.yb + one.ya) or not one.comparable:
        return Estimate()
    log = math.log(((one.ya + 0.5) / one.ea) / ((one.yb + 0.5) / one.eb))
    reach = Z * math.sqrt(phi * (1 / (one.yb + 0.5) + 1 / (one.ya + 0.5)))
    return Estimate(math.exp(log - reach), math.exp(log), math.exp(log + reach))


def influential(setting: Setting, told: Look) -> tuple[tuple[int, float], ...]:
    """Positions in the unit's columns, with how far the log ratio moves without that run."""
    compared = told.compared
    strata = compared.strata()
    whole = mantel_haenszel(strata)
    if whole is None:
        return ()
    position = _positions(setting, told)
    found = []
    for row in np.flatnonzero(compared.runs.errors > 0):
        code = int(compared.codes[row])
        changed = list(strata)
        errors, occasions = float(compared.runs.errors[row]), float(compared.runs.occasions[row])
        after = bool(compared.after[row])
        changed[code] = _without(strata[code], errors, occasions, after=after)
        other = mantel_haenszel(changed)
        if other is not None:
            found.append((int(position[row]), math.log(other.value / whole.value)))
    ranked = sorted(found, key=lambda pair: (-abs(pair[1]), pair[0]))
    return tuple(ranked[:MOST])


def _without(one: Stratum, errors: float, occasions: float, *, after: bool) -> Stratum:
    if after:
        return Stratum(one.yb, one.ya - errors, one.eb, one.ea - occasions)
    return Stratum(one.yb - errors, one.ya, one.eb - occasions, one.ea)


def _positions(setting: Setting, told: Look) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Where each compared run stands in the unit: the same chosen rows, in the same order."""
    runs = setting.own
    kept = np.zeros(len(runs), dtype=np.bool_)
    for first, end in (*setting.before, (setting.landed, int(told.compared.runs.day.max()) + 1)):
        kept |= (runs.day >= first) & (runs.day < end)
    kept &= runs.occasions > 0
    both = np.unique(told.compared.runs.stratum)
    kept &= np.isin(runs.stratum, both)
    return np.flatnonzero(kept)
