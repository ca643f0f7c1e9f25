"""The first stage: archives of coding agents, read and never written.

A reader is a module with five names. `find` lists what a folder may hold by its layout alone and
opens nothing; `claims` decides from the first bytes; `read` makes transcripts.
"""

from dream.reader import HEAD, Reader

__all__ = ["HEAD", "Reader"]
