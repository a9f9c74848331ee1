# `make demo` and `make test` set everything up in .venv first; nothing else is needed but
# Python 3.11 or newer, pip and a C++20 compiler.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := CMakeLists.txt $(shell find cpp -name '*.cpp' -o -name '*.hpp')

.PHONY: demo test test-python test-cpp lint stub bench clean

demo: $(VENV)/.installed
	$(BIN)/multicut demo --picture demo.png

test: lint test-cpp test-python

test-python: $(VENV)/.installed
	$(BIN)/python -m pytest

# The C++ unit tests, under the address and undefined-behaviour sanitizers.
test-cpp: $(VENV)/.installed
	$(BIN)/cmake -S . -B build/sanitized -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DMULTICUT_BUILD_MODULE=OFF -DMULTICUT_BUILD_TESTS=ON -DMULTICUT_SANITIZE=ON \
	  -DCMAKE_BUILD_TYPE=Debug > /dev/null
	$(BIN)/cmake --build build/sanitized
	build/sanitized/multicut_tests

lint: $(VENV)/.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

# The type stub of the native module is generated; a test fails if it is out of date.
stub: $(VENV)/.installed
	$(BIN)/python -m nanobind.stubgen -m multicut._core -o src/multicut/_core.pyi

bench: $(VENV)/.installed
	$(BIN)/multicut bench solvers --output benchmarks/results

$(VENV)/.installed: pyproject.toml constraints.txt $(NATIVE)
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[dev]"
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
