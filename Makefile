# Two commands do everything on a machine with python3, make and a package index: `make demo` and `make test`.
# `make help` lists the others; a comment that starts with ## after a target is its line.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := examples/embedding_lookup.pto
# How long `make fuzz` looks for failures.
SECONDS ?= 600
# How many generated programs it then runs in every way.
PROGRAMS ?= 10000


.DEFAULT_GOAL := help
.PHONY: help demo test lint types unit coverage fuzz docs bench bench-compare update-golden clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  \1\t\2/' | expand -t 18

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet -e '.[dev]'
	@touch $@

demo: $(VENV)/.installed ## install, then check, run and lower one example
	@# Two of the four targets refuse it, and say why; that is part of the demonstration.
	$(BIN)/ptoas verify --target all $(DEMO) || true
	$(BIN)/ptoas run --check-file $(DEMO)
	$(BIN)/ptoas lower $(DEMO)

test: lint types unit ## install everything, then lint, types and all tests

lint: $(VENV)/.installed-dev ## ruff
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.installed-dev ## pyright
	$(BIN)/pyright

unit: $(VENV)/.installed-dev ## all tests
	$(BIN)/pytest -n auto --dist worksteal

# Which lines no test runs; watching every line takes three times as long as the tests do.
coverage: $(VENV)/.installed-dev ## lines and branches that no test runs
	$(BIN)/pytest -n auto --dist worksteal --cov -m "not heavy"

# No text may break the tool. What does is shrunk and kept in tests/fuzz/regressions, which `make test` replays.
# A program gives the same bytes whichever way it takes; verify, run and insert-sync agree on the order of pipes.
fuzz: $(VENV)/.installed-dev ## look for inputs that break the tool (SECONDS, PROGRAMS)
	@# The engine that is guided by coverage has wheels for some Pythons only; without it chance guides.
	-$(BIN)/python -m pip install --quiet -e '.[fuzz]'
	$(BIN)/python -m tests.fuzz --seconds $(SECONDS)
	$(BIN)/python -m tests.differential --programs $(PROGRAMS)
	$(BIN)/python -m tests.differential.pipe_order --programs $(PROGRAMS)
	$(BIN)/python -m tests.differential.visibility --programs $(PROGRAMS)
	$(BIN)/python -m tests.differential.schedules
	$(BIN)/python -m tests.differential.interleavings

# Grammars of editors, pictures, and the site with its generated reference, in build/site.
docs: $(VENV)/.installed-dev ## editor grammars, pictures and the site, in build/site
	$(BIN)/python -m ptoas.editors
	$(BIN)/python -m tests.isa.examples
	$(BIN)/ptoas report examples/lookup_loop.pto --svg docs/pictures
	$(BIN)/python -m docs.layouts docs/pictures
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

# One table of ratios with their limits; kept, so that a later run can be compared with it.
bench: $(VENV)/.installed-dev ## figures with their limits
	$(BIN)/python -m benchmarks --save benchmarks/results.json

bench-compare: $(VENV)/.installed-dev ## the change since the last figures
	$(BIN)/python -m benchmarks --compare benchmarks/results.json

# The C++ of the worked examples, where a change of it is meant.
update-golden: $(VENV)/.installed-dev ## rewrite the expected C++ of the worked examples
	$(BIN)/python -m tests.update_golden

clean: ## remove the environment and caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
