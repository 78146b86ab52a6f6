# `make demo` and `make test` are the only set-up that a fresh machine needs.
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do command -v $$p >/dev/null 2>&1 && $$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && { echo $$p; break; }; done)
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps
COMPILE := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header --python-version 3.11 pyproject.toml

.PHONY: demo test unit lint types lock lock-check bench faults laws eval setup dev clean

demo: $(VENV)/.server ## install what the server needs and serve the demo persons
	$(BIN)/qandai serve --port $(PORT)

setup: $(VENV)/.server
dev: $(VENV)/.dev

test: $(VENV)/.dev ## everything that a change must keep true
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile tests/unit tests/integration
	$(BIN)/python -m pytest -q --ignore tests/unit --ignore tests/integration # one at a time: they look at the clock, or listen
	$(MAKE) --no-print-directory js

unit: $(VENV)/.dev ## the fast suite: no model, no disk, no network
	$(BIN)/python -m pytest -q -n auto tests/unit

.PHONY: js
js:
	@if command -v node >/dev/null 2>&1; then node --test tests/js/; \
	elif [ -n "$$QANDAI_REQUIRE_ALL" ]; then echo "node is missing: apt-get install nodejs"; exit 1; \
	else echo "skipped: tests/js wants node 20 or newer (apt-get install nodejs)"; fi

lint: $(VENV)/.dev
	$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/lint-imports

types: $(VENV)/.dev
	$(BIN)/mypy

lock: $(VENV)/.dev ## after a change of pyproject.toml
	$(COMPILE) --extra setup -o requirements.lock
	$(COMPILE) --all-extras -c requirements.lock -o requirements-dev.lock

lock-check: $(VENV)/.dev ## fails when the locks and pyproject.toml disagree
	$(BIN)/python scripts/check_locks.py

bench: $(VENV)/.dev
	$(BIN)/python -m tests.bench

faults: $(VENV)/.dev
	QANDAI_FAULT_KILLS=$${QANDAI_FAULT_KILLS:-25} QANDAI_LOAD_SWAPS=$${QANDAI_LOAD_SWAPS:-3} $(BIN)/python -m pytest -q tests/faults

laws: $(VENV)/.dev ## what must hold for every input, tried twenty-five times as often as in make test
	QANDAI_LAWS=thorough $(BIN)/python -m pytest -q tests/unit

eval: $(VENV)/.dev ## the report of every set of questions in QANDAI_SHARED_DATA (../shared/data)
	$(BIN)/python -m eval.everything

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11, 3.12 or 3.13 is needed (with venv and pip)."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.server: requirements.lock pyproject.toml | $(BIN)/python
	$(INSTALL) -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.server
	$(INSTALL) -r requirements-dev.lock
	@touch $@

clean:
	rm -rf $(VENV) store .mypy_cache .ruff_cache .pytest_cache
