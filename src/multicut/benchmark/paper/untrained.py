"""Tables that need training runs of their own: filled where there are models, else left open."""

from __future__ import annotations

from multicut.benchmark.markdown import MISSING, table
from multicut.benchmark.paper.published import FINETUNING, TABLE_3, TEST_SETS
from multicut.benchmark.paper.settings import PaperSettings
from multicut.models import list_models

TITLE = "Table 3, finetuning and depth"
PART = "table3"
_NOT_TRAINED = "not trained yet"
_REST = f"""\
**Depth study** (GCN_W_BN on IrisMP, up to 40 layers): {_NOT_TRAINED}. **Losses with and without
edge weights and batch normalisation** for GCN, SGCN and GIN: {_NOT_TRAINED}; their
configurations are in `configs/ablations`."""


def measure(settings: PaperSettings) -> None:
    """Measure the models of Table 3 that come with the package."""
    from multicut.benchmark.paper.test_sets import find_sets
    from multicut.training.device_dataset import DeviceDataset
    from multicut.training.evaluation import evaluate

    store = settings.open_cache(PART)
    for record in list_models():
        if record.name not in TABLE_3:
            continue
        for chosen in find_sets(None):
            settings.report(f"{record.name} on {chosen.name}")
            key = f"{record.name} {record.card['sha256'][:8]}, {chosen.name}, {settings.num_graphs}"

            def find(name: str = record.name, chosen=chosen):  # type: ignore[no-untyped-def]
                from multicut.models import load_model

                model = load_model(name, settings.device)
                graphs = chosen.load()[: settings.num_graphs]
                result = evaluate(model.logits, DeviceDataset(graphs.arrays(), model.device))
                return {"ratio": result.objective_ratio, "num_graphs": result.num_graphs}

            store.get(key, find)


def render(settings: PaperSettings) -> list[str]:
    """Return the section of the page."""
    store = settings.open_cache(PART)
    digests = {record.name: record.card["sha256"][:8] for record in list_models()}
    rows = []
    for name, (title, published) in TABLE_3.items():
        ours = []
        for column in TEST_SETS:
            key = f"{name} {digests.get(name)}, {column}, {settings.num_graphs}"
            ours.append(f"{store.cells[key]['ratio']:.2f}" if key in store.cells else MISSING)
        status = "" if name in digests else _NOT_TRAINED
        rows.append([title, f"`{name}`", status, *ours])
        values = published or (None,) * len(TEST_SETS)
        texts = ["not applicable" if value is None else f"{value:.2f}" for value in values]
        rows.append(["  published", "", "", *texts])
    lines = [
        "**Table 3, the ablation of GCN** (trained on IrisMP without CCL; `configs/ablations`):",
        "",
    ]
    lines += table(["variant", "model", "", *TEST_SETS], rows, 3)
    lines += ["", "**Finetuning** on the evaluation part of each set (`configs/finetuning`):", ""]
    rows = []
    for name, values in FINETUNING.items():
        rows.append([name, *[_NOT_TRAINED] * 3])
        rows.append(["  published", *(f"{value:.4f}" for value in values)])
    lines += table(["set", "trained on RandomMP", "from scratch", "finetuned"], rows)
    return [*lines, "", _REST]
