from __future__ import annotations

import pytest

from multicut.models import DEFAULT_MODEL
from paper.claims import quality, section, speed
from paper.claims.claim import Verdict, factor
from paper.claims.oddities import find_oddities
from paper.claims.tables import NotMeasuredError, Tables
from tests.paper.claims.made_table import made_ratios
from tests.paper.pages import rows_of


def test_lookups_say_what_is_not_measured():
    tables = Tables({"a": [{"x": 1, "y": None}, {"x": 2, "y": 5}]})
    assert tables.number("a", "y", x=2) == 5
    assert tables.find("b") == []
    for wrong in ({"x": 1}, {"x": 3}):
        with pytest.raises(NotMeasuredError):
            tables.number("a", "y", **wrong)


def _times(on_gpu, on_processor):
    row = {"total_seconds": on_gpu, "processor_total_seconds": on_processor}
    networks = [{"solver": f"gcn_w_bn-{block}", **row} for block in ("irismp", "randommp")]
    return Tables({"table1": made_ratios(), "table1_cuda": networks})


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
    assert finding.measured.endswith("On a processor faster at no size.")
    slow = speed.growing_graphs(Tables({"table2": _growing((1.5, 25.0), (0, 0))}))
    assert slow.verdict == Verdict.FAILS
    assert slow.measured == "On a GPU slower at every size. On a processor faster at no size."


def test_growing_graphs_that_do_not_fit_into_memory():
    records = _growing((1.5, 5.0), (-10.0, -100.0), share=0.8)
    full = {"solver": "gnn", "device": "cuda", "setting": None, "num_nodes": 10_000}
    records.append(full | {"out_of_memory": True, "share_of_rounding": None})
    tables = Tables({"table2": records})
    assert "On a GPU faster at 1,000 nodes (2.0 times)" in speed.growing_graphs(tables).measured
    assert "80 % at 1,000 nodes" in speed.rounding(tables).measured
    only = [each for each in records if each.get("out_of_memory") or each["device"] == "cpu"]
    with pytest.raises(NotMeasuredError, match="times of gnn on cuda"):
        speed.growing_graphs(Tables({"table2": only}))


@pytest.mark.parametrize(("share", "verdict"), [(0.02, Verdict.FAILS), (0.8, Verdict.HOLDS)])
def test_rounding(share, verdict):
    tables = Tables({"table2": _growing((1.5, 5.0), (0, 0), share)})
    finding = speed.rounding(tables)
    assert finding.verdict == verdict
    assert f"on a GPU {100 * share:.0f} %" in finding.measured
    with pytest.raises(NotMeasuredError):
        speed.rounding(Tables({"table2": _growing((1.5, 5.0), (0, 0), None)}))


@pytest.mark.parametrize(
    ("objectives", "better", "verdict"),
    [
        ((-10.0, -5.0), "1,000 nodes", Verdict.IN_PART),
        ((-10.0, -100.0), "no size", Verdict.FAILS),
    ],
)
def test_time_bounded_gaec(objectives, better, verdict):
    bounded = [
        {"budget_on": place, "test_set": "RandomMP", "ratio": ratio, "network_ratio": 0.9}
        for place, ratio in (("GPU", 0.1), ("processor", 0.98))
    ]
    tables = Tables({"table2": _growing((1.5, 5.0), objectives), "time_bounded": bounded})
    finding = speed.time_bounded(tables)
    assert finding.verdict == verdict
    assert "many graphs at once: GAEC reaches 0.100 against 0.900 on RandomMP" in finding.measured
    assert f"One growing graph at a time: the network is better at {better}." in finding.measured


def test_the_section_says_what_is_not_measured():
    found = section.render({"table1": made_ratios()})
    records = {record["claim"]: record for record in found.tables["claims"]}
    assert len(records) == len(section.CLAIMS)
    claim = "All learned models outperform LR and MLP"
    assert records[claim]["verdict"] == "does not hold"
    assert rows_of(found.lines, claim)[0][-1] == "**does not hold**"
    claim = "GNNs spend 75 to 99 % of their time rounding"
    assert rows_of(found.lines, claim) == [["4.1", "Not measured.", "**cannot be judged**"]]
    assert "Unexplained" not in "\n".join(found.lines)


def test_networks_far_above_their_published_values_are_named():
    changed = {("gt-irismp", "IrisMP"): 0.99, ("rggcn_he-irismp", "IrisMP"): 0.85}
    text = " ".join("\n".join(section.render({"table1": made_ratios(changed)}).lines).split())
    assert "here than published, on easier graphs: `gt-irismp` reaches 0.9900 (published" in text
    assert "`rggcn_he-irismp` reaches" not in text
    assert "For GCN_W_BN the difference is +0.0000." in text


def test_published_numbers_that_do_not_fit_together():
    _, bounded, growing = find_oddities()
    assert "takes 6.3 s, GCN_W_BN at most 4.8 s" in bounded
    assert "(-3,401,783) is below 10 times the ILP's at 100,000 (-3,282,240)" in growing
    assert "is 19 % worse than 10 times its own at 100,000" in growing


def test_the_network_of_growing_graphs_is_named():
    text = " ".join("\n".join(section.render({}).lines).split())
    assert f"rounding and time-bounded GAEC are of `{DEFAULT_MODEL}`, selected on" in text


def test_stand_ins_are_named():
    sets = [
        {"test_set": "Knott", "is_stand_in": True},
        {"test_set": "IrisMP", "is_stand_in": False},
    ]
    text = " ".join("\n".join(section.render({"test_sets": sets}).lines).split())
    assert "than the published one, and those of Knott are stand-ins." in text
    tables = {"table1": made_ratios(), "test_sets": sets}
    assert "Stand-ins do not count." in quality.best_network(Tables(tables)).measured
