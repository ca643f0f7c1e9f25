# make night    set everything up, then run the nightly job on the sample archive
# make test     set everything up, then check and test the house
# make bench    measure reading and whole nights against a bare loop
# make bench-quality   judge the labels in ../shared, and write docs/quality.md
# make bench-audit     audit simulated archives with a planted truth, and write docs/audit-bench.md
# make fuzz     read 10,000 damaged files with every reader; some quarter of an hour
# make clean    remove what these made; skills_out/ stays

VENV := .venv
PYTHON := $(VENV)/bin/python
DREAM := $(VENV)/bin/dream
# The sample tells of these weeks for ever; seen from a later year they would be too old to mine.
SAMPLE_ENDS := 2026-11-14

.PHONY: night test bench bench-quality bench-audit fuzz clean
.DEFAULT_GOAL := night

night: $(VENV)/.run
	@$(PYTHON) -m dream.sample build/sample
	@$(DREAM) night --config build/sample/dream.yaml --date $(SAMPLE_ENDS) || [ $$? = 1 ] # 1: look

test: $(VENV)/.test
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/pytest -n 2

bench: $(VENV)/.test
	@$(PYTHON) -m tests.bench

bench-quality: $(VENV)/.test
	@$(PYTHON) -m tests.bench.quality ../shared --write docs/quality.md

bench-audit: $(VENV)/.test
	@$(PYTHON) -m tests.bench_audit --write docs/audit-bench.md

fuzz: $(VENV)/.test
	@DREAM_FUZZ=10000 $(VENV)/bin/pytest -n 2 $(wildcard tests/sources/test_*damage*.py) tests/sources/test_unpacked.py

clean:
	@rm -rf build $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis dream.egg-info

# A stamp is written last, so that a set-up that broke off is done again.
$(VENV)/.run: pyproject.toml .ci/set-up
	@bash .ci/set-up run

$(VENV)/.test: pyproject.toml .ci/set-up
	@bash .ci/set-up test
