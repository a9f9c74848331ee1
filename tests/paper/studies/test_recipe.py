from __future__ import annotations

import statistics

import pytest

from paper.studies import recipe
from paper.studies.recipe_figures import edges
from tests.paper.made_runs import write_run
from tests.paper.pages import heading, panel, rows_of

SCHEDULE = {"alpha": 0.01, "alpha_start": 3_000_000, "alpha_ramp": 100_000}


def published_run(folder, kind, seed, before, last, *others, train="irismp", **changes):
    """Write a run: feasible, optimal and objective ratio before CCL and in the end.

    Other validations have their instances first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rows = sorted([*others, (3_000_000, *before), (3_150_000, *last)])
    name = f"gcn_w_bn-{train}-{kind}-seed-{seed}"
    schedule = SCHEDULE | changes
    write_run(folder, name, rows, seed=seed, test={"IrisMP": 0.9}, train=train, **schedule)


def test_effects_of_ccl_are_counted_over_seeds(settings):
    folder = settings.curves / "published"
    published_run(folder, "all", 1, (0.6, 0.6, 0.97), (0.8, 0.5, 0.99))
    published_run(folder, "all", 2, (0.7, 0.7, 0.96), (0.9, 0.6, 0.98))
    published_run(folder, "published", 1, (0.6, 0.6, 0.97), (0.8, 0.1, 0.50))
    published_run(folder, "published", 2, (0.7, 0.7, 0.40), (0.9, 0.2, 0.50))
    section = recipe.render(settings)
    collapsed, printed = section.tables["recipe_effects"]
    assert (collapsed["kind"], printed["kind"]) == ("published", "all")
    assert printed["feasible_ratio_before"] == pytest.approx(0.65)
    assert printed["feasible_ratio_last_deviation"] == pytest.approx(statistics.stdev([0.8, 0.9]))
    assert [printed[f"{name}_in"] for name in ("feasible", "optimal", "objective")] == [2, 2, 2]
    assert collapsed["objective_in"] == 1
    assert collapsed["is_easier"]
    assert {tuple(each["easier_sets"]) for each in section.tables["recipe"]} == {("IrisMP",)}
    row = rows_of(section.lines, "IrisMP (easier)", "alpha = 0.01, Eq. 9 as printed", "2")[-1]
    assert row[-1] == "feasible 2, optimal 2, objective 2"
    (verdict,) = [line for line in section.lines if line.startswith("All three effects hold")]
    assert " ".join(verdict.split()).endswith(
        "in every seed on IrisMP (easier) (alpha = 0.01, Eq. 9 as printed)."
    )


def test_the_best_network_with_ccl_is_none_of_those_before(settings):
    folder = settings.curves / "published"
    before, last = (0.6, 0.6, 0.90), (0.8, 0.1, 0.50)
    early, rising = (2_000_000, 0.9, 0.9, 0.99), (3_050_000, 0.7, 0.5, 0.95)
    published_run(folder, "published", 1, before, last, early, rising)
    late = (3_125_000, 0.5, 0.5, 0.97)
    published_run(folder, "published", 2, before, last, late)
    (found,) = recipe.render(settings).tables["recipe_effects"]
    assert found["objective_ratio_best"] == pytest.approx(0.96)
    assert found["feasible_ratio_best"] == pytest.approx(0.6)
    assert found["objective_ratio_best_before"] == pytest.approx(0.945)
    counts = [found[f"{name}_best_in"] for name in ("feasible", "optimal", "objective")]
    assert counts == [1, 2, 2]
    assert found["best_while_alpha_rises_in"] == 1


def test_our_runs_of_the_published_recipe_are_not_taken_for_the_papers(settings):
    folder = settings.curves / "published"
    published_run(folder, "published", 1, (0.6, 0.6, 0.97), (0.8, 0.1, 0.50), train="randommp")
    section = recipe.render(settings)
    recipe.measure(settings)
    name = "published recipe (alpha = 0.01), our runs"
    assert rows_of(section.lines, "RandomMP", name)
    for table in ("recipe", "recipe_effects"):
        assert [each["description"] for each in section.tables[table]] == [name]
    assert name in settings.picture("recipe-randommp").with_suffix(".svg").read_text()
    assert "No group of runs ends with all three effects in every seed." in section.lines


def test_alpha_is_called_published_where_the_paper_has_it(settings):
    folder = settings.curves / "published"
    last = (0.8, 0.7, 0.98)
    published_run(folder, "published", 1, (0.6, 0.6, 0.97), (0.8, 0.1, 0.50))
    published_run(folder, "alpha-0.001", 1, (0.6, 0.6, 0.97), last, alpha=0.001)
    section = recipe.render(settings)
    text = " ".join("\n".join(section.lines).split())
    assert "with a constant rate are recorded here for RandomMP and IrisMP (easier)." in text
    own, table_1 = section.tables["recipe_effects"]
    assert own["description"] == "alpha = 0.01 (Table 1: 0.001), our runs"
    assert table_1["description"] == "alpha = 0.001 (that of Table 1), our runs"
    assert [own["alpha"], table_1["alpha"]] == [0.01, 0.001]
    assert [table_1[f"{each}_in"] for each in ("feasible", "optimal", "objective")] == [1, 0, 1]
    row = rows_of(section.lines, "IrisMP (easier)", table_1["description"], "1")[-1]
    assert row[-1] == "feasible 1, optimal 0, objective 1"


def test_runs_stopped_before_ccl_have_no_effects(settings):
    folder = settings.curves / "published"
    folder.mkdir(parents=True)
    name = "gcn_w_bn-irismp-all-seed-0"
    write_run(folder, name, [(900_000, 0.6, 0.6, 0.9)], seed=0, train="irismp", **SCHEDULE)
    assert "recipe_effects" not in recipe.render(settings).tables


def test_bands_of_ratios_are_within_0_and_1():
    for low, high in (
        edges([0.9, 0.1, 0.5], [0.2, 0.2, 0.2], "objective_ratio"),
        edges([0.9, 0.1, 0.5], [0.2, 0.2, 0.2], "feasible_ratio"),
    ):
        assert low == pytest.approx([0.7, 0.0, 0.3])
        assert high == pytest.approx([1.0, 0.3, 0.7])
    # Losses may be larger.
    assert edges([0.9], [0.2], "bce")[1] == pytest.approx([1.1])


def test_figures_name_their_set_and_show_good_ratios_by_themselves(settings, drawn):
    folder = settings.curves / "published"
    for seed, last in ((1, 0.40), (2, 1.0)):
        published_run(folder, "published", seed, (0.6, 0.6, 0.97), (0.8, 0.1, last))
    recipe.measure(settings)
    for name in ("recipe-irismp", "recipe-irismp-ccl"):
        assert heading(drawn[name]).endswith("trained on IrisMP (easier)")
        close_up = panel(drawn[name], "objective ratio, 0.95 to 1")
        assert close_up.get_ylim() == (0.95, 1.0)
        (bounds,) = [each.get_datalim(close_up.transData) for each in close_up.collections]
        assert bounds.ymax <= 1.0


def test_bad_ratios_alone_have_no_close_up(settings, drawn):
    published_run(settings.curves / "published", "published", 1, (0, 0, 0.8), (0, 0, 0.4))
    recipe.measure(settings)
    titles = [ax.get_title("left") for ax in drawn["recipe-irismp-ccl"].axes]
    assert titles == ["feasible", "optimal", "objective ratio"]
