"""Counts by day as a line with a step: an interrupted time series.

Poisson regression by iterated weighting; standard errors by over-dispersion, or by Newey and West,
for days near each other go together. Sources: McCullagh & Nelder 1989; Newey & West 1987; Lopez
Bernal, Cummins & Gasparrini 2017.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDS = 50
CLOSE = 1e-12


@dataclass(frozen=True, slots=True)
class Fit:
    """Coefficients on the log scale and what their spread is made of."""

    beta: Floats
    bread: Floats  # inverse of the information
    score: Floats  # [row, coefficient]
    dispersion: float  # Pearson's chi square over what is left of the rows

    def plain(self) -> Floats:
        """Standard errors by over-dispersion."""
        found: Floats = np.sqrt(np.diag(self.bread) * self.dispersion)
        return found

    def near(self, lag: int) -> Floats:
        """Standard errors where rows up to a lag go together (Bartlett); rows are in order."""
        return self.sandwich(_long_run(self.score, lag))

    def sandwich(self, meat: Floats) -> Floats:
        found: Floats = np.sqrt(np.maximum(np.diag(self.bread @ meat @ self.bread), 0.0))
        return found


def poisson(columns: Floats, counts: Floats, exposure: Floats) -> Fit | None:
    """columns: [row, coefficient], the intercept among them. None where they do not tell."""
    offset = np.log(exposure)
    beta = np.zeros(columns.shape[1])
    mean = (counts + counts.mean() * exposure / exposure.mean() + 0.1) / 2
    for _ in range(ROUNDS):
        line = np.log(mean) - offset
        left = columns.T * mean
        information = left @ columns
        if np.linalg.cond(information) > 1e12:
            return None
        new = np.linalg.solve(information, left @ (line + (counts - mean) / mean))
        moved, beta = float(np.abs(new - beta).max()), new
        mean = np.exp(np.clip(columns @ beta + offset, -30, 30))
        if moved < CLOSE:
            break
    free = len(counts) - columns.shape[1]
    if free <= 0:
        return None
    bread = np.linalg.inv((columns.T * mean) @ columns)
    dispersion = float((((counts - mean) ** 2) / mean).sum()) / free
    return Fit(beta, bread, columns * (counts - mean)[:, None], dispersion)


def _long_run(score: Floats, lag: int) -> Floats:
    total: Floats = score.T @ score
    for distance in range(1, min(lag, len(score) - 1) + 1):
        both = score[distance:].T @ score[:-distance]
        total = total + (1 - distance / (lag + 1)) * (both + both.T)
    return total
