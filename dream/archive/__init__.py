"""The second stage: what was read is stored without its secrets, and everything once.

`ingest.ingest` is a night's writing, `archive.Archive.open` how every later stage reads,
`ledger` keeps what was decided, `lock.night_lock` lets one night in at a time.
"""
