"""Invented archives in the real formats: for a first night, for timing, for tests.

Everything in here is made up by us. `python -m dream.sample FOLDER` writes the whole sample.
"""
