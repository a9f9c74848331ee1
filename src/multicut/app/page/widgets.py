"""Components of Gradio in the forms that the page uses."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import gradio as gr

Component = TypeVar("Component", bound=gr.components.Component)

#: Options of a control that shares its row with another one.
HALF_ROW: dict[str, Any] = {"min_width": 120}


def control(
    kind: type[Component], identifier: str, label: str, help_line: str, **options: Any
) -> Component:
    """Return a control with a label and a line of help.

    Parameters
    ----------
    kind
        The class of the component.
    identifier
        The id of the element in the document.
    label, help_line
        What stands beside the control.
    **options
        Further arguments of the class.
    """
    return kind(label=label, info=help_line, elem_id=identifier, **options)


def picture(
    identifier: str, height: int, label: str | None = None, *, show_label: bool | None = None
) -> gr.Image:
    """Return a place for a picture; its label is shown if it has one."""
    return gr.Image(
        label=label,
        show_label=bool(label) if show_label is None else show_label,
        height=height,
        min_width=240,
        format="png",
        interactive=False,
        alt_text=label or identifier,
        buttons=["fullscreen", "download"],
        elem_id=identifier,
        elem_classes="mc-picture",
    )


def markup(text: str, identifier: str | None = None) -> gr.HTML:
    """Return a place for HTML."""
    return gr.HTML(text, elem_id=identifier, padding=False)


def refuse_addresses(box: gr.File | gr.UploadButton) -> None:
    """Accept files from browsers only: Gradio would download what an address leads to.

    A subclass would say it better, but Gradio writes a file beside the module of each.
    """
    keep_file = box.async_move_resource_to_block_cache

    async def keep_upload(path: str | Path | None) -> str | None:
        if "://" in str(path):
            raise gr.Error("upload a file instead of an address", print_exception=False)
        return await keep_file(path)

    setattr(box, "async_move_resource_to_block_cache", keep_upload)  # noqa: B010
