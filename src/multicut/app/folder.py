"""The folder of a server with files of its visitors; after a kill, the next server removes it."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "multicut-app-"
_LOCK = "lock"


@contextmanager
def folder_of_server() -> Iterator[Path]:
    """Make a folder for as long as the context lasts; remove those of servers that were killed.

    A server holds a lock on a file in its folder, which the system takes away when the process
    ends, however that happens. Where there are no locks, as on Windows, nothing is removed.
    """
    remove_leftovers()
    folder, lock = _make()
    try:
        yield folder
    finally:
        if lock is not None:
            os.close(lock)
        shutil.rmtree(folder, ignore_errors=True)


def remove_leftovers() -> None:
    """Remove folders of this user's servers that no longer run."""
    try:
        import fcntl
    except ImportError:
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            # Others may create such names in a shared folder, with anything behind them.
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


def _make() -> tuple[Path, int | None]:
    """Make a folder; return it and the descriptor that keeps it locked, where there are locks."""
    try:
        import fcntl
    except ImportError:
        return Path(tempfile.mkdtemp(prefix=_PREFIX)), None
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        try:
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        except FileNotFoundError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Another server that starts now may have taken it for a leftover just before.
            if (folder / _LOCK).exists():
                return folder, lock
        except BlockingIOError:
            pass
        except OSError:  # some network file systems
            return folder, lock
        os.close(lock)
