"""How the process of a command ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import TypeVar, cast

Main = TypeVar("Main", bound=Callable[..., int])


def not_waiting_for_imports(main: Main) -> Main:
    """End the process at once if torch is still being imported for a solve that is over.

    Python would wait for the import, seconds after the answer. With arguments given, another
    program called `main`, and its process goes on.
    """

    @wraps(main)
    def ending(arguments: list[str] | None = None) -> int:
        code = main(arguments)
        loading = sys.modules.get("multicut.models.loading")
        if arguments is None and loading is not None and loading.is_loading():
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
            os._exit(code)
        return code

    return cast("Main", ending)
