from __future__ import annotations

import math

import pytest

from paper import write_page
from paper.runs.curves import read_runs
from paper.studies import ablation
from paper.studies.ablation_figures import training_losses
from paper.studies.variants import find_variants
from tests.paper.made_runs import write_run
from tests.paper.pages import heading, panel, rows_of

ROWS = [(100, 0, 0, 0.5, 0.3), (300, 0, 0, 0.6, 0.25), (400, 0, 0, 0.55, 0.28)]


def iris_run(folder, name, tested=None, **changes):
    network = {"depth": 12} | changes.pop("network", {})
    test = {} if tested is None else {"test": tested}
    write_run(folder, name, ROWS, train="irismp", network=network, **(test | changes))


def test_depths_are_found_by_their_settings(settings):
    for depth in (1, 40, 12):
        tested = {"IrisMP": depth / 100, "RandomMP": depth / 200}
        iris_run(settings.curves, f"any-{depth}", tested, network={"depth": depth})
    # Another schedule, CCL, another network: none of them belongs to the study.
    iris_run(settings.curves, "longer", network={"depth": 2}, planned_instances=500)
    iris_run(settings.curves, "cycles", network={"depth": 3}, alpha=0.1)
    iris_run(settings.curves, "gin", network={"depth": 4, "architecture": "gin0_w"})
    ablation.measure(settings)
    section = ablation.render(settings)
    assert [row[0] for row in rows_of(section.lines, "1")] == ["0.0100"]
    assert list(ablation.find_depths(read_runs(settings.curves))) == [1, 12, 40]
    assert rows_of(section.lines, "40") == [["0.4000", "0.2000", "–"]]  # noqa: RUF001
    assert "(images/results-depth.svg)" in "\n".join(section.lines)
    assert {r["depth"] for r in section.tables["depth"]} == {1, 12, 40}


def test_depths_stand_beside_the_deviation_of_seeds(settings):
    for depth in (10, 12):
        iris_run(settings.curves, f"any-{depth}", network={"depth": depth})
    folder = settings.curves / "published"
    long = {"train": "irismp", "network": {"depth": 12}, "alpha": 0.01, "alpha_start": 500}
    for seed, (first, second) in enumerate(((0.90, 0.96), (0.98, 0.92))):
        rows = [(200, 0, 0, first), (400, 0, 0, second), (600, 0, 0, 0.5)]
        for alpha in (0.01, 0.001):
            write_run(folder, f"{alpha}-{seed}", rows, seed=seed, **(long | {"alpha": alpha}))
    # CCL too early, and another rate: these are not like the runs of the depths.
    rows = [(400, 0, 0, 0.1), (600, 0, 0, 0.2)]
    write_run(folder, "early", rows, seed=2, **(long | {"alpha_start": 300}))
    write_run(folder, "fast", rows, seed=3, learning_rate=0.1, **long)
    section = ablation.render(settings)
    found = section.tables["depth_seeds"]
    assert [(each["run"], each["instances"]) for each in found] == [
        ("0.001-0", 400),
        ("0.001-1", 400),
    ]
    assert [each["last_objective_ratio"] for each in found] == [0.96, 0.92]
    assert [each["best_objective_ratio"] for each in found] == [0.96, 0.98]
    text = " ".join("\n".join(section.lines).split())
    # Two values have a deviation of their difference divided by the root of two.
    assert "2 seeds of the published recipe have 12 layers and no CCL until then." in text
    assert "a standard deviation of 0.0283 at 400 instances." in text
    assert "At the best validation until then it is 0.0141." in text


def test_one_depth_is_no_study(settings):
    iris_run(settings.curves, "gcn_w_bn-irismp-depth-12")
    assert "no runs that differ in the depth alone" in "\n".join(ablation.render(settings).lines)


