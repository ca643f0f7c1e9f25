"""How often a reader's file is damaged: a few thousand times in every run, more by `make fuzz`."""

import os


def rounds(usual: int) -> int:
    """How many damaged files a test makes. DREAM_FUZZ: the number for all of them, if larger."""
    return max(usual, int(os.environ.get("DREAM_FUZZ") or 0))
