"""Files and folders to write to: all of them, or nothing.

Everything the package writes goes through this module. Content is written beside its place, brought
to disk, and takes its name by one renaming: a full disk or a kill leaves the old file as it was.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from multicut._claims import claim_beside, is_at, short_name, wait_for_lock

#: The file in a folder that the process which works there has locked.
LOCK = "lock"
_DESCRIPTOR = re.compile(r"(?:/dev|/proc/(\d+)(?:/task/\d+)?)/fd/(\d+)")
_MAX_LINKS = 40


def check_target(path: Path) -> None:
    """Refuse a path that could not be written, before any work is put into its content."""
    if descriptor_of(path) is not None:
        return
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder; name a file in it")
    folder = path.parent
    if not folder.is_dir():
        raise FileNotFoundError(f"{path}: there is no folder {str(folder)!r}; create it first")
    if path.exists() and not os.access(path, os.W_OK):
        raise PermissionError(f"{path}: is not writable; change its permissions or choose another")
    # Also where the file exists: the new one is written beside it.
    real = Path(os.path.realpath(path))
    if (real.is_file() or not real.exists()) and not os.access(real.parent, os.W_OK):
        raise PermissionError(f"{path}: the folder {str(real.parent)!r} is not writable")


def ending_of(path: Path) -> str:
    """Return the ending that tells what a file holds: lower case, as ``.CSV`` is ``.csv``."""
    return path.suffix.lower()


@contextmanager
def open_target(
    target: Path | IO[bytes], *, survives_power_failure: bool = True
) -> Iterator[IO[bytes]]:
    """Open a file that takes its place only once it is complete; ``.gz`` compresses.

    What is no file of its own, such as a pipe, a terminal or the output of this process, is written
    to in one go at the end. A stream that was opened by the caller is, too, and stays open.

    A file that need not survive a power failure is not brought to disk before it takes its place;
    the end of the process does no harm to it.
    """
    if not isinstance(target, Path):
        with _buffered(target) as buffer:
            yield buffer
        return
    check_target(target)
    try:
        with _opened(target, survives_power_failure) as file:
            yield file
    except OSError as error:
        _name_file(error, target)
        raise


@contextmanager
def _opened(target: Path, is_synchronised: bool) -> Iterator[IO[bytes]]:
    with _complete_or_absent(target, is_synchronised) as file:
        if ending_of(target) != ".gz":
            yield file
            return
        buffer = io.BytesIO()
        yield buffer
        buffer.seek(0)
        # Without name and time, equal problems give equal files. Digits of costs hardly compress:
        # the lowest level comes within a tenth of the highest in a fourteenth of its time.
        with gzip.GzipFile("", "wb", compresslevel=1, fileobj=file, mtime=0) as compressed:
            shutil.copyfileobj(buffer, compressed)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file that takes its place only once it is complete; text as UTF-8."""
    with open_target(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def open_folder(target: Path) -> Iterator[Path]:
    """Make a folder that takes its place, and that of a former one, only once it is complete.

    The folder to fill is empty. Its content should be on disk when it is left.
    """
    target = Path(os.path.realpath(target))
    former = target.with_name(f".{short_name(target.name)}.former")
    with alone_with(target):
        _bring_back(former, target)
    claim = claim_beside(target, is_folder=True)
    try:
        yield claim.path
        with alone_with(target):
            _bring_back(former, target)
            claim.prepare_move()
            if target.exists():
                target.rename(former)
                try:
                    claim.path.rename(target)
                except BaseException:
                    former.rename(target)
                    raise
                shutil.rmtree(former, ignore_errors=True)
            else:
                claim.path.rename(target)
            claim.is_moved = True
        _sync_folder(target.parent)
    except OSError as error:
        _name_file(error, target)
        raise
    finally:
        if claim.is_ours():
            shutil.rmtree(claim.path, ignore_errors=True)
        claim.close()


def _bring_back(former: Path, target: Path) -> None:
    """Undo half of a move, where a process was killed between its two renamings."""
    if former.exists():
        if target.exists():
            shutil.rmtree(former, ignore_errors=True)
        else:
            former.rename(target)


@contextmanager
def alone_with(target: Path) -> Iterator[None]:
    """Keep other processes from moving a folder to a name or away from it, where there are locks.

    Between the two renamings that replace a folder, there is none of its name.
    """
    target = Path(os.path.realpath(target))
    lock = wait_for_lock(target.with_name(f".{short_name(target.name)}.lock"))
    try:
        yield
    finally:
        if lock is not None:
            lock.path.unlink(missing_ok=True)
            lock.close()


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Keep other processes out of a folder, where the system can lock files: Windows cannot."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (folder / LOCK).open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_ours = is_at(folder / LOCK, lock.fileno())  # or the one before has removed it
        except BlockingIOError:
            is_ours = False
        if not is_ours:
            raise ValueError(f"{folder}: another process is using it; wait for it or stop it")
        yield


@contextmanager
def _complete_or_absent(path: Path, is_synchronised: bool) -> Iterator[IO[bytes]]:
    descriptor = descriptor_of(path)
    if descriptor is not None or (path.exists() and not path.is_file()):
        with _open_special(path, descriptor) as stream, _buffered(stream) as buffer:
            yield buffer
        return
    path = Path(os.path.realpath(path))
    claim = claim_beside(path)
    try:
        # The lock outlives the stream: until it is in its place, nobody may take it for a leftover.
        with open(claim.path, "r+b", opener=claim.duplicate) as file:
            yield file
            file.flush()
            if is_synchronised:
                os.fsync(file.fileno())  # some file systems notice only here that they are full
        if path.exists():
            shutil.copymode(path, claim.path)
        claim.prepare_move()
        claim.path.replace(path)
        claim.is_moved = True
        if is_synchronised:
            _sync_folder(path.parent)
    finally:
        # Closed first where there are no locks: Windows removes no file that is open.
        claim.prepare_move()
        if claim.is_ours():
            claim.path.unlink(missing_ok=True)
        claim.close()


def _name_file(error: OSError, path: Path) -> None:
    """Say which file it was that a full disk could not take."""
    if error.errno is not None and error.filename is None:
        error.filename = str(path)


def _sync_folder(folder: Path) -> None:
    """Bring a renaming to disk, where folders can be synchronised."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _buffered(stream: IO[bytes]) -> Iterator[IO[bytes]]:
    """Collect in memory what is to be read and sought while it is written."""
    buffer = io.BytesIO()
    yield buffer
    stream.write(buffer.getbuffer())
    stream.flush()


def _open_special(path: Path, descriptor: int | None) -> IO[bytes]:
    if descriptor is None:  # a device or a pipe
        return os.fdopen(os.open(path, os.O_WRONLY), "wb")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()  # what was printed before comes before
    return os.fdopen(os.dup(descriptor), "wb")


def descriptor_of(path: Path) -> int | None:
    """Return the descriptor of this process that a path such as ``/dev/stdout`` stands for.

    It is a link to wherever a shell has redirected it, maybe to a file that is appended to. To
    empty or replace that file would be wrong; the descriptor itself has to be written to.
    """
    for _ in range(_MAX_LINKS):
        path = path.parent.resolve() / path.name
        found = _DESCRIPTOR.fullmatch(str(path))
        if found is not None and found[1] in (None, str(os.getpid())):
            return int(found[2])
        if not path.is_symlink():
            break
        path = path.parent / path.readlink()
    return None
