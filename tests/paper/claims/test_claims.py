from __future__ import annotations

import pytest

from paper.claims import quality, section, speed, training
from paper.claims.claim import Verdict, factor
from paper.claims.oddities import find_oddities
from paper.claims.tables import NotMeasuredError, Tables
from paper.published import TABLE_1
from tests.paper.pages import rows_of


def _ratios(changes=()):
    """Return a Table 1 in which every network has its published ratio, 0 for none."""
    found = {
        (name, test_set): row.ratios[column] or 0.0
        for name, row in TABLE_1.items()
        for column, test_set in enumerate(("IrisMP", "RandomMP"))
    } | dict(changes)
    return [
        {"solver": solver, "test_set": test_set, "ratio": value, "seconds": 10.0}
        for (solver, test_set), value in found.items()
    ]


def _solvers(**changes):
    means = {name: row.harmonic_mean or 0.0 for name, row in TABLE_1.items()}
    return [{"solver": n, "harmonic_mean": v} for n, v in (means | changes).items()]


def test_lookups_say_what_is_not_measured():
    tables = Tables({"a": [{"x": 1, "y": None}, {"x": 2, "y": 5}]})
    assert tables.number("a", "y", x=2) == 5
    assert tables.find("b") == []
    for wrong in ({"x": 1}, {"x": 3}):
        with pytest.raises(NotMeasuredError):
            tables.number("a", "y", **wrong)


def test_the_best_network_is_that_of_both_blocks():
    published = Tables({"table1": _ratios(), "table1_solvers": _solvers()})
    finding = quality.best_network(published)
    assert finding.verdict == Verdict.IN_PART
    assert "in 2 of 2 blocks (0.786 and 0.881)" in finding.measured
    assert "`gin0_w_bn-irismp` and `sgcn_w_bn-irismp` are above it" in finding.measured
    assert "by up to 0.0071" in finding.measured
    worse = {"table1": _ratios(), "table1_solvers": _solvers(**{"mlp-randommp": 1, "lr-irismp": 1})}
    assert quality.best_network(Tables(worse)).verdict == Verdict.FAILS
    low = {("gin0_w_bn-irismp", "IrisMP"): 0.5, ("sgcn_w_bn-irismp", "IrisMP"): 0.5}
    better = {"table1": _ratios(low), "table1_solvers": _solvers()}
    assert quality.best_network(Tables(better)).verdict == Verdict.HOLDS


def test_recent_models_are_compared_on_their_own_family():
    finding = quality.recent_models(Tables({"table1": _ratios()}))
    assert finding.verdict == Verdict.HOLDS
    assert "0.983, RGGCN 0.798, GT 0.794" in finding.measured
    changed = {("rggcn_he-randommp", "RandomMP"): 0.91}
    finding = quality.recent_models(Tables({"table1": _ratios(changed)}))
    assert finding.verdict == Verdict.IN_PART


def test_baselines_are_counted_by_cell():
    finding = quality.baselines(Tables({"table1": _ratios()}))
    assert finding.verdict == Verdict.FAILS
    names = "`sgcn_w_bn-irismp`, `rggcn_he-irismp` and `gt-irismp` on RandomMP"
    assert f"Below LR or MLP in 3 of 18 cells: {names}." in finding.measured
    # LR is above all networks trained on RandomMP on CREMI, for example.
    assert "14 of 44 cells are." in finding.measured
    baselines = [name for name in TABLE_1 if name.startswith(("lr", "mlp"))]
    none = {(name, test_set): 0.0 for name in baselines for test_set in quality.DRAWN}
    assert quality.baselines(Tables({"table1": _ratios(none)})).verdict == Verdict.HOLDS


@pytest.mark.parametrize(("alone", "verdict"), [(0.4, Verdict.HOLDS), (0.9, Verdict.IN_PART)])
def test_edge_weights_and_normalisation(alone, verdict):
    values = {"gcn_minus_laplacian": 0.3, "gcn_plus_edge_weights": 0.5, "gcn_w": 0.8}
    values["gcn_w_minus_edge_weights"] = alone
    records = [
        {"architecture": name, "test_set": test_set, "ratio": value}
        for name, value in values.items()
        for test_set in ("IrisMP", "RandomMP")
    ]
    assert quality.ablation(Tables({"table3": records})).verdict == verdict


