"""The fourth stage: the same judgement, met again, becomes one cluster that keeps its id."""

from dream.clusters.group import group

__all__ = ["group"]
