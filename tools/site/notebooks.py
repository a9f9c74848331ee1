"""Pages of the site that are made of the notebooks in docs/notebooks."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any


def notebook_pages(folder: Path) -> dict[str, str | bytes]:
    """Return pages, and the pictures on them, by their addresses in the site."""
    pages: dict[str, str | bytes] = {}
    for path in sorted(folder.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        pages |= _page(notebook, f"{folder.name}/{path.stem}")
    return pages


def _page(notebook: dict[str, Any], address: str) -> dict[str, str | bytes]:
    name = Path(address).name
    parts: list[str] = []
    pictures: dict[str, str | bytes] = {}
    for cell in notebook["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                picture = f"{address}-{len(pictures) + 1}.png"
                pictures[picture] = base64.b64decode("".join(data["image/png"]))
                parts.append(f"![What the cell above draws]({Path(picture).name})")
            else:
                printed = "".join(output.get("text") or data["text/plain"])
                parts.append(f"```text\n{printed.rstrip()}\n```")
    title, *rest = parts
    download = f"[Download this notebook]({name}.ipynb){{ download }}"
    heading, _, introduction = title.partition("\n")
    page = "\n\n".join([heading, introduction.strip(), download, *rest]) + "\n"
    return {f"{address}.md": page, **pictures}
