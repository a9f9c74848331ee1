from __future__ import annotations

import pytest

from paper.runs.curves import read_runs
from paper.studies import cycles as cycle_study
from paper.studies.alpha import find_alphas
from tests.paper.made_runs import write_run
from tests.paper.pages import heading, rows_of

# CCL from 80 % of training on.
SCHEDULE = {"decay": "cosine", "alpha_start": 2_520_000, "alpha_ramp": 315_000}
PLAIN = [(1_575_000, 0.0, 0.0, 0.80), (2_520_000, 0.0, 0.0, 0.84), (3_150_000, 0.01, 0.02, 0.86)]
CYCLES = [*PLAIN[:2], (3_150_000, 0.12, 0.004, 0.93)]
FINETUNING = {
    "started_from": "runs/gcn_w_bn-randommp-decay-alpha-0/model",
    "decay": "cosine",
    "learning_rate": 0.0003,
    "alpha_start": 0,
    "alpha_ramp": 100_000,
}
ALPHAS = (0, 0.001, 0.003, 0.01, 0.03)


def finetuned(folder, alpha, ratio, feasible=0.0, **changes):
    rows = [(150_000, 0.0, 0.0, 0.85), (300_000, feasible, 0.0, ratio)]
    name = f"gcn_w_bn-randommp-decay-then-alpha-{alpha:g}"
    write_run(folder, name, rows, alpha=alpha, **(FINETUNING | changes))


@pytest.fixture
def curves(settings):
    """Runs as they come from a GPU: a control, CCL with its seed, another seed, finetuning."""
    folder = settings.curves
    write_run(folder, "gcn_w_bn-randommp-decay-alpha-0", PLAIN, **SCHEDULE)
    write_run(folder, "gcn_w_bn-randommp-decay-alpha-0.003", CYCLES, alpha=0.003, **SCHEDULE)
    name = "gcn_w_bn-randommp-decay-seed-1-alpha-0.01"
    write_run(folder, name, CYCLES, alpha=0.01, seed=1, **SCHEDULE)
    for alpha, ratio in zip(ALPHAS, (0.87, 0.88, 0.90, 0.89, 0.2), strict=True):
        finetuned(folder, alpha, ratio, feasible=10 * alpha)
    return folder


def render(settings):
    return cycle_study.render(settings)


def test_with_and_without_ccl(settings, curves):
    runs = read_runs(curves)
    ((control, with_cycles),) = cycle_study.find_pairs(runs).values()
    assert control.name == "gcn_w_bn-randommp-decay-alpha-0"
    # The run of another seed has no control.
    assert [run.name for run in with_cycles] == ["gcn_w_bn-randommp-decay-alpha-0.003"]
    cycle_study.measure(settings)
    section = render(settings)
    text = "\n".join(section.lines)
    assert "![Validation with and without CCL, trained on RandomMP]" in text
    assert "(images/results-cycles-randommp.svg)" in text
    drawn = (settings.output / "images" / "results-cycles-randommp.svg").read_text()
    assert "stroke-dasharray" in drawn  # where CCL begins
    differences = rows_of(section.lines, "difference")
    assert differences == [["", "", "+0.1100", "-0.0160", "+0.0700"]]
    (row,) = rows_of(section.lines, f"`{with_cycles[0].name}`", "0.003")[:1]
    assert row == ["from 2,520,000 of 3,150,000", "0.1200", "0.0040", "0.9300"]
    assert rows_of(section.lines, "published", "0.01") == [
        ["from 3,000,000 of 3,150,000", "more", "fewer", "better"]
    ]
    records = section.tables["cycles_randommp"]
    assert [record["control"] for record in records] == [None, control.name]
    assert records[1]["feasible_ratio"] == 0.12


@pytest.mark.usefixtures("curves")
def test_figures_name_their_set(settings, drawn):
    cycle_study.measure(settings)
    assert heading(drawn["cycles-randommp"]) == "GCN_W_BN, trained on RandomMP"
    assert heading(drawn["alphas"]) == "GCN_W_BN, finetuned on RandomMP"


