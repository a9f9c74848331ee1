"""The public interface as text: run ``python -m tests.api.snapshot`` after an intended change."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import multicut as mc

FILE = Path(__file__).parent / "public.txt"
MODULES = (
    "multicut",
    "multicut.datasets",
    "multicut.io",
    "multicut.models",
    "multicut.nn",
    "multicut.plotting",
    "multicut.proofreading",
    "multicut.training",
    "multicut.vision",
)


def lines() -> Iterator[str]:
    """Yield one line for each public name, its parameters and attributes."""
    for module_name in MODULES:
        module = import_module(module_name)
        for name in sorted(module.__all__):
            value = getattr(module, name)
            full = f"{module_name}.{name}"
            if inspect.ismodule(value):
                yield f"{full}: module"
            elif inspect.isclass(value):
                yield f"{full}: class"
                yield from _members(full, value)
            elif callable(value):
                yield f"{full}{_parameters(value)}"
            else:
                yield f"{full}: {type(value).__name__}"
    for record in mc.list_solvers():
        yield f"solver {record.name}: {', '.join(sorted(record.option_defaults)) or 'no options'}"
    for record in mc.io.list_formats():
        yield f"format {record.name}: {' '.join(record.suffixes)}"
    for record in mc.datasets.list_generators():
        options = sorted(field.name for field in dataclasses.fields(record.options))
        yield f"generator {record.name}: {', '.join(options) or 'no options'}"
    for record in mc.list_models():
        yield f"model {record.name}"


def _members(full: str, value: type[Any]) -> Iterator[str]:
    if "__init__" in vars(value) and not dataclasses.is_dataclass(value):
        yield f"{full}{_parameters(value)}"
    for name in sorted(dir(value)):
        owner = next((base for base in value.__mro__ if name in vars(base)), None)
        is_ours = owner is not None and owner.__module__.startswith("multicut")
        if name.startswith("_") or not is_ours or name.endswith("_request"):
            continue
        member = inspect.getattr_static(value, name)
        if isinstance(member, staticmethod | classmethod):
            member = member.__func__
        shown = _parameters(member) if inspect.isfunction(member) else ""
        yield f"{full}.{name}{shown}"
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            if not field.name.startswith("_"):
                yield f"{full}.{field.name}: field"


def _parameters(value: Any) -> str:
    """Return the names of parameters, with what may be left out in brackets."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(…)"
    texts = []
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        text = {
            inspect.Parameter.VAR_POSITIONAL: f"*{parameter.name}",
            inspect.Parameter.VAR_KEYWORD: f"**{parameter.name}",
            inspect.Parameter.KEYWORD_ONLY: f"{parameter.name}=",
        }.get(parameter.kind, parameter.name)
        has_default = parameter.default is not inspect.Parameter.empty
        texts.append(f"[{text}]" if has_default else text)
    return f"({', '.join(texts)})"


def text() -> str:
    """Return the whole list."""
    return "\n".join(dict.fromkeys(lines())) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
