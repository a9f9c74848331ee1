"""What builds the documentation site, for tests."""

from __future__ import annotations

import sys
from importlib import util
from types import ModuleType

from tests.docs.snippets import ROOT


def load_tool(name: str) -> ModuleType:
    """Import a module of tools/site, which is no package."""
    spec = util.spec_from_file_location(f"site_{name}", ROOT / "tools" / "site" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    sys.path.insert(0, str(ROOT / "tools" / "site"))  # they import each other by name
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.pop(0)
    return module