def test_ablation_and_losses_are_found_by_their_settings(settings):
    for name, batch_norm in (("gcn", False), ("gcn_w", False), ("gcn_w", True), ("mpnn", False)):
        tested = {"IrisMP": 0.5, "RandomMP": 0.25}
        shape = {"architecture": name, "batch_norm": batch_norm}
        iris_run(settings.curves, f"{name}-{batch_norm}", tested, network=shape)
    gin = {"architecture": "gin0", "batch_norm": False}
    iris_run(settings.curves, "longer-gin", {"IrisMP": 0.75}, network=gin, planned_instances=900)
    mpnn = {"architecture": "mpnn", "batch_norm": False}
    iris_run(settings.curves, "mpnn-False", {"IrisMP": 0.1}, network=mpnn, instances=350)
    # Those of another depth would be compared with nothing.
    iris_run(settings.curves, "deep", network={"architecture": "gcn_w", "depth": 40})
    ablation.measure(settings)
    section = ablation.render(settings)
    assert rows_of(section.lines, "GCN", "`earlier/gcn-False`")[0][2:4] == ["0.50", "0.25"]
    assert rows_of(section.lines, "- Laplacian")[0][:3] == ["", "", "not trained"]
    assert rows_of(section.lines, "GIN0", "`earlier/longer-gin`")[0][1:3] == [
        "900 instances",
        "0.75",
    ]
    losses = {tuple(r[k] for k in ("family", "batch_norm")): r for r in section.tables["losses"]}
    assert losses["GCN", True]["run"] == "gcn_w-True"
    assert losses["GCN", True]["least_bce"] == 0.25
    # A row says how long its run was.
    shown = ["400", "–", "0.2500", "0.5000", "0.2500"]  # noqa: RUF001
    assert rows_of(section.lines, "GCN_W_BN", "`earlier/gcn_w-True`") == [shown]
    assert rows_of(section.lines, "GIN0", "`earlier/longer-gin`", "900")[0][1] == "0.2500"
    assert rows_of(section.lines, "SGCN_W")[0][0] == "not trained"
    assert losses["GCN", True]["configuration"] == "earlier/gcn_w-True"
    assert losses["GCN", True]["test_randommp"] == 0.25
    table3 = {(r["architecture"], r["test_set"]): r for r in section.tables["table3"]}
    assert table3["gcn_w", "RandomMP"]["ratio"] == 0.25
    assert table3["gcn_w", "RandomMP"]["published_ratio"] == 0.67
    assert [table3["gcn_w", name]["is_easier"] for name in ("IrisMP", "RandomMP")] == [True, False]
    assert "| IrisMP (easier) | RandomMP |" in "\n".join(section.lines)
    assert all(record["is_easier"] for record in section.tables["losses"])
    assert "(images/results-losses.svg)" in "\n".join(section.lines)


def test_several_seeds_are_a_mean_and_go_before_single_runs(settings):
    settings.curves.mkdir()
    plain = {"architecture": "gcn", "batch_norm": False}
    iris_run(settings.curves, "old", {"IrisMP": 0.9}, network=plain)
    folder = settings.curves / "table3"
    for seed, ratio in enumerate((0.2, 0.4)):
        iris_run(folder, f"gcn-seed-{seed}", {"IrisMP": ratio}, network=plain, seed=seed)
    write_losses(folder, "gcn-seed-0", [0.6, 0.5, 0.5, 0.5, 0.4])
    # The proposed network before CCL begins is like one without it.
    published = settings.curves / "published"
    iris_run(published, "long", network={"architecture": "gcn_w"}, alpha=0.1, alpha_start=300)
    ablation.measure(settings)
    section = ablation.render(settings)
    assert rows_of(section.lines, "GCN", "`table3/gcn-seed-0`", "2")[0][1] == "0.30 ± 0.14"
    losses = {tuple(r[k] for k in ("family", "batch_norm")): r for r in section.tables["losses"]}
    assert losses["GCN", True]["least_bce"] == 0.25
    runs = find_variants(settings)
    # What came after the last validation does not count.
    losses = training_losses(runs["gcn", False][0], settings.curves)
    assert [loss for _, loss in losses] == [0.6, 0.5, 0.5, 0.5]
    assert [row["instances"] for row in runs["gcn_w", True][0].rows] == [100, 300]


