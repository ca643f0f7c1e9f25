"""The strata of a look one by one, and the runs that weigh most in it."""

import math

import numpy as np

from dream.audit.assessment import Estimate, StratumResult
from dream.audit.looks import Look
from dream.audit.rates import HALF, Stratum
from dream.audit.series import Floats, Ints, Sides

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
    if not one.yb + one.ya:
        return Estimate()
    log = math.log(((one.ya + 0.5) / one.ea) / ((one.yb + 0.5) / one.eb))
    reach = Z * math.sqrt(phi * (1 / (one.yb + 0.5) + 1 / (one.ya + 0.5)))
    return Estimate(math.exp(log - reach), math.exp(log), math.exp(log + reach))


def influential(told: Look) -> tuple[tuple[int, float], ...]:
    """Places in the unit's columns, with how far the log ratio moves without that run.

    Runs that a rule was withheld from have no place there.
    """
    compared = told.compared
    chosen = np.flatnonzero((compared.runs.errors > 0) & (compared.rows >= 0))
    moved = moves(compared, chosen)
    found = zip(compared.rows[chosen].tolist(), moved.tolist(), strict=True)
    ranked = sorted(found, key=lambda pair: (-abs(pair[1]), pair[0]))
    return tuple(ranked[:MOST])


def moves(compared: Sides, rows: Ints) -> Floats:
    """How far the log of the Mantel-Haenszel ratio moves without each of these rows alone."""
    columns = np.concatenate([compared.errors, compared.occasions], axis=1)
    over, under = _terms(columns)
    code, late = compared.codes[rows], compared.after[rows]
    errors, occasions = compared.runs.errors[rows], compared.runs.occasions[rows]
    taken = np.stack([errors * ~late, errors * late, occasions * ~late, occasions * late], axis=1)
    new_over, new_under = _terms(columns[code] - taken)
    whole = over.sum() + HALF, under.sum() + HALF
    found: Floats = np.log((whole[0] - over[code] + new_over) / whole[0])
    found -= np.log((whole[1] - under[code] + new_under) / whole[1])
    return found


def _terms(columns: Floats) -> tuple[Floats, Floats]:
    """What each stratum adds to the two sums; nothing where a side has no occasion."""
    yb, ya, eb, ea = columns.T
    whole = np.where((eb > 0) & (ea > 0), eb + ea, np.inf)
    return ya * eb / whole, yb * ea / whole
