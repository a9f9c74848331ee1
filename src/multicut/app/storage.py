"""Files of visitors: folders with random names, and a share of the disk for each visitor."""

from __future__ import annotations

import ipaddress
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from multicut.app.failures import VisitorError

# Folders are removed this many seconds after they were made.
KEPT_SECONDS = 3600.0
_UPLOADS_AT_ONCE = 4


def name_visitor(address: str | None) -> str:
    """Return the name under which quotas count an address.

    One visitor may have any of the 2^64 addresses of an IPv6 network, so these count as one.
    """
    try:
        parsed = ipaddress.ip_address(address or "")
    except ValueError:
        return address or "unknown"
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)


class Storage:
    """The folders of all visitors, with the size that each visitor may hold.

    Earlier uploads never cause a refusal. A visitor who holds more than
    their share loses their own oldest folders. If all visitors together hold too much, the one who
    holds most loses theirs.

    Parameters
    ----------
    root
        Where the folders lie; it exists.
    share, total
        Bytes that one visitor and all visitors together may hold.
    """

    def __init__(self, root: Path, share: int, total: int) -> None:
        self.root = root
        self.share = share
        self.total = total
        self._lock = threading.Lock()
        # Of each visitor their folders and when they were made, oldest first.
        self._folders: dict[str, dict[Path, float]] = {}
        self._uploading: dict[str, int] = {}

    def new_folder(self, visitor: str) -> Path:
        """Make an empty folder for a visitor."""
        folder = Path(tempfile.mkdtemp(prefix="visit-", dir=self.root))
        self.add(visitor, folder)
        return folder

    def add(self, visitor: str, folder: Path) -> None:
        """Count a folder of the root as held by a visitor."""
        if folder.parent != self.root:
            raise ValueError(f"folder must lie in {self.root}, got {folder}")
        with self._lock:
            self._folders.setdefault(visitor, {})[folder] = time.monotonic()
        self.tidy()

    def restore(self, visitor: str, folder: Path) -> None:
        """Make a folder again that was removed since it was too much or too old."""
        if not folder.exists():
            folder.mkdir(mode=0o700, exist_ok=True)
            self.add(visitor, folder)

    def remove(self, folder: Path) -> None:
        """Remove a folder, whoever holds it."""
        with self._lock:
            for folders in self._folders.values():
                folders.pop(folder, None)
        shutil.rmtree(folder, ignore_errors=True)

    @contextmanager
    def uploading(self, visitor: str) -> Iterator[None]:
        """Count an upload as under way; raises if the visitor has too many of them."""
        with self._lock:
            count = self._uploading.get(visitor, 0)
            if count >= _UPLOADS_AT_ONCE:
                raise VisitorError(
                    f"{_UPLOADS_AT_ONCE} of your uploads are in progress; wait until one has "
                    f"finished"
                )
            self._uploading[visitor] = count + 1
        try:
            yield
        finally:
            with self._lock:
                self._uploading[visitor] -= 1
                if self._uploading[visitor] == 0:
                    del self._uploading[visitor]

    def tidy(self) -> None:
        """Remove what is too old, and what is more than the shares allow."""
        with self._lock:
            doomed = self._choose_doomed()
        for folder in doomed:
            shutil.rmtree(folder, ignore_errors=True)

    def held_by(self, visitor: str) -> int:
        """Return the bytes that a visitor holds."""
        with self._lock:
            return sum(_size_of(folder) for folder in self._folders.get(visitor, ()))

    def _choose_doomed(self) -> list[Path]:
        now = time.monotonic()
        doomed: list[Path] = []
        sizes: dict[str, int] = {}
        for visitor, folders in self._folders.items():
            for folder in [one for one, made in folders.items() if now - made > KEPT_SECONDS]:
                del folders[folder]
                doomed.append(folder)
            sizes[visitor] = sum(map(_size_of, folders))
        for visitor in list(sizes):
            while sizes[visitor] > self.share and self._drop_oldest(visitor, sizes, doomed):
                pass
        while sum(sizes.values()) > self.total:
            largest = max(sizes, key=lambda visitor: sizes[visitor])
            if not self._drop_oldest(largest, sizes, doomed):
                break
        self._folders = {visitor: held for visitor, held in self._folders.items() if held}
        return doomed

    def _drop_oldest(self, visitor: str, sizes: dict[str, int], doomed: list[Path]) -> bool:
        """Give up the oldest folder of a visitor, but not the only one."""
        folders = self._folders[visitor]
        if len(folders) < 2:
            return False
        folder = next(iter(folders))
        del folders[folder]
        sizes[visitor] -= _size_of(folder)
        doomed.append(folder)
        return True


def _size_of(folder: Path) -> int:
    size = 0
    try:
        for path in folder.iterdir():
            size += path.stat(follow_symlinks=False).st_size
    except OSError:  # it may be removed meanwhile
        pass
    return size
