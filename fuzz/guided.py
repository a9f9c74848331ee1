"""Run one target of :mod:`fuzz.readers` under Atheris: ``python -m fuzz.guided lpmp CORPUS``.

Takes the arguments of libFuzzer after the name of the target. Without Atheris, which has wheels for
Linux and Python 3.11 to 3.13, use ``python -m fuzz.replay``.
"""

from __future__ import annotations

import sys

import atheris

# Everything that parses is instrumented as it is imported. Not torch: that takes minutes.
with atheris.instrument_imports(include=["multicut"], enable_loader_override=False):
    import multicut.datasets.container
    import multicut.io
    import multicut.models.files
    import multicut.proofreading.corrections
    import multicut.training.config
    import multicut.vision
    from fuzz.readers import TARGETS


def main() -> None:
    """Fuzz the target that the first argument names."""
    names = ", ".join(TARGETS)
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        raise SystemExit(f"name a target first: {names}")
    target = TARGETS[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
