"""The sample after one night, as the commands' tests have it."""

from tests.edge.conftest import slept

__all__ = ["slept"]