def test_a_pair_is_asked_for_where_there_is_none(settings):
    write_run(settings.curves, "alone", CYCLES, alpha=0.003, **SCHEDULE)
    assert "no two runs yet that have the same seed" in "\n".join(render(settings).lines)
    cycle_study.measure(settings)
    assert not (settings.output / "images").exists()


def test_longer_pairs_come_first(curves):
    short = {"alpha_start": 100, "alpha_ramp": 10}
    rows = [(100, 0.0, 0.0, 0.5), (200, 0.0, 0.0, 0.5)]
    write_run(curves, "short", rows, **short)
    write_run(curves, "short-with-ccl", rows, alpha=0.1, **short)
    write_run(curves, "iris", rows, train="irismp", **short)
    write_run(curves, "iris-with-ccl", rows, train="irismp", alpha=0.1, **short)
    pairs = cycle_study.find_pairs(read_runs(curves))
    assert {graphs: control.name for graphs, (control, _) in pairs.items()} == {
        "randommp": "gcn_w_bn-randommp-decay-alpha-0",
        "irismp": "iris",
    }


@pytest.mark.usefixtures("curves")
def test_alphas_beside_their_control(settings):
    cycle_study.measure(settings)
    assert (settings.output / "images" / "results-alphas.svg").exists()
    section = render(settings)
    text = " ".join("\n".join(section.lines).split())
    assert "no control run" not in text
    assert "Without a control" not in text
    assert "`gcn_w_bn-randommp-decay-alpha-0` finetuned" in text
    assert "300,000 instances" in text
    (control,) = rows_of(section.lines, "0, the control", "0.0003")
    assert control[:4] == ["0.8700", "0", "0.8700", "–"]  # noqa: RUF001
    (best,) = rows_of(section.lines, "0.003", "0.0003")
    assert best[:5] == ["0.9000", "0.003", "0.9000", "+0.0300", "0.030"]
    gains = [record["gain_over_control"] for record in section.tables["alphas"]]
    assert gains == [None, None, *(pytest.approx(g) for g in (0.01, 0.03, 0.02, -0.67))]
    (start,) = rows_of(section.lines, "none: the network that all start from", "")
    assert start[0] == "0.8600"


def test_a_missing_control_is_told_of(settings, curves):
    (curves / "gcn_w_bn-randommp-decay-then-alpha-0.csv").unlink()
    assert "There is no control run yet" in "\n".join(render(settings).lines)
    # A control at another rate is none for these; the others are left.
    finetuned(curves, 0, 0.88, learning_rate=0.001)
    assert "There is no control run yet" in "\n".join(render(settings).lines)
    rows = [(150_000, 0.0, 0.0, 0.85), (300_000, 0, 0.0, 0.9)]
    changes = FINETUNING | {"learning_rate": 0.001}
    write_run(curves, "at-that-rate", rows, alpha=0.01, **changes)
    text = "\n".join(render(settings).lines)
    assert "There is no control run yet" not in text
    assert "Without a control at the same learning rate: `gcn_w_bn-randommp-decay-then" in text


def test_a_set_with_controls_comes_before_a_larger_one(curves):
    for i in range(9):
        write_run(
            curves,
            f"more-{i}",
            [(150, 0, 0, 0.5)],
            alpha=0.1 + i,
            alpha_start=0,
            started_from="gcn_w_bn-randommp-decay-alpha-0",
        )
    found = find_alphas(read_runs(curves))
    assert [run.alpha for run in found] == list(ALPHAS)


def test_finetuning_on_other_graphs_is_no_choice_of_alpha(curves):
    write_run(
        curves,
        "cremi-finetuned",
        [(150, 0, 0, 0.5)],
        alpha=0.1,
        alpha_start=0,
        started_from="gcn_w_bn-randommp-decay-alpha-0",
        train="build/finetuning/cremi",
    )
    assert "cremi-finetuned" not in {run.name for run in find_alphas(read_runs(curves))}


