"""Options: declarations, checks, lists and the parsing of keyword arguments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import multicut as mc
from multicut._checks import Integer
from multicut._options import Options, check_order, option
from multicut.solvers import list_solvers


@dataclass(frozen=True)
class Sample(Options):
    """Options of every kind."""

    low: int = option(1, "the least", least=0, most=9)
    high: int = option(5, "the most", least=0)
    share: float = option(0.5, "a part", least=0, most=1)
    fast: bool = option(False, "whether to hurry")
    mode: str = option("a", "how", choices=("a", "b"))
    threads: int | None = option(None, "how many", rule=Integer(1))

    def check_together(self) -> None:
        check_order(low=self.low, high=self.high)


def test_values_are_checked_and_get_plain_types():
    found = Sample(low=np.int16(2), share=1, threads=None)
    assert found == Sample(low=2, share=1.0)
    assert type(found.low) is int
    assert type(found.share) is float
    for given, message in (
        ({"low": 10}, "low must be between 0 and 9, got 10"),
        ({"share": 2}, "share must be between 0 and 1, got 2"),
        ({"mode": "c"}, "mode must be one of a, b, got 'c'"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"low": 6}, "low must be at most high, got 6 and 5"),
    ):
        with pytest.raises(ValueError, match=message):
            Sample(**given)
    for given, message in (
        ({"fast": 1}, "fast must be True or False, got 1"),
        ({"high": None}, "high must be an integer, got None"),
        ({"threads": 1.5}, "threads must be an integer or None, got 1.5"),
    ):
        with pytest.raises(TypeError, match=message):
            Sample(**given)


def test_an_option_without_a_rule_is_an_error():
    with pytest.raises(TypeError, match="an option whose default is None needs a rule"):
        option(None, "anything")


def test_lists_of_options_come_from_the_declarations():
    assert Sample.option_defaults()["share"] == 0.5
    assert Sample.option_meanings()["share"] == "a part"
    assert list(Sample.option_defaults()) == list(Sample.option_meanings())


def test_unknown_names_are_refused_with_the_known_ones():
    assert Sample.parse({"low": 2}, "thing 'x'") == Sample(low=2)
    with pytest.raises(TypeError) as caught:
        Sample.parse({"hihg": 2}, "thing 'x'")
    assert str(caught.value) == (
        "thing 'x' has no option 'hihg'; did you mean 'high'? its options are: low, high, share, "
        "fast, mode, threads"
    )
    with pytest.raises(TypeError, match="did you mean 'time_limit'"):
        Sample.parse({"timelimit": 2}, "thing 'x'", ["time_limit"])


@pytest.mark.parametrize("record", list_solvers(), ids=lambda record: record.name)
def test_every_solver_declares_its_options_here(record):
    assert issubclass(record.options, Options)
    assert all(record.option_meanings.values())
    shared = {"device": "cpu0", "num_threads": 0, "precision": "half"}
    for name in shared.keys() & record.option_defaults.keys():
        with pytest.raises(ValueError, match=f"{name} must be .*got"):
            record.parse_options({name: shared[name]})


def test_what_computes_in_parallel_takes_num_threads():
    has_threads = {r.name for r in list_solvers() if "num_threads" in r.option_defaults}
    assert has_threads == {
        "auto",
        "dual-greedy",
        "klj",
        "fusion",
        "memetic",
        "lp",
        "ilp",
        "gnn",
        "learned",
    }


def test_a_bad_device_is_refused_before_anything_is_loaded():
    problem = mc.Problem([[0, 1]], [1.0])
    for solver in ("auto", "gnn", "learned"):
        with pytest.raises(ValueError, match="device must be 'cpu' or 'cuda', got 'tpu'"):
            mc.solve(problem, solver, device="tpu")
