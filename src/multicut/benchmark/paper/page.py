"""The page with all tables and figures."""

from __future__ import annotations

import json
import platform
from pathlib import Path

from multicut._version import __version__
from multicut.benchmark.paper.parts import PARTS
from multicut.benchmark.paper.settings import PaperSettings
from multicut.benchmark.report import describe_environment

_INTRODUCTION = """\
Jung & Keuper, *Learning to solve Minimum Cost Multicuts efficiently using Edge-Weighted Graph
Convolutional Neural Networks*, ECML PKDD 2022. This page is generated; do not edit it."""
_MODELS = """\
How each model was trained is in its card, `mc.load_model(NAME).card`. Models were chosen by
validation alone."""


def write_page(settings: PaperSettings, command: str) -> Path:
    """Write ``results.md`` from whatever has been measured so far; return its path."""
    import torch

    environment = describe_environment(command) | {"torch": str(torch.__version__)}
    lines = [
        "# Results beside the paper's",
        "",
        _INTRODUCTION,
        "",
        f"- command: `{command}`",
        f"- multicut {__version__}, torch {torch.__version__}, Python {platform.python_version()}",
        f"- {environment['cpu']}, {environment['cpu_count']} cores shared with other work",
        f"- networks on {settings.device}, {torch.get_num_threads()} threads",
        "",
        _MODELS,
        "",
    ]
    for part in PARTS.matching("*"):
        lines += [f"## {part.description}", "", *part.render(settings), ""]
    settings.output.mkdir(parents=True, exist_ok=True)
    page = settings.output / "results.md"
    page.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    settings.cache.mkdir(parents=True, exist_ok=True)
    document = json.dumps(environment, indent=2) + "\n"
    (settings.cache / "environment.json").write_text(document, encoding="utf-8")
    return page
