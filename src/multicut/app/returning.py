"""Visits of those who reload the page."""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicut.app.storage import KEPT_SECONDS

if TYPE_CHECKING:
    from multicut.app.visits import Visit, VisitorFolders

# Visits are large, so that few are kept: in all, and of one visitor.
_MOST, _MOST_OF_ONE = 32, 8
# What the script of the page draws at random.
_TOKEN = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, eq=False)
class _Kept:
    visit: Visit
    visitor: str
    since: float


class Returning:
    """The last visit of each tab of a browser, by a random name that the tab keeps.

    Gradio begins a new session when a page is loaded again. Who knows the name of a tab gets its
    visit back; nobody can guess one.
    """

    def __init__(self) -> None:
        self._kept: OrderedDict[str, _Kept] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, token: str, visitor: str, visit: Visit) -> None:
        """Keep the visit of a tab in place of its last one."""
        if not _TOKEN.fullmatch(token or ""):
            return
        with self._lock:
            self._kept[token] = _Kept(visit, visitor, time.monotonic())
            self._kept.move_to_end(token)
            self._tidy(visitor)

    def find(self, token: str, folders: VisitorFolders) -> Visit | None:
        """Return the visit of a tab with an empty folder of its own, if it is kept.

        The folder that it had is removed with the session that ended.
        """
        with self._lock:
            self._tidy()
            found = self._kept.get(token or "")
        if found is None:
            return None
        return replace(found.visit, folder=folders.new_folder(), previous=None, files=None)

    def __len__(self) -> int:
        return len(self._kept)

    def _tidy(self, visitor: str | None = None) -> None:
        now = time.monotonic()
        for token in [one for one, kept in self._kept.items() if now - kept.since > KEPT_SECONDS]:
            del self._kept[token]
        own = [token for token, kept in self._kept.items() if kept.visitor == visitor]
        for token in own[: max(len(own) - _MOST_OF_ONE, 0)]:
            del self._kept[token]
        while len(self._kept) > _MOST:
            self._kept.popitem(last=False)