def test_a_run_that_was_stopped_is_told_of(settings):
    plain = {"architecture": "gcn", "batch_norm": False}
    iris_run(settings.curves, "a", network=plain, instances=300, planned_instances=400)
    section = ablation.render(settings)
    assert rows_of(section.lines, "GCN", "`earlier/a`")[0][1] == "stopped after 300 instances"


def test_a_row_says_how_its_run_differs_from_the_others(settings):
    for name, changes in {"gcn": {}, "gin0": {}, "mpnn": {"num_validation": 50}}.items():
        shape = {"architecture": name, "batch_norm": False}
        iris_run(settings.curves, name, network=shape, **changes)
    shape = {"architecture": "gcn_w", "batch_norm": False}
    iris_run(settings.curves, "w", network=shape, learning_rate=0.1, planned_instances=900)
    section = ablation.render(settings)
    assert rows_of(section.lines, "GIN0", "`earlier/gin0`")[0][1] == ""
    assert (
        rows_of(section.lines, "MPNN", "`earlier/mpnn`")[0][1]
        == "400 instances, validated on 50 graphs"
    )
    assert rows_of(section.lines, "+ signed norm. = GCN_W", "`earlier/w`")[0][1] == (
        "900 instances, other settings"
    )


def write_losses(folder, name, losses):
    (folder / "losses").mkdir(exist_ok=True)
    lines = [f"{100 * number},{loss}" for number, loss in enumerate(losses, 1)]
    (folder / "losses" / f"{name}.csv").write_text("\n".join(["instances,bce", *lines]) + "\n")


def test_both_halves_of_the_losses_are_told(settings):
    settings.curves.mkdir()
    folder = settings.curves / "table3"
    for name, loss, ratio in (("sgcn", 0.30, 0.97), ("sgcn_w", 0.40, 0.96)):
        rows = [(100, 0, 0, 0.5, loss), (400, 0, 0, 0.6, loss)]
        network = {"architecture": name, "batch_norm": False}
        tested = {"IrisMP": ratio, "RandomMP": 0.5 * ratio}
        write_run(folder, name, rows, train="irismp", network=network, test=tested)
    write_losses(folder, "sgcn", [0.5, 0.35, 0.32, 0.34])
    write_losses(folder, "sgcn_w", [0.9, 0.45, 0.31, 0.33])
    section = ablation.render(settings)
    (found,) = [line for line in section.lines if line.startswith("- SGCN_W against SGCN:")]
    assert " ".join(found.split()) == (
        "- SGCN_W against SGCN: the least loss is lower in training (0.3100 against 0.3200) and "
        "higher on validation graphs (0.4000 against 0.3000). In training it is lower from 300 "
        "instances on (0.3100 against 0.3200 there). The objective ratio is lower on IrisMP "
        "(easier) (0.9600 against 0.9700) and lower on RandomMP (0.4800 against 0.4850)."
    )


def test_panels_of_losses_have_letters_and_say_what_is_missing(settings, drawn):
    settings.curves.mkdir()
    folder = settings.curves / "table3"
    for name, batch_norm in (("gcn", False), ("gcn_w", False), ("gcn_w", True)):
        network = {"architecture": name, "batch_norm": batch_norm}
        run = f"{name}-{batch_norm}"
        iris_run(folder, run, network=network)
        if not batch_norm:
            write_losses(folder, run, [0.4, 0.3, 0.2, 0.1])
    ablation.measure(settings)
    figure = drawn["losses"]
    assert heading(figure) == "Cross entropy, trained on IrisMP (easier)"
    assert [ax.get_title("left") for ax in figure.axes] == [
        "(a) GCN, training",
        "(b) SGCN, training",
        "(c) GIN0, training",
        "(d) GCN, validation",
        "(e) SGCN, validation",
        "(f) GIN0, validation",
    ]
    notes = {
        letter: [text.get_text() for text in ax.texts]
        for letter, ax in zip("abcdef", figure.axes, strict=True)
    }
    assert notes["a"] == ["GCN_W_BN: not recorded"]
    assert notes["d"] == []
    missing = [f"{name}: not trained" for name in ("SGCN", "SGCN_W", "SGCN_W_BN")]
    assert notes["b"] == notes["e"] == missing
    assert [len(ax.lines) for ax in figure.axes] == [2, 0, 0, 3, 0, 0]
    # Notes are below each other.
    heights = [text.get_position()[1] for text in figure.axes[1].texts]
    assert heights == sorted(set(heights), reverse=True)