def test_losses_are_compared_by_family():
    def loss(family, batch_norm, value):
        return {"family": family, "batch_norm": batch_norm, "least_bce": value}

    gcn = [loss("GCN", False, 0.6), loss("GCN", False, 0.1), loss("GCN", True, 0.05)]
    gin = [loss("GIN0", False, 0.6), loss("GIN0", False, 8000.0), loss("GIN0", True, 0.05)]
    assert quality.losses(Tables({"losses": gcn})).verdict == Verdict.HOLDS
    finding = quality.losses(Tables({"losses": gcn + gin}))
    assert finding.verdict == Verdict.IN_PART
    assert "not for GIN0 (0.600 without, 8,000.000 with)" in finding.measured


def _times(on_gpu, on_processor):
    row = {"total_seconds": on_gpu, "processor_total_seconds": on_processor}
    networks = [{"solver": f"gcn_w_bn-{block}", **row} for block in ("irismp", "randommp")]
    return Tables({"table1": _ratios(), "table1_cuda": networks})


@pytest.mark.parametrize(
    ("on_gpu", "on_processor", "verdict"),
    [
        (0.02, 0.03, Verdict.HOLDS),
        (0.02, 2.0, Verdict.IN_PART),
        (0.2, 2.0, Verdict.FAILS),
    ],
)
def test_an_order_of_a_thousand(on_gpu, on_processor, verdict):
    # All solvers take 20 s for the two sets.
    finding = speed.exact_solvers(_times(on_gpu, on_processor))
    assert finding.verdict == verdict
    assert f"On a GPU {factor(20 / on_gpu)} (LP)" in finding.measured


def test_gaec_is_faster_on_a_processor():
    finding = speed.gaec(_times(10.0, 40.0))
    assert (finding.verdict, finding.where) == (Verdict.IN_PART, "on a GPU")
    expected = "On a GPU 2.0 times as fast; on a processor it takes 2.0 times as long."
    assert finding.measured == expected
    assert speed.gaec(_times(30.0, 40.0)).verdict == Verdict.FAILS


def _growing(seconds, objectives, share=0.02):
    rows = {
        ("gaec", "cpu"): ((1.0, 10.0), (-10.0, -100.0)),
        ("gnn", "cpu"): ((2.0, 20.0), (-9.0, -90.0)),
        ("gnn", "cuda"): (seconds, (-9.0, -90.0)),
        ("gaec-bounded-by-gpu", "cpu"): (seconds, objectives),
    }
    return [
        {
            "solver": solver,
            "device": device,
            "setting": None,
            "num_nodes": size,
            "seconds": second,
            "objective": objective,
            "share_of_rounding": share,
        }
        for (solver, device), cells in rows.items()
        for size, second, objective in zip((10, 1_000), *cells, strict=True)
    ]


def test_growing_graphs():
    finding = speed.growing_graphs(Tables({"table2": _growing((1.5, 5.0), (0, 0))}))
    assert (finding.verdict, finding.where) == (Verdict.IN_PART, "on a GPU")
    expected = "On a GPU faster at 1,000 nodes (2.0 times), with an objective 10.0 % worse"
    assert finding.measured.startswith(expected)
    # That of the published table, from 10,000 nodes on.
    assert "(published: 15 to 36 %)" in finding.measured
    slow = speed.growing_graphs(Tables({"table2": _growing((1.5, 15.0), (0, 0))}))
    assert slow.verdict == Verdict.FAILS


@pytest.mark.parametrize(("share", "verdict"), [(0.02, Verdict.FAILS), (0.8, Verdict.HOLDS)])
def test_rounding(share, verdict):
    tables = Tables({"table2": _growing((1.5, 5.0), (0, 0), share)})
    finding = speed.rounding(tables)
    assert finding.verdict == verdict
    assert f"on a GPU {100 * share:.0f} %" in finding.measured
    with pytest.raises(NotMeasuredError):
        speed.rounding(Tables({"table2": _growing((1.5, 5.0), (0, 0), None)}))


@pytest.mark.parametrize(
    ("objectives", "verdict"),
    [((-10.0, -5.0), Verdict.IN_PART), ((-10.0, -100.0), Verdict.FAILS)],
)
def test_time_bounded_gaec(objectives, verdict):
    bounded = [
        {"budget_on": place, "test_set": "RandomMP", "ratio": ratio, "network_ratio": 0.9}
        for place, ratio in (("GPU", 0.1), ("processor", 0.98))
    ]
    tables = Tables({"table2": _growing((1.5, 5.0), objectives), "time_bounded": bounded})
    finding = speed.time_bounded(tables)
    assert finding.verdict == verdict
    assert "many graphs at once: GAEC reaches 0.100 against 0.900 on RandomMP" in finding.measured


