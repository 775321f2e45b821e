# Everything starts here. `make help` lists it; on a fresh machine only Python 3.11+ and make are needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LOCKS := requirements/production.txt requirements/development.txt
PEERS := .bench/venv
PACKAGES := config journal tenancy systems proposals approvals intents rehearsals web demo sandbox
PORT ?= 8000
SANDBOX_PORT ?= 8900
DEMO_DIR ?= .demo
PYTEST_ARGS ?=
TEST_PROCESSES ?= 3
SEEDS ?= 0-20000

# A deployment as `check --deploy` wants to see it; no address here is ever contacted.
DEPLOYED := env -u DEMO -u DEBUG SECRET_KEY=checked-only-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFG \
	DATABASE_URL=postgres://nobody@127.0.0.1:9/none REDIS_URL=redis://127.0.0.1:9/0 \
	ALLOWED_HOSTS=countersign.example BASE_URL=https://countersign.example \
	SYSTEMS_DIR=sandbox/systems SANDBOX_URL=http://127.0.0.1:9

.DEFAULT_GOAL := help
.PHONY: help venv demo demo-rehearse demo-reset journal-verify test soak bench check format requirements messages

help:  ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

venv: $(VENV)/.locked  ## make .venv from the hash-locked requirements

$(VENV)/.locked: $(LOCKS)
	@command -v "$(PYTHON)" > /dev/null || { echo "No $(PYTHON) on this machine: install Python 3.11 or newer, or name one: make PYTHON=/path/to/python"; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is older than 3.11: name a newer one: make PYTHON=python3.11"; exit 1; }
	@"$(PYTHON)" -c 'import ensurepip, venv' 2> /dev/null || { echo "$(PYTHON) cannot make virtual environments: install its venv package (on Debian: python3-venv)."; exit 1; }
	@if ! $(BIN)/python -m pip --version > /dev/null 2>&1; then echo "· Making $(VENV) with $$("$(PYTHON)" --version) …"; "$(PYTHON)" -m venv --clear $(VENV); fi
	@echo "· Installing the locked requirements into $(VENV) (hashes checked; 700 MB, one to three minutes without a word) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes $(addprefix -r ,$(LOCKS))
	@touch $@
	@echo "  installed"

demo demo-rehearse: export PORT := $(PORT)
demo demo-rehearse: export SANDBOX_PORT := $(SANDBOX_PORT)
demo demo-rehearse demo-reset journal-verify: export DEMO_DIR := $(DEMO_DIR)

demo: $(VENV)/.locked  ## run everything with sample data (PORT, SANDBOX_PORT, DEMO_DIR); Ctrl-C stops it
	@$(BIN)/python -m demo

demo-rehearse: $(VENV)/.locked  ## rehearse every contract of the running demo (SANDBOX_PORT, DEMO_DIR)
	@$(BIN)/python -m demo manage rehearse_demo

demo-reset: $(VENV)/.locked  ## clear the demo's data (DEMO_DIR); refuses while it runs
	@$(BIN)/python -m demo reset

journal-verify: $(VENV)/.locked  ## verify the demo's journal, whether or not the demo runs
	@$(BIN)/python -m demo manage verify_journal

test: $(VENV)/.locked  ## run every test on embedded servers (PYTEST_ARGS="-k name")
	@$(BIN)/python -m pytest -n $(TEST_PROCESSES) --dist loadfile $(PYTEST_ARGS)

soak: $(VENV)/.locked  ## play random histories by the thousand, resumable (SEEDS=0-20000); hours
	@$(BIN)/python -m tests.histories.soak $(SEEDS)

bench: $(VENV)/.locked $(PEERS)/.locked  ## measure beside Celery and others; keep the machine still (under 20 minutes)
	@$(BIN)/python -m benchmarks all

$(PEERS)/.locked: requirements/benchmarks.txt
	@"$(PYTHON)" -m venv --clear $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/benchmarks.txt
	@touch $@

check: $(VENV)/.locked  ## check style, types, floors, templates, migrations and deployment settings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(DEPLOYED) $(BIN)/mypy $(PACKAGES)
	$(BIN)/lint-imports
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python -m tests.crash.table
	$(DEPLOYED) $(BIN)/python -W ignore::RuntimeWarning manage.py makemigrations --check --dry-run
	$(DEPLOYED) $(BIN)/python manage.py check --deploy --fail-level WARNING

format: $(VENV)/.locked  ## put code into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

requirements: $(VENV)/.locked  ## compile requirements/*.in to hash-locked *.txt again
	cd requirements && for name in production development benchmarks; do \
		../$(BIN)/uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
			--quiet --output-file $$name.txt $$name.in || exit 1; done

messages: $(VENV)/.locked  ## compile translations (needs gettext; running needs none: the result is committed)
	@command -v msgfmt > /dev/null || { echo "msgfmt is missing: install gettext."; exit 1; }
	$(DEPLOYED) $(BIN)/python manage.py compilemessages