def test_the_figure_of_depth_names_its_training_set(settings, drawn):
    for depth in (1, 2):
        iris_run(settings.curves, f"{depth}", {"IrisMP": 0.5}, network={"depth": depth})
    ablation.measure(settings)
    assert panel(drawn["depth"], "GCN_W_BN, trained on IrisMP (easier)")


def test_a_loss_that_is_no_number(settings):
    plain = {"architecture": "gcn", "batch_norm": False}
    rows = [(100, 0, 0, 0.0, math.nan), (200, 0, 0, 0.0, 0.4), (300, 0, 0, 0.0, math.nan)]
    write_run(settings.curves, "a", rows, train="irismp", network=plain)
    ablation.measure(settings)
    losses = ablation.render(settings).tables["losses"]
    assert losses[0]["least_bce"] == 0.4
    write_run(settings.curves, "a", rows[::2], train="irismp", network=plain)
    assert ablation.render(settings).tables["losses"][0]["least_bce"] is None
    write_page(settings)  # JSON knows no NaN


@pytest.mark.parametrize("before", [0.7, {"objective_ratio": 0.7, "bce": 0.3}])
def test_finetuning(settings, before):
    graphs = "build/finetuning/cremi"
    write_run(settings.curves, "x", [(100, 0, 0, 0.8)], train=graphs, stand_ins=["CREMI"])
    start = {"train": graphs, "started_from": "gcn_w_bn-randommp", "before": before}
    write_run(settings.curves, "y", [(100, 0, 0, 0.85)], freeze="nothing", **start)
    write_run(settings.curves, "z", [(100, 0, 0, 0.95)], freeze="convolutions", **start)
    section = ablation.render(settings)
    assert rows_of(section.lines, "CREMI (stand-in)") == [
        ["0.7000", "0.8000", "0.8500", "0.9500", "–"]  # noqa: RUF001
    ]
    assert rows_of(section.lines, "Knott") == [["–"] * 5]  # noqa: RUF001
    found = {(r["test_set"], r["network"]): r for r in section.tables["finetuning"]}
    assert found["CREMI", "ii) edge classifier"]["ratio"] == pytest.approx(0.95)
    assert found["CREMI", "iii) its last layer"]["published_ratio"] == 0.9365


@pytest.mark.parametrize(
    ("later", "helps"), [((0.75, 0.74), True), ((0.85, 0.6), False), ((0.65, 0.66), False)]
)
def test_finetuning_helps_if_validations_are_above_the_start(settings, later, helps):
    graphs = "build/finetuning/cremi"
    start = {"started_from": "gcn_w_bn-randommp", "before": {"objective_ratio": 0.7}}
    start |= {"train": graphs, "freeze": "all-but-last-layer", "stand_ins": ["CREMI"]}
    ratios = (0.6, 0.95, *later)
    rows = [(100 * number, 0, 0, value) for number, value in enumerate(ratios, 1)]
    write_run(settings.curves, "y", rows, **start)
    (verdict,) = [
        line
        for line in ablation.render(settings).lines
        if line.startswith("The best validation of")
    ]
    verdict = " ".join(verdict.split())
    # One validation is above the start in any case.
    above = "1 of 1 set: CREMI (stand-in) (0.9500 against 0.7000)."
    assert verdict.startswith(f"The best validation of setting iii is above its start on {above}")
    found = "1 of 1 set: CREMI (stand-in)" if helps else "none of 1 set"
    assert f"Setting iii satisfies this rule on {found}." in verdict
    assert verdict.endswith("on Knott and CREMI, on other graphs.")


