from __future__ import annotations

import statistics

import pytest

from paper.runs.curves import read_runs
from paper.studies import seeds as seed_study
from tests.paper.made_runs import write_run
from tests.paper.pages import heading, rows_of

SCHEDULE = {"decay": "cosine", "alpha_start": 2_520_000, "alpha_ramp": 315_000}


def long_run(folder, name, seed, ratio, before=0.8, **changes):
    rows = [(2_520_000, 0, 0, before), (2_800_000, 0, 0, ratio), (3_150_000, 0, 0, ratio - 0.01)]
    tested = {"IrisMP": ratio + 0.05, "RandomMP": ratio}
    write_run(folder, name, rows, seed=seed, test=tested, **(SCHEDULE | changes))


def test_seeds_of_one_setting(settings):
    ratios = (0.90, 0.92, 0.97)
    for seed, ratio in enumerate(ratios):
        long_run(settings.curves, f"seed-{seed}", seed, ratio, alpha=0.003)
    long_run(settings.curves, "other", 7, 0.5, scale_free=True)
    seed_study.measure(settings)
    drawn = settings.output / "images" / "results-seeds-randommp.svg"
    assert drawn.exists()
    section = seed_study.render(settings)
    (spread,) = rows_of(section.lines, "mean ± deviation", "3 seeds")
    deviation = statistics.stdev(ratios)
    mean = sum(ratios) / 3
    assert spread[5:] == [
        "0.8000 ± 0.0000",
        f"{mean:.4f} ± {deviation:.4f}",
        f"{mean - 0.01:.4f} ± {deviation:.4f}",
        f"{mean + 0.05:.4f} ± {deviation:.4f}",
        f"{mean:.4f} ± {deviation:.4f}",
    ]
    (row,) = rows_of(section.lines, "RandomMP", "`seed-1`")
    assert row[:5] == ["1", "0.003", "cosine", "as they are", "3,150,000"]
    assert len(rows_of(section.lines, "RandomMP", "`other`")) == 1
    text = "\n".join(section.lines)
    assert f"![Validation by seed, RandomMP](images/{drawn.name})" in text
    assert "is not known" not in text
    records = {record["run"]: record for record in section.tables["seeds"]}
    assert records["seed-2"]["test_randommp"] == pytest.approx(0.97)
    assert records["seed-2"]["objective_ratio_before_cycles"] == 0.8


def test_before_ccl_alpha_plays_no_part(settings):
    long_run(settings.curves, "alpha-0", 0, 0.86, before=0.80)
    long_run(settings.curves, "alpha-0.003", 0, 0.93, before=0.81, alpha=0.003)
    long_run(settings.curves, "seed-1-alpha-0.01", 1, 0.91, before=0.84, alpha=0.01)
    section = seed_study.render(settings)
    (row,) = rows_of(section.lines, "mean ± deviation", "2 seeds, before CCL")
    assert row[5:] == [f"0.8200 ± {statistics.stdev((0.80, 0.84)):.4f}", *[""] * 4]
    assert "is not known\nyet" in "\n".join(section.lines)
    # Nothing is drawn of runs that do not end alike.
    seed_study.measure(settings)
    assert not (settings.output / "images").exists()


def test_short_runs_count_only_with_several_seeds(settings):
    rows = [(100, 0, 0, 0.8), (200, 0, 0, 0.9)]
    for seed in (0, 1):
        write_run(settings.curves, f"iris-{seed}", rows, train="irismp", seed=seed, alpha=0.1)
    write_run(settings.curves, "short", rows, alpha=0.1)
    write_run(settings.curves, "gin", rows, network={"architecture": "gin0_w"}, seed=3)
    write_run(settings.curves, "finetuned", rows, started_from="short", seed=4)
    groups = seed_study.find_seeds(read_runs(settings.curves))
    assert [[run.name for run in alike] for group in groups for alike in group] == [
        ["iris-0", "iris-1"]
    ]
    # Without a test there is no mean of it either.
    (spread,) = rows_of(seed_study.render(settings).lines, "mean ± deviation", "2 seeds")
    assert spread[-2:] == ["–", "–"]  # noqa: RUF001


def test_a_figure_names_its_set(settings, drawn):
    for seed in (0, 1):
        long_run(settings.curves, f"seed-{seed}", seed, 0.9, train="irismp")
    seed_study.measure(settings)
    assert heading(drawn["seeds-irismp"]) == "GCN_W_BN, trained on IrisMP (easier)"


def test_without_runs_the_page_says_so(settings):
    assert "are recorded" in seed_study.render(settings).lines[0]
