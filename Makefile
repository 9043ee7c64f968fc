# twincell: `make` alone says what there is.

VENV := .venv
BIN := $(VENV)/bin

# the first of these that is new enough; `make PYTHON=/some/python` overrides it
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo "$$python"; break; }; done)

PIP_INSTALL = $(BIN)/python -m pip install --disable-pip-version-check -c constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup run test lint bench clean

help:
	@echo "make setup   prepare the environment in $(VENV)"
	@echo "make run     simulate the tool change cell, print the result, plot it into out/"
	@echo "make test    run all tests"
	@echo "make lint    check style and types"
	@echo "make bench   measure speed, against other simulators too"
	@echo "make clean   remove everything the other targets made, $(VENV) included"

setup: $(VENV)/installed

run: setup
	@mkdir -p out
	$(BIN)/twincell simulate tool_change_multi --until 25 --plot out/tool_change_multi.png

# the kernels once compiled and once as plain Python, where a debugger and coverage see them;
# they are compiled before the tests start, or every test process would do it at the same time
test: setup
	$(BIN)/twincell simulate tool_change_multi --until 0.001 --json
	$(BIN)/python -m pytest -n auto
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto tests/sim

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/installed_bench
	$(BIN)/python -m bench.run

clean:
	rm -rf $(VENV) out build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find sim server tests bench -name __pycache__ -prune -exec rm -rf {} +

# built once, and again when a dependency changes
$(VENV)/installed: pyproject.toml constraints.txt
	@test -n "$(PYTHON)" || { echo "twincell needs Python 3.11 or newer; python3 here is:" \
		"$$(python3 --version 2>&1). Install one, or say make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP_INSTALL) hatchling editables
	$(PIP_INSTALL) --no-build-isolation -e '.[test]'
	@touch $@

$(VENV)/installed_bench: $(VENV)/installed
	$(PIP_INSTALL) --no-build-isolation -e '.[bench]'
	@touch $@