def test_finetuning_compares_settings_and_training_from_scratch(settings):
    graphs = "build/finetuning/cremi"
    start = {"train": graphs, "started_from": "gcn_w_bn-randommp"}
    start |= {"before": {"objective_ratio": 0.7}, "stand_ins": ["CREMI"]}
    for freeze, ratio in (("nothing", 0.8), ("convolutions", 0.9), ("all-but-last-layer", 0.85)):
        write_run(settings.curves, freeze, [(100, 0, 0, ratio)], freeze=freeze, **start)
    slow = {"freeze": "convolutions", "learning_rate": 0.0001}
    write_run(settings.curves, "slow", [(100, 0, 0, 0.75)], **start, **slow)
    text = " ".join("\n".join(ablation.render(settings).lines).split())
    assert "one run with each learning rate, 0.001 and 0.0001; the one" in text
    assert "Not trained were i and iii with 0.0001 on CREMI." in text
    assert "it is the best of them on none of 1 set. On CREMI (stand-in), with 0.001: " in text
    assert "with 0.001: i 0.8000, ii 0.9000 and iii 0.8500. Each setting had one run at" in text
    write_run(settings.curves, "scratch", [(100, 0, 0, 0.72)], train=graphs, stand_ins=["CREMI"])
    text = " ".join("\n".join(ablation.render(settings).lines).split())
    better = "Training from scratch is better than the network trained on RandomMP on"
    assert f"{better} 1 of 1 set: CREMI (stand-in)." in text
    assert "In the paper it is better on BSDS300." in text


def test_settings_are_compared_at_learning_rates_that_all_had(settings):
    start = {"train": "build/finetuning/cremi", "started_from": "gcn_w_bn-randommp"}
    start |= {"before": {"objective_ratio": 0.7}, "stand_ins": ["CREMI"]}
    ratios = {
        ("nothing", 0.001): 0.80,
        ("convolutions", 0.001): 0.90,
        ("all-but-last-layer", 0.001): 0.85,
        ("all-but-last-layer", 0.0001): 0.95,
    }
    for (freeze, rate), ratio in ratios.items():
        changes = {"freeze": freeze, "learning_rate": rate}
        write_run(settings.curves, f"{freeze}-{rate}", [(100, 0, 0, ratio)], **start, **changes)
    section = ablation.render(settings)
    text = " ".join("\n".join(section.lines).split())
    assert "it is the best of them on none of 1 set." in text
    found = {each["network"]: each for each in section.tables["finetuning"] if each["ratio"]}
    last = found["iii) its last layer"]
    assert (last["ratio"], last["ratio_at_shared_rates"]) == (0.95, 0.85)
    assert last["shared_rates"] == [0.001]
    assert found["trained on RandomMP"]["ratio_at_shared_rates"] is None
    for freeze, ratio in (("nothing", 0.91), ("convolutions", 0.92)):
        changes = {"freeze": freeze, "learning_rate": 0.0001}
        write_run(settings.curves, f"{freeze}-slow", [(100, 0, 0, ratio)], **start, **changes)
    text = " ".join("\n".join(ablation.render(settings).lines).split())
    best = "1 of 1 set: CREMI (stand-in) (i 0.9100, ii 0.9200 and iii 0.9500)."
    assert f"it is the best of them on {best}" in text


def test_without_runs_nothing_is_drawn(settings):
    ablation.measure(settings)
    text = "\n".join(ablation.render(settings).lines)
    assert "images/" not in text
    assert "not trained" in text
