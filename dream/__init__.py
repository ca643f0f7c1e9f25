"""Dream: a nightly batch job that turns what coding agents did into rules, with evidence."""

__version__ = "0.1.0"
