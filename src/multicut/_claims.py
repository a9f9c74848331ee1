"""Files and folders that a process is writing: claimed by a lock, told apart from leftovers.

What a killed process leaves beside a target is called ``.NAME.part``, or ``.NAME.2.part`` and so on
where several wrote at once. A process that writes holds a lock on it, so the next writer can tell
what is left over from what is under way, and removes the former. Where there are no locks, as on
Windows, it removes what is older than a day.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import time
from dataclasses import dataclass
from pathlib import Path

# Names of a file system have at most 255 bytes.
_MAX_NAME = 230
# So many processes that write the same file at once find names that later ones look at.
_MAX_PARTS = 8
# Where there are no locks, nothing that was begun within these seconds is taken for a leftover.
_STALE_SECONDS = 24 * 3600


@dataclass
class Claim:
    """A file or folder that this process writes, and the descriptor that keeps it locked.

    Attributes
    ----------
    path
        Where it is until it moves to its place.
    descriptor
        None for a folder where there are no locks: Windows cannot open folders.
    is_moved
        Whether it is in its place. Another process may then have taken the name.
    """

    path: Path
    descriptor: int | None
    is_moved: bool = False

    def duplicate(self, *_: object) -> int:
        """Return another descriptor of the file."""
        assert self.descriptor is not None
        return os.dup(self.descriptor)

    def prepare_move(self) -> None:
        """Close the file where that releases no lock: Windows moves no file that is open."""
        if not _has_locks():
            self.close()

    def is_ours(self) -> bool:
        """Whether what has the name is still what this process made."""
        if self.is_moved:
            return False
        return self.descriptor is None or is_at(self.path, self.descriptor)

    def close(self) -> None:
        """Close the file, which ends its lock."""
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None


def claim_beside(target: Path, *, is_folder: bool = False) -> Claim:
    """Make a file or folder beside a target, locked where there are locks.

    What dead processes have left there is removed.
    """
    name = short_name(target.name)
    claimed: Claim | None = None
    for number in range(1, _MAX_PARTS + 1):
        part = target.with_name(f".{name}.{number}.part" if number > 1 else f".{name}.part")
        _remove_leftover(part)
        if claimed is None:
            claimed = _make(part, is_folder)
    while claimed is None:
        claimed = _make(target.with_name(f".{name}.{secrets.token_hex(4)}.part"), is_folder)
    return claimed


def short_name(name: str) -> str:
    """Return a name that leaves room for what is put around it."""
    encoded = os.fsencode(name)
    return name if len(encoded) <= _MAX_NAME else hashlib.sha256(encoded).hexdigest()


def wait_for_lock(path: Path) -> Claim | None:
    """Wait for a lock file, which goes away with its lock; None where that is not possible."""
    try:
        import fcntl
    except ImportError:
        return None
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:  # what is to be written there fails with a better message
            return None
        lock = Claim(path, descriptor)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except BaseException as error:
            lock.close()
            if isinstance(error, OSError):  # some network file systems
                path.unlink(missing_ok=True)
                return None
            raise
        if lock.is_ours():
            return lock
        lock.close()  # the one before has removed it


def _make(part: Path, is_folder: bool) -> Claim | None:
    """Make and lock a file or folder; None if somebody else has, or has just taken it away."""
    try:
        if is_folder:
            part.mkdir()
            if not _has_locks():
                return Claim(part, None)
            descriptor = os.open(part, os.O_RDONLY)
        else:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            descriptor = os.open(part, flags, 0o666)
    except FileExistsError:
        return None
    except FileNotFoundError:
        if part.parent.is_dir():  # the folder was removed before it could be locked
            return None
        raise
    claim = Claim(part, descriptor)
    if _lock(descriptor) is not False and claim.is_ours():
        return claim
    claim.close()
    return None


def _remove_leftover(part: Path) -> None:
    """Remove what a dead process has left; what a living one writes is locked, or new."""
    try:
        status = part.lstat()
        is_folder = stat.S_ISDIR(status.st_mode)
        if not stat.S_ISREG(status.st_mode) and not is_folder:
            return  # nothing of ours
        if not _has_locks():
            if time.time() - status.st_mtime > _STALE_SECONDS:
                _remove(part, is_folder)
            return
        descriptor = os.open(part, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return
    try:
        if _lock(descriptor) and is_at(part, descriptor):
            _remove(part, is_folder)
    except OSError:
        pass  # it belongs to somebody else, whose next writing removes it
    finally:
        os.close(descriptor)


def _remove(part: Path, is_folder: bool) -> None:
    if is_folder:
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink()


def _has_locks() -> bool:
    """Whether this system can lock files: Windows cannot."""
    try:
        import fcntl  # noqa: F401
    except ImportError:
        return False
    return True


def _lock(descriptor: int) -> bool | None:
    """Try to lock a file: whether that was possible, None where there are no locks."""
    if not _has_locks():
        return None
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # some network file systems
        return None
    return True


def is_at(path: Path, descriptor: int) -> bool:
    """Whether an open file still has this name."""
    try:
        return os.path.samestat(path.lstat(), os.fstat(descriptor))
    except OSError:
        return False
