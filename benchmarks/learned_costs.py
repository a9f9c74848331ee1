"""Costs learned end to end: the scores of ``examples/learn_costs.py`` over several seeds.

Runs the example in four settings: all rows of the table of docs/examples.md, twice as many passes,
and two changes of the data. Keeps the adjusted Rand index of each row and way to find clusters, and
the processor time. May be stopped at any time; the same command goes on where it was.
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from pathlib import Path
from typing import Any

import torch

from examples import learn_costs
from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.report import describe_environment

# Arguments of the example by the name that the setting has in the results.
SETTINGS: dict[str, dict[str, Any]] = {
    "all rows": {"compare": True},
    "40 epochs": {"epochs": 40},
    "5 neighbours": {"num_nearest": 5},
    "texture inside": {"texture_inside": True},
}
# Two of the first had a part in the choice of the data; the others are fresh.
FIRST_SEEDS, FRESH_SEEDS = range(5), range(5, 10)


def seeds_of(setting: str) -> tuple[int, ...]:
    """Return the seeds that a setting is measured with."""
    return (*FIRST_SEEDS, *FRESH_SEEDS) if setting == "all rows" else tuple(FRESH_SEEDS)


def measure(seed: int, arguments: dict[str, Any]) -> Cell:
    """Run the example with one seed."""
    start = time.process_time()
    scores = learn_costs.main(seed=seed, **arguments)
    seconds = round(time.process_time() - start, 1)
    return {"arguments": arguments, "scores": scores, "processor_seconds": seconds}


def main() -> None:
    """Measure what is not measured yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results"))
    arguments = parser.parse_args()
    # The order of floating-point sums depends on the number of threads.
    torch.set_num_threads(1)
    environment = partial(describe_environment, "python -m benchmarks.learned_costs")
    store = Cache(arguments.output / "learned_costs.json", environment)
    for name, chosen in SETTINGS.items():
        for seed in seeds_of(name):
            key = f"{name}, seed {seed}"
            cell = store.get(key, partial(measure, seed, chosen))
            print(f"{key}: {cell['processor_seconds']:.0f} s", flush=True)


if __name__ == "__main__":
    main()
