# Every target sets up what it needs: Python 3.11 or newer and make are enough.
PYTHON ?= python3
DOC ?= docs/example.md

BIN := .venv/bin
READY := .venv/.ready
DEMO := build/demo

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test lint types imports tree bench peers dist clean

help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1|\2/p' Makefile | while IFS='|' read -r name what; do \
		printf '  make %-9s %s\n' "$$name" "$$what"; done

# Upgraded pip first: dependency groups need 25.1.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("vchunk needs Python 3.11 or newer; name one with make PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install -q -U "pip>=25.1"
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[code,eval,openvino,parquet,pdf-tables]" --group dev
	@touch $@

demo: export VCHUNK_STORE = $(DEMO)/store
demo: $(READY) ## Cut the document that is shipped, or yours: make demo DOC=path
	@mkdir -p $(DEMO)
	$(BIN)/vchunk embed "$(DOC)" > $(DEMO)/key
	$(BIN)/vchunk chunk --preset coarse --format pretty < $(DEMO)/key
	$(BIN)/vchunk tree --format pretty < $(DEMO)/key
	$(BIN)/vchunk plot -o $(DEMO)/curve.png < $(DEMO)/key
	@echo "The velocity curve and its cuts: $(CURDIR)/$(DEMO)/curve.png"

test: $(READY) ## Run the tests; some: make test ARGS="-k tree"
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile $(ARGS)

lint: $(READY) ## Check the style (ruff)
	$(BIN)/ruff check .

types: $(READY) tree ## Check the types (mypy, strict)
	$(BIN)/mypy

imports: $(READY) tree ## Check which layer imports which (import-linter)
	PYTHONPATH=build/tree $(BIN)/lint-imports --no-cache --no-logo

tree: ## Link the package together as it is installed, for the checkers: build/tree
	@rm -rf build/tree && mkdir -p build/tree/vchunk
	@for file in src/vchunk/*.py src/vchunk/py.typed src/vchunk/*.json; do ln -s "../../../$$file" build/tree/vchunk/; done
	@for part in cli domain adapters; do ln -s "../../../$$part" build/tree/vchunk/; done

bench: $(READY) ## Measure how long each command takes on a long document
	$(BIN)/python benchmarks/speed.py

peers: $(READY) ## Compare with other chunkers: make peers CORPORA=folder QUESTIONS=file.csv
	@test -n "$(CORPORA)" -a -n "$(QUESTIONS)" || { echo "name them: make peers CORPORA=folder QUESTIONS=file.csv" >&2; exit 2; }
	$(BIN)/python -m pip install -q -c constraints.txt -e ".[code,eval]"
	$(BIN)/python benchmarks/compare.py --corpora "$(CORPORA)" --questions "$(QUESTIONS)" $(ARGS)

dist: $(READY) ## Build the sdist and the wheel: dist/
	@rm -rf dist
	$(BIN)/python -m build

clean: ## Remove all that make has made, .venv too
	rm -rf .venv build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find adapters benchmarks cli domain src tests -name __pycache__ -prune -exec rm -rf {} +
