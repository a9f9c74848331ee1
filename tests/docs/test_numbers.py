"""Measured numbers on the pages are those of benchmarks/results, and stand on one page."""

from __future__ import annotations

import csv
import json
import re
import statistics
from collections import defaultdict

import pytest

from tests.docs.snippets import ROOT
from tests.docs.tools import load_tool

tables = load_tool("tables")

# Written by the benchmarks, with every number that they measured.
GENERATED = {"docs/campaign.md", "docs/results.md"}
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in (
        *sorted(ROOT.glob("*.md")),
        *sorted((ROOT / "docs").glob("*.md")),
        ROOT / "benchmarks" / "README.md",
    )
    if path.relative_to(ROOT).as_posix() not in GENERATED
]

# Objectives of large graphs, ratios with four digits, and counts that are no round thousands:
# nobody writes these by chance.
_OBJECTIVE = r"\N{MINUS SIGN}(?:\d{2,3}|\d,\d{3})(?:,\d{3})+(?:\.\d+)?"
_COUNT = r"(?<![\d,.\N{MINUS SIGN}])\d{1,3}(?:,\d{3})*,(?!000)\d{3}(?![\d,])"
MEASURED = re.compile(rf"{_OBJECTIVE}|(?<![\d.])0\.\d{{4}}(?!\d)|{_COUNT}")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def running_text(page: str) -> str:
    """Return a page without code, tables, and sentences whose numbers are generated."""
    text = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    for sentence in tables.SENTENCES.get(page, ()):
        text = tables.sentence_pattern(sentence).sub("", text)
    return "\n".join(line for line in text.splitlines() if not line.startswith("|"))


@pytest.mark.parametrize("page", tables.PAGES)
def test_pages_state_what_was_measured(page):
    assert text_of(page) == tables.with_numbers(page), "run python tools/site/tables.py"


@pytest.mark.parametrize("page", tables.TABLES)
def test_an_outdated_table_is_seen(page, tmp_path, monkeypatch):
    (tmp_path / page).parent.mkdir(exist_ok=True)
    # Times come out ten times as long, ratios and scores too low, rates of networks too high.
    outdated = text_of(page).replace(" ms", "9 ms").replace("| 0.9", "| 0.8")
    outdated = outdated.replace("| 0.4", "| 0.3").replace("| 1.0", "| 0.9")
    outdated = outdated.replace("_BN | ", "_BN | 9")
    (tmp_path / page).write_text(outdated, encoding="utf-8")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    assert outdated != tables.with_numbers(page)


SENTENCES = [(page, each) for page, sentences in tables.SENTENCES.items() for each in sentences]


@pytest.mark.parametrize(("page", "sentence"), SENTENCES)
def test_an_outdated_sentence_is_seen_and_mended(page, sentence, tmp_path, monkeypatch):
    (tmp_path / page).parent.mkdir(exist_ok=True)
    found = tables.sentence_pattern(sentence).search(text_of(page))
    assert found is not None
    for group in range(1, found.re.groups + 1):
        start, end = found.span(group)
        outdated = text_of(page)[:start] + "7" + text_of(page)[end:]
        (tmp_path / page).write_text(outdated, encoding="utf-8")
        with monkeypatch.context() as patched:
            patched.setattr(tables, "ROOT", tmp_path)
            mended = tables.with_numbers(page)
        assert mended.split() == text_of(page).split()


