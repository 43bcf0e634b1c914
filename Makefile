# hopline: `make demo` shows it, `make test` tests it. `make help` lists the rest.
.DEFAULT_GOAL := help
.PHONY: help setup up down demo client check quick-tests test test-quarter test-long turn servers servers-down image-check \
	compose-check wheels wheel-check client-check release-check sbom lint lock bench

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.hopline-installed
# Or each of the many processes of the tests compiles every module anew.
unexport PYTHONDONTWRITEBYTECODE
PYTEST := $(BIN)/pytest
PARALLEL := -n logical --maxprocesses 8 --dist worksteal
# The folders with the longest files first, so that no process works alone at the end.
SERVED := -n auto --dist loadfile --no-loadscope-reorder --durations 20 \
	tests/browser tests/acceptance tests/integration tests/property tests/contract
LONG := HOPLINE_TEST_CASES=all $(PYTEST) -m "long or cases or hypothesis" --results var/tests/long \
	$(SERVED) tests/chaos tests/unit/workers/topics tests/unit/test_patterns.py
PROOF := PYTHONPATH=tests $(BIN)/python -m proof
# The first of these that the pins fit makes the virtual environment; `make PYTHON=…` names another.
PYTHON ?= $(firstword $(foreach name,python3 python3.13 python3.12 python3.11,$(shell \
	$(name) -c 'import sys; (3, 11) <= sys.version_info < (3, 14) and print("$(name)")' 2>/dev/null)))

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Virtual environment, pinned packages, Java runtime, Neo4j's jars

