"""Runs the notebooks of docs/notebooks and writes what they print and draw into them.

``python tools/notebooks.py`` does so for all of them, with names for those alone; a test runs them
and compares.
"""

from __future__ import annotations

import base64
import io
import os
import sys
import tempfile
from pathlib import Path
from unittest import mock

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode
from PIL import Image

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"

# The longest that one cell may take, in seconds, on a busy machine.
CELL_LIMIT = 240


def notebooks() -> list[Path]:
    """Return the notebooks, in alphabetical order."""
    return sorted(FOLDER.glob("*.ipynb"))


def run_notebook(path: Path) -> NotebookNode:
    """Return a notebook with the outputs of a new run; an error in a cell is raised.

    The notebook works in an empty folder that is removed afterwards. Jupyter keeps its own files
    there, too.
    """
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        own = {
            name: str(Path(folder) / name.lower())
            for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR")
        }
        own |= {"JUPYTER_RUNTIME_DIR": folder, "JUPYTER_PLATFORM_DIRS": "1", "TMPDIR": folder}
        own |= {"PYTHONWARNINGS": "ignore:IProgress not found"}  # torch_geometric imports tqdm
        work = Path(folder) / "work"
        work.mkdir()
        with mock.patch.dict(os.environ, own):
            # Sockets in that folder instead of ports, which other users of the machine can reach.
            client = NotebookClient(notebook, kernel_name="python3", timeout=CELL_LIMIT)
            manager = client.create_kernel_manager()
            manager.transport, manager.ip = "ipc", str(Path(folder) / "kernel")
            client.execute(cwd=str(work))
    return tidy(notebook)


def tidy(notebook: NotebookNode) -> NotebookNode:
    """Drop what differs from run to run, so that a change in git is a change of content."""
    notebook.metadata = nbformat.from_dict(
        {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    )
    number = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        number += 1
        cell.execution_count = number
        cell.outputs = joined(cell.outputs)
        for output in cell.outputs:
            output.pop("transient", None)
            if output.output_type == "execute_result":
                output.execution_count = number
            if "image/png" in output.get("data", {}):
                output.data.pop("text/plain", None)  # the address of a figure in memory
                output.data["image/png"] = smaller(output.data["image/png"])
        cell.metadata.pop("execution", None)
    return notebook


def joined(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Put the pieces of what a cell prints together; where it was divided depends on the clock."""
    whole: list[NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream" and whole and whole[-1].get("name") == output.name:
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def smaller(picture: str) -> str:
    """Return a PNG in base64 with a palette of 128 colours, a fifth of the size."""
    with Image.open(io.BytesIO(base64.b64decode(picture))) as image:
        reduced = image.convert("RGB").quantize(128)
    buffer = io.BytesIO()
    reduced.save(buffer, "png", optimize=True)
    return base64.b64encode(buffer.getvalue()).decode()


def main(names: list[str]) -> None:
    """Run the notebooks and write them back."""
    for path in notebooks():
        if names and path.stem not in names:
            continue
        print(path.relative_to(FOLDER.parents[1]))
        nbformat.write(run_notebook(path), path)


if __name__ == "__main__":
    main(sys.argv[1:])
