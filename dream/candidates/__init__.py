"""The fifth stage: what a cluster's evidence is enough to propose, and what it is not."""

from dream.candidates.draft import draft
from dream.candidates.facts import Facts, gather

__all__ = ["Facts", "draft", "gather"]