@pytest.mark.parametrize(("deep", "verdict"), [(0.97, Verdict.HOLDS), (0.99, Verdict.FAILS)])
def test_depth_is_compared_with_seeds(deep, verdict):
    depths = [
        {"depth": depth, "test_set": test_set, "ratio": value}
        for depth, value in ((4, 0.5), (10, 0.96), (20, deep))
        for test_set in ("IrisMP", "RandomMP")
    ]
    recipe = [
        {"train": "irismp", "kind": "published", "before": value} for value in (0.97, 0.98, 0.99)
    ]
    assert training.depth(Tables({"depth": depths, "recipe": recipe})).verdict == verdict


@pytest.mark.parametrize(
    ("best", "last", "verdict"),
    [(0.9, 0.85, Verdict.HOLDS), (0.9, 0.2, Verdict.IN_PART), (0.8, 0.2, Verdict.FAILS)],
)
def test_cycle_consistency(best, last, verdict):
    keys = {"kind": "published", "before": 0.8, "best": best, "last": last}
    recipe = [{"train": train, **keys} for train in ("randommp", "irismp")]
    counts = {f"{name}_in": 4 for name in ("feasible", "optimal", "objective")}
    effects = [
        {"train": t, "kind": "published", "seeds": 5, **counts} for t in ("randommp", "irismp")
    ]
    printed = {"objective_ratio_before": 0.9, "objective_ratio_last": 0.95}
    effects.append({"train": "irismp", "kind": "all", "seeds": 4, **counts, **printed})
    finding = training.cycle_consistency(Tables({"recipe": recipe, "recipe_effects": effects}))
    assert finding.verdict == verdict
    assert "more feasible in 8 of 10 seeds" in finding.measured
    assert "Eq. 9 as printed: 0.900 before and 0.950 in the end" in finding.measured


@pytest.mark.parametrize(
    ("is_stand_in", "others", "verdict"),
    [
        (True, 0.8, Verdict.UNKNOWN),
        (False, 0.8, Verdict.HOLDS),
        (False, 0.99, Verdict.FAILS),
    ],
)
def test_finetuning(is_stand_in, others, verdict):
    values = {
        "trained on RandomMP": 0.85,
        "i) all": others,
        "ii) edge classifier": others,
        "iii) its last layer": 0.9,
    }
    records = [
        {"test_set": "Knott", "network": network, "ratio": value, "is_stand_in": is_stand_in}
        for network, value in values.items()
    ]
    finding = training.finetuning(Tables({"finetuning": records}))
    assert finding.verdict == verdict
    assert "differs from its start by +0.0500." in finding.measured


def test_the_section_says_what_is_not_measured():
    found = section.render({"table1": _ratios()})
    records = {record["claim"]: record for record in found.tables["claims"]}
    assert len(records) == len(section.CLAIMS)
    claim = "All learned models outperform LR and MLP"
    assert records[claim]["verdict"] == "does not hold"
    assert rows_of(found.lines, claim)[0][-1] == "**does not hold**"
    claim = "GNNs spend 75 to 99 % of their time rounding"
    assert rows_of(found.lines, claim) == [["4.1", "Not measured.", "**cannot be judged**"]]
    text = " ".join("\n".join(found.lines).split())
    assert "`gt-irismp` reaches 0.794 (published 0.794)" in text


def test_published_numbers_that_do_not_fit_together():
    _, bounded, growing = find_oddities()
    assert "takes 6.3 s, GCN_W_BN at most 4.8 s" in bounded
    assert "(-3,401,783) is below 10 times the ILP's at 100,000 (-3,282,240)" in growing
    assert "is 19 % worse than 10 times its own at 100,000" in growing


def test_stand_ins_are_named():
    sets = [
        {"test_set": "Knott", "is_stand_in": True},
        {"test_set": "IrisMP", "is_stand_in": False},
    ]
    text = " ".join("\n".join(section.render({"test_sets": sets}).lines).split())
    assert "than the published one, and those of Knott are stand-ins." in text
    tables = {"table1": _ratios(), "table1_solvers": _solvers(), "test_sets": sets}
    assert "(0.786 and 0.881), with stand-ins." in quality.best_network(Tables(tables)).measured