@pytest.mark.usefixtures("curves")
def test_before_and_after(settings):
    section = render(settings)
    (row,) = rows_of(section.lines, "`gcn_w_bn-randommp-decay-seed-1-alpha-0.01`", "0.01")
    assert row == ["cosine", "RandomMP", "0.000 → 0.120", "0.000 → 0.004", "0.840 → 0.930"]
    # The best network of the run that was finetuned, not its last one.
    (row,) = rows_of(section.lines, "`gcn_w_bn-randommp-decay-then-alpha-0.03`", "0.03")
    assert row[-1] == "0.860 → 0.200"
    text = " ".join("\n".join(section.lines).split())
    assert "no graph becomes feasible" not in text
    # 0.84 → 0.93 and 0.86 → 0.89: no harm was done.
    assert "2 of these runs were trained on RandomMP with the published alpha = 0.01." in text
    assert "feasible than before CCL in 2 of them, and the objective was worse in 0" in text


MIXTURE = {"irismp": 0.5, "randommp": 0.5}
START = {"feasible_ratio": 0.2, "optimal_ratio": 0.1, "objective_ratio": 0.88, "ccl": 60.0}


def first_rows(settings):
    section = render(settings)
    changes = rows_of(section.lines, "`gcn_w_bn-randommp-decay-then-alpha-0.003`", "0.003")
    starts = rows_of(section.lines, "none: the network that all start from", "")
    return changes, starts, " ".join("\n".join(section.lines).split())


def test_values_of_other_graphs_are_not_compared(settings, curves):
    for alpha in ALPHAS:
        finetuned(curves, alpha, 0.9, feasible=0.3, validation=MIXTURE)
    changes, starts, text = first_rows(settings)
    assert changes == starts == []
    assert "validated on IrisMP (easier) + RandomMP" in text
    cycle_study.measure(settings)
    assert (settings.output / "images" / "results-alphas.svg").exists()
    # The start, measured on the same graphs: in some records, as a number in older ones.
    finetuned(curves, 0, 0.9, feasible=0.3, validation=MIXTURE, before=0.7)
    finetuned(curves, 0.003, 0.9, feasible=0.3, validation=MIXTURE, before=START | {"bce": None})
    changes, starts, text = first_rows(settings)
    values = ["0.200 → 0.300", "0.100 → 0.000", "0.880 → 0.900"]
    assert changes == [["cosine", "IrisMP (easier) + RandomMP", *values]]
    alphas = render(settings).tables["alphas"]
    assert {tuple(each["easier_sets"]) for each in alphas} == {("IrisMP",)}
    assert len({tuple(each) for each in alphas}) == 1
    assert starts == [["0.8800", "–", "0.8800", "–", "0.200", "0.100", "–", "60.0"]]  # noqa: RUF001


def test_a_control_was_validated_on_the_same_graphs(settings, curves):
    finetuned(curves, 0, 0.87, num_validation=100)
    assert "There is no control run yet" in " ".join("\n".join(render(settings).lines).split())


def test_runs_validated_on_a_mixture_do_not_tell_of_randommp(settings):
    rows = [(100, 0.0, 0.0, 0.8), (200, 0.0, 0.0, 0.9)]
    write_run(settings.curves, "a", rows, alpha=0.001)
    write_run(settings.curves, "b", [rows[0], (200, 0.2, 0.1, 0.9)], alpha=0.01, validation=MIXTURE)
    assert "no graph becomes feasible" in "\n".join(render(settings).lines)


def test_graphs_that_never_become_feasible_are_told_of(settings):
    rows = [(100, 0.0, 0.0, 0.8), (200, 0.0, 0.0, 0.9)]
    write_run(settings.curves, "a", rows, alpha=0.001)
    assert "no graph becomes feasible" in "\n".join(render(settings).lines)
    write_run(settings.curves, "b", [rows[0], (200, 0.5, 0.0, 0.2)], alpha=0.01)
    # There, the objective did not improve.
    assert "no graph becomes feasible" in "\n".join(render(settings).lines)


def test_alpha_of_the_best_network(settings):
    rows = [(50, 0.1, 0, 0.85), (150, 0.2, 0, 0.9), (300, 0.4, 0, 0.88)]
    write_run(settings.curves, "ramp", rows, alpha=0.01)
    run = read_runs(settings.curves)["ramp"]
    assert run.best["instances"] == 150
    assert run.alpha_at(150) == pytest.approx(0.005)


def test_without_curves_the_page_says_so(settings):
    assert "no curves" in render(settings).lines[0]