def test_a_sentence_that_is_gone_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    monkeypatch.setitem(tables.SENTENCES, "page.md", ("takes {klj at 10⁶}",))
    (tmp_path / "page.md").write_text("It took long.", encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.md lacks the sentence"):
        tables.with_numbers("page.md")


def test_no_number_is_repeated_by_hand():
    pages_of: dict[str, set[str]] = defaultdict(set)
    for page in PAGES:
        for number in MEASURED.findall(running_text(page)):
            pages_of[number].add(page)
    repeated = {number: sorted(pages) for number, pages in pages_of.items() if len(pages) > 1}
    assert repeated == {}, "keep a number on one page and link to it, or list it in SENTENCES"


def test_no_number_of_a_generated_table_is_written_by_hand():
    generated = {
        number: page
        for page, rows_of in tables.TABLES.items()
        for rows in rows_of.values()
        for row in rows()
        for number in MEASURED.findall(row)
        if number.startswith("\N{MINUS SIGN}")
    }
    assert len(generated) > 10
    for page in PAGES:
        for number in MEASURED.findall(running_text(page)):
            assert number not in generated, f"{page} repeats {number} of {generated[number]}"


def test_what_is_repeated_is_found():
    text = "reaches \N{MINUS SIGN}3,223,725 and 0.9998 in 0.09 s, 35,300 a second, of 20,000 edges"
    assert MEASURED.findall(text) == ["\N{MINUS SIGN}3,223,725", "0.9998", "35,300"]


def test_gaps_follow_from_bounds_and_objectives():
    rows = json.loads((tables.RESULTS / "solvers.json").read_text(encoding="utf-8"))["rows"]
    (klj,) = (
        row["ours"]["objective"]
        for row in rows
        if (row["instances"], row["solver"]) == ("RandomMP 100,000", "klj")
    )
    found = re.search(
        r"\| \N{MINUS SIGN}([\d,]+) \| 2 s \| the result of `klj` is at most ([\d.]+) %",
        text_of("docs/exact.md"),
    )
    bound = -float(found[1].replace(",", ""))
    assert found[2] == f"{100 * (klj - bound) / abs(klj):.2f}"


def test_the_table_of_alphas_is_that_of_the_runs():
    text, _, _ = text_of("docs/training.md").partition("with the published learning rate.**")
    rows = re.findall(
        r"^\| ([\d.]+)[^|]*\| \**([\d.]+)\** \| \**([\d.]+)\** \| ([\d.]+) \|$",
        text,
        re.MULTILINE,
    )
    assert len(rows) == 5
    for alpha, randommp, irismp, feasible in rows:
        name = f"gcn_w_bn-randommp-decay-then-alpha-{float(alpha)}.csv"
        with (tables.RESULTS / "training" / name).open(encoding="utf-8") as file:
            *_, last = csv.DictReader(file)
        mean = (float(randommp) + float(irismp)) / 2
        assert abs(mean - float(last["objective_ratio"])) < 0.001
        assert f"{float(last['feasible_ratio']):.3f}" == feasible


def test_the_course_of_the_published_alpha_is_that_of_five_seeds():
    _, _, text = text_of("docs/training.md").partition("with the published learning rate.**")
    text, _, _ = text.partition("### ")
    pattern = r"^\| (3,[\d,]+) \| [\d.]+ \| (.*) \|$"
    rows = re.findall(pattern, text.replace("*", ""), re.M)
    assert len(rows) == 6
    for instances, cells in rows:
        expected = []
        for name, measures in (("randommp", MEASURES[:2]), ("irismp", MEASURES)):
            found = _at(
                int(instances.replace(",", "")), f"published/gcn_w_bn-{name}-published-*.csv"
            )
            assert len(found) == 5
            for measure in measures:
                values = [float(row[measure]) for row in found]
                mean = f"{statistics.fmean(values):.3f}"
                spread = f" ± {statistics.stdev(values):.3f}" if measure == MEASURES[0] else ""
                expected.append(mean + spread)
        assert cells.split(" | ") == expected


def test_readings_are_those_of_the_runs():
    _, _, text = text_of("docs/training.md").partition("### Why training collapses")
    text = text.partition("\n- ")[0].replace("*", "")
    keys = ("none", "graph", "all", "length", "rounded", "edge", "summed", "batch")
    keys += ("all-length", "rounded-length", "triangles", "pentagons")
    rows = [line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| ")]
    for key, row in zip(keys, rows[1:], strict=True):
        expected = []
        for name, measures in (("randommp", MEASURES[:2]), ("irismp", MEASURES)):
            end = "" if key == "none" else "-0.01"
            found = _at(1_150_000, f"readings/{name}-{key}{end}.csv")
            expected += [f"{float(row[m]):.3f}" for row in found for m in measures]
        assert [cell for cell in row[1:] if re.fullmatch(r"[\d.]+", cell)] == expected


def test_eq_9_as_printed_is_that_of_five_seeds():
    _, _, text = text_of("docs/training.md").partition("**Eq. 9 as printed, the whole schedule.**")
    text, _, _ = text.partition("### ")
    rows = re.findall(r"^\| (3,\d+,\d+)(.*?) \| [\d.]+ \| (.*) \|$", text.replace("*", ""), re.M)
    assert len(rows) == 6
    kinds = {
        "": ("all", 5),
        ", with the condition": ("published", 5),
        ", no CCL, one seed": ("none", 1),
    }
    for instances, condition, cells in rows:
        kind, num_seeds = kinds[condition]
        found = _at(int(instances.replace(",", "")), f"published/gcn_w_bn-irismp-{kind}-seed-*.csv")
        assert len(found) == num_seeds
        for measure, cell in zip(MEASURES, cells.split(" | "), strict=True):
            values = [float(row[measure]) for row in found]
            mean, *spread = cell.split(" ± ")
            half = 0.51 * 10 ** -len(mean.partition(".")[2])
            assert abs(float(mean) - statistics.fmean(values)) <= half
            assert len(spread) == (num_seeds > 1)
            for text_of_spread in spread:
                assert abs(float(text_of_spread) - statistics.stdev(values)) <= half


MEASURES = ("objective_ratio", "feasible_ratio", "optimal_ratio")


def _at(instances, pattern):
    rows = []
    for path in sorted((tables.RESULTS / "training").glob(pattern)):
        with path.open(encoding="utf-8") as file:
            rows += [row for row in csv.DictReader(file) if int(row["instances"]) == instances]
    return rows


def test_a_schedule_takes_what_its_steps_take():
    text = " ".join(text_of("docs/training.md").split())
    (plain,) = re.findall(r"\| recorded \| ([\d.]+) \|", text)
    (with_cycles,) = re.findall(r"\| recorded, with CCL \(l = 8\) \| ([\d.]+) \|", text)
    seconds = (15_000 * float(plain) + 750 * float(with_cycles)) / 1000
    assert f"about {seconds:.0f} s" in text
