from __future__ import annotations

import pytest

from paper.runs.curves import read_runs
from paper.section import Section
from paper.studies import alpha_by_network
from tests.paper.made_runs import write_run
from tests.paper.pages import rows_of

START = {"feasible_ratio": 0.7, "optimal_ratio": 0.65, "objective_ratio": 0.98}
SCHEDULE = {"alpha_start": 0, "alpha_ramp": 30_000, "before": START, "train": "irismp"}


@pytest.fixture
def write(settings):
    """Write a run that finetunes a shipped network, with its last measures."""
    folder = settings.curves / "readings"
    folder.mkdir(parents=True, exist_ok=True)

    def written(name, last, **changes):
        rows = [(10_000, 0.7, 0.66, 0.99), (60_000, *last)]
        write_run(folder, f"irismp-{name}", rows, **(SCHEDULE | {"alpha": 0.01} | changes))

    return written


def rendered(settings):
    section = Section()
    alpha_by_network.write_table(section, read_runs(settings.curves / "readings"))
    return section


def test_without_runs_there_is_no_table(settings, write):
    write("all-0.01", (0.7, 0.6, 0.98))
    assert rendered(settings).lines == []


def test_runs_are_listed_below_the_start_of_their_network(settings, write):
    write("gt-from-shipped-none", (0.70, 0.64, 0.97), alpha=0.0)
    write("gt-from-shipped-0.01", (0.80, 0.02, 0.55))
    section = rendered(settings)
    assert rows_of(section.lines, "GT") == [
        ["start", "0.7000", "0.6500", "0.9800", "–"],  # noqa: RUF001
        ["0, the control", "0.7000", "0.6400", "0.9700", "0.9900"],
        ["0.01", "0.8000", "0.0200", "0.5500", "0.9900"],
    ]
    assert [each["network"] for each in section.tables["alpha_by_network"]] == ["GT", "GT"]


def test_effects_of_the_published_alpha_are_counted_by_reading(settings, write):
    for prefix in ("", "gin0_w_bn-"):
        write(f"{prefix}from-shipped-none", (0.70, 0.64, 0.97), alpha=0.0)
        write(f"{prefix}from-shipped-0.01", (0.80, 0.02, 0.55))
    write("from-shipped-all-0.01", (0.80, 0.60, 0.99), ccl_edges="all")
    # Better, but more graphs are optimal, which is not as published.
    write("gin0_w_bn-from-shipped-all-0.01", (0.80, 0.65, 0.98), ccl_edges="all")
    text = " ".join("\n".join(rendered(settings).lines).split())
    with_condition, as_printed = text.split("With alpha = 0.01 ")[1:]
    assert "in 0 of 2 networks" in with_condition
    assert "The largest loss is 0.420" in with_condition
    assert "in 2 of 2 networks. All three published effects hold in 1." in as_printed
    assert "loss is" not in as_printed


def test_networks_and_runs_that_are_not_recorded_are_named(settings, write):
    kinds = {"none": 0.0, "0.001": 0.001, "0.01": 0.01, "all-0.01": 0.01}
    names = ("", "gin0_w_bn-", "sgcn_w_bn-", "gt-")
    for prefix in names:
        for kind, alpha in kinds.items():
            if (prefix, kind) != ("gt-", "all-0.01"):
                write(f"{prefix}from-shipped-{kind}", (0.70, 0.64, 0.97), alpha=alpha)
    text = " ".join("\n".join(rendered(settings).lines).split())
    assert (
        "trained on IrisMP (easier): GCN_W_BN, GIN0_W_BN, SGCN_W_BN and GT. Such runs of "
        'RGGCN_HE are not recorded. Of GT, "0.01, Eq. 9 as printed" is not recorded. Alpha rises'
        in text
    )
    write("gt-from-shipped-all-0.01", (0.70, 0.64, 0.97), ccl_edges="all")
    for kind, alpha in kinds.items():
        write(f"rggcn_he-from-shipped-{kind}", (0.70, 0.64, 0.97), alpha=alpha)
    text = " ".join("\n".join(rendered(settings).lines).split())
    assert "SGCN_W_BN, GT and RGGCN_HE. Alpha rises" in text
    assert "not recorded" not in text


def test_networks_without_a_control_are_not_counted(settings, write):
    write("from-shipped-0.01", (0.80, 0.02, 0.55))
    assert "networks" not in "\n".join(rendered(settings).lines[-2:])