$(STAMP): pyproject.toml hopline/pyproject.toml requirements.lock infra/local/neo4j-jars.txt
	@test ! -L $(VENV) || { echo "$(VENV) is a link, and what it leads to is older than $<: run make setup" \
		"there ($$(readlink $(VENV))), or remove the link to have a virtual environment here" >&2; exit 1; }
	@test -n "$(PYTHON)" || { echo "hopline needs Python 3.11, 3.12 or 3.13: python3 is $$(python3 -V 2>&1)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "hopline needs Python 3.11, 3.12 or 3.13: $(PYTHON) is $$($(PYTHON) -V 2>&1)" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "no virtual environment: on Debian or Ubuntu, install the package python3-venv" >&2; \
		rm -rf $(VENV); exit 1; }
	@echo "Installing packages into $(VENV) (a minute or two, the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e hopline -e .
	@$(BIN)/python -m compileall -q -j 0 hopline workers producer infra tests
	@$(BIN)/python -m infra.local.jars
	@touch $@

up: setup ## Start the local stack: Redis, Neo4j, vectors, offline model, workers, Flower
	@$(BIN)/hopline up

down: ## End the local stack; its data stays in var/
	@if test -x $(BIN)/python; then $(BIN)/hopline down; else echo "Nothing is set up."; fi

demo: up ## Ingest the demo documents and ask five questions
	@$(BIN)/hopline demo

check: setup ## While you work: lint and unit tests in a minute; FILES="…": what these files can touch, in seconds
ifdef FILES
	@python_files="$(wildcard $(filter %.py,$(FILES)))"; \
	test -z "$$python_files" || { $(BIN)/ruff check $$python_files && $(BIN)/ruff format --check $$python_files; }
	@words=$$($(PROOF).touched $(FILES)) && $(PYTEST) -m "not long" $$words
else
	@$(MAKE) --no-print-directory -j 2 lint quick-tests  # mypy uses one processor
endif

quick-tests: setup
	$(PYTEST) -m "not long" $(PARALLEL) --no-servers --cheap tests/unit tests/property

test: setup ## Run all tests but the long ones, on private servers; results and logs in var/tests
	@failed=0; \
	HOPLINE_TEST_CASES=all $(PYTEST) -m "not long" $(PARALLEL) --budget --results var/tests/unit tests/unit || failed=1; \
	$(PYTEST) -m "not long" $(SERVED) --budget --results var/tests/served || failed=1; \
	exit $$failed

test-quarter: setup ## Run the long tests whose turn it is (.ci/turn)
	@$(PROOF).turns check
	$(LONG) --quarter $$($(PROOF).turns quarter)

test-long: setup ## Run all long tests: crashes, upgrades, a batch under fire, all random cases; writes .ci/long.toml
	$(LONG) --record

turn: setup ## Raise .ci/turn, the last thing before work is handed in: whose turn it is among the long tests
	@$(PROOF).turns raise

servers: setup ## Keep the tests' servers running, so that one integration test answers in seconds
	@$(PROOF).standing up

servers-down: setup ## End the servers that `make servers` started
	@$(PROOF).standing down

image-check: setup ## Build the image without an engine, and run docker-compose.yml from it (Debian, root); BEFORE=REVISION: upgrade
	PYTHONPATH=tests $(BIN)/python -m image_check $(if $(BEFORE),--before $(BEFORE))

compose-check: ## With Docker: build the image, start docker-compose.yml with the offline model, ask a question
	infra/docker/check_compose.sh

wheels: setup ## Build wheels and source archives of both distributions into dist/
	@rm -rf dist
	$(BIN)/python -m infra.wheels dist

wheel-check: setup ## Install the wheels outside the clone, run the demo, stop, remove; what each missing extra says
	$(PYTEST) -m "long or not long" tests/acceptance/test_wheels.py

client-check: ## The client's wheel of dist/ alone, on another Python: CLIENT_PYTHON=python3.14
	@rm -rf var/client-check && $(or $(CLIENT_PYTHON),$(PYTHON)) -m venv var/client-check
	@var/client-check/bin/python -m pip install --quiet --disable-pip-version-check dist/hopline-*.whl
	var/client-check/bin/hopline --version
	var/client-check/bin/hopline --help > var/client-check/help.txt

release-check: setup ## Whether TAG=v1.2.3 is the version of both distributions, and in the changelog
	$(BIN)/python -m infra.wheels --tag $(TAG)

sbom: ## List what the wheels of dist/ bring, with their extras, in CycloneDX: dist/hopline.cdx.json
	@rm -rf var/sbom && $(PYTHON) -m venv var/sbom/tool && $(PYTHON) -m venv var/sbom/hopline
	@var/sbom/tool/bin/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom
	@var/sbom/hopline/bin/python -m pip install --quiet --disable-pip-version-check -c constraints.txt \
		dist/hopline-*.whl "$$(ls dist/hopline_server-*.whl)[local,ocr,otel]"
	var/sbom/tool/bin/cyclonedx-py environment --output-reproducible --of JSON -o dist/hopline.cdx.json \
		var/sbom/hopline/bin/python

lint: setup ## Ruff, mypy, and the rules of the house
	@! git ls-files --cached --ignored --exclude-standard | grep . || \
		{ echo "git tracks these files, which .gitignore names: git rm --cached FILE" >&2; exit 1; }
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(BIN)/python -m infra.client_code --check
	$(BIN)/python -m producer.api.errors_page --check
	$(BIN)/python -m infra.plain_words --check

client: setup ## Write hopline/sync from hopline/aio, and hopline/models/fields.py
	$(BIN)/python -m infra.client_code

lock: setup ## Write requirements.lock anew: the pins with the hash of every file
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip compile pyproject.toml --extra local --extra dev -c constraints.txt --python-version 3.11.0 \
		--python-platform x86_64-manylinux_2_28 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--quiet --no-emit-package hopline --output-file requirements.lock

bench: setup ## Measure what docs/measurements.md claims; takes a while
	$(BIN)/python bench/query.py
	$(BIN)/python bench/reader.py
	$(BIN)/python bench/tools.py
	$(BIN)/python bench/api.py
	$(BIN)/python bench/ingest.py
	$(BIN)/python bench/fairness.py
	$(BIN)/python bench/jobs.py
	$(BIN)/python bench/history.py
	$(BIN)/python bench/traces.py
	$(BIN)/python bench/small_documents.py
	$(BIN)/python bench/search.py --growth
	$(BIN)/python bench/scopes.py
	$(BIN)/python bench/kept_versions.py
	$(BIN)/python bench/metadata.py
	$(BIN)/python bench/topics.py
	$(BIN)/python bench/survey.py
	$(BIN)/python bench/survey.py --themes
	$(BIN)/python bench/survey.py --themes --corpus tickets
