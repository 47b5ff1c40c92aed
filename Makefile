# Two commands do everything: `make demo` and `make test`. `make help` lists the rest.
# The environment lives in .venv; a stamp there is the pyproject.toml it was installed from, so that
# nothing is installed again, and no network asked for, while that file's text stays the same.

VENV := .venv
PY := $(VENV)/bin/python
JOBS ?= 2

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test format lint imports types pyright pytest bench docs prove fuzz accuracy mutate clean

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' Makefile

demo: $(VENV)/demo.stamp  ## install and run the demonstration
	$(PY) -m taglessad demo

test: format lint imports types pyright pytest  ## every check: all of the next six

format: $(VENV)/test.stamp  ## ruff: formatting
	$(PY) -m ruff format --check .

lint: $(VENV)/test.stamp  ## ruff: lint
	$(PY) -m ruff check .

imports: $(VENV)/test.stamp  ## import-linter: imports point down only
	$(VENV)/bin/lint-imports

types: $(VENV)/test.stamp  ## mypy --strict
	$(PY) -m mypy

pyright: $(VENV)/test.stamp  ## pyright, strict
	$(PY) -m basedpyright --pythonpath $(PY)

pytest: $(VENV)/test.stamp  ## tests, doctests, and the code of README and docs
	$(PY) -m pytest -n $(JOBS)

bench: $(VENV)/bench.stamp  ## ratios against other libraries
	$(PY) -m benchmarks

docs: $(VENV)/test.stamp  ## API reference into build/docs
	$(PY) -m pdoc -o build/docs taglessad

prove: $(VENV)/test.stamp  ## every primitive's derivative rules, proved or checked to a bound
	$(PY) -m taglessad prove

fuzz: $(VENV)/test.stamp  ## the long random runs
	$(PY) -m pytest -n $(JOBS) -m slow

accuracy: $(VENV)/test.stamp  ## errors of values and derivatives in units of the last place
	$(PY) -m taglessad.proofs_checks.accuracy_report

mutate: $(VENV)/test.stamp  ## break each rule on purpose: every break must be caught
	$(PY) -m taglessad.proofs_checks.mutants
	$(PY) -m taglessad.proofs_checks.prove_mutants

clean:  ## remove the environment and everything built
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# The first Python from 3.11 on that is to be found and can make an environment.
$(PY):
	@for python in $(PYTHON) python3.11 python3 python3.12 python3.13 python3.14 python; do \
	  if $$python -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "$$python -m venv $(VENV)"; exec $$python -m venv $(VENV); \
	  fi; \
	done; echo "Python 3.11 or later, with venv, is needed: make PYTHON=/path/to/python" >&2; exit 1

# As a line in a .pth file, which type checkers read; they run no import hooks.
AS_PATH := --config-settings editable_mode=compat

# Without build isolation: setuptools is then in the environment, and a change of pyproject.toml
# that brings no new dependency is installed without network as well.
$(VENV)/%.stamp: pyproject.toml | $(PY)
	@if ! cmp -s pyproject.toml $@; then set -ex; \
	  $(PY) -m pip install 'setuptools>=77'; \
	  $(PY) -m pip install --no-build-isolation $(AS_PATH) --editable '.[$*]'; \
	fi
	@cp pyproject.toml $@
