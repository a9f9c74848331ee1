from __future__ import annotations

from pathlib import Path

from paper.missing import missing_runs


def _missing(*names):
    records = [{"configuration": name} for name in names]
    return " ".join("\n".join(missing_runs(records, "there")).split())


def test_nothing_is_missing():
    assert missing_runs([], "there") == []


def test_kinds_of_missing_runs_are_named_with_their_networks():
    text = _missing(
        "published/gcn-irismp-all-seed-0",
        "published/gcn-irismp-all-seed-1",
        "published/gin-randommp-all",
        "published/gcn-irismp-none-seed-0",
        "published/gin-irismp-alpha-0.003-seed-1",
        "published/gin-irismp-alpha-0.003",
        "readings/irismp-gt-from-shipped-none",
        "table3/mpnn-irismp-seed-0",
        "finetuning/knott-finetuned-lr-0.0001",
    )
    assert "([there](#there)) names each of the 9 that are missing." in text
    assert "figure of CCL: 1, of `gcn-irismp`." in text
    assert "Eq. 9 as printed, over the published schedule: 3, of `gcn-irismp`, `gin-randommp`." in (
        text
    )
    assert "Other seeds of the published schedule: 1, of `gin-irismp`." in text
    assert "The published schedule, by network and alpha: 1, of `gin-irismp`." in text
    assert "Alpha by network: 1, of `irismp-gt`." in text
    assert "Table 3 and losses at full length: 1, of `mpnn-irismp`." in text
    assert "Finetuning, by setting and learning rate: 1, of `knott`." in text
    assert "Readings of" not in text


def test_each_configuration_is_of_a_kind():
    names = [str(path.with_suffix("")).partition("/")[2] for path in Path("configs").glob("*/*")]
    planned = ("published/", "readings/", "table3/", "finetuning/")
    assert _missing(*(name for name in names if name.startswith(planned)))
