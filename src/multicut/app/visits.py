"""What the page knows of one visitor; it lives with their session and is shared with nobody."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.app.failures import VisitorError
from multicut.app.samples import make_sample
from multicut.app.solving import Choices, Report, Solved, solve_subject
from multicut.app.uploads import Upload, take_upload

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits
    from multicut.app.subjects import Subject


@dataclass(frozen=True, eq=False)
class Visit:
    """What a visitor has brought, and what came out; steps return a new one.

    Attributes
    ----------
    upload
        The file they uploaded last, if it holds several problems.
    subject
        What is at hand.
    solved
        What came out of it.
    folder
        Where files to download lie; removed with the visit.
    files
        These files, by what they are called.
    """

    upload: Upload | None = None
    subject: Subject | None = None
    solved: Solved | None = None
    folder: Path | None = None
    files: dict[str, Path] | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Visit:
        # Nothing in it ever changes.
        return self


def with_upload(visit: Visit, path: str, folder: Path, limits: AppLimits) -> Visit:
    """Take a file that was uploaded to `folder`, and the first problem in it."""
    upload = take_upload(path, folder, limits)
    # Only to choose among its problems is the file needed any more.
    kept = upload if upload.members else None
    return replace(_cleared(visit), upload=kept, subject=upload.subject())


def with_member(visit: Visit, member: str) -> Visit:
    """Take another problem of the uploaded file."""
    if visit.upload is None:
        raise VisitorError("upload a file first")
    return replace(_cleared(visit), upload=visit.upload, subject=visit.upload.subject(member))


def with_sample(visit: Visit, name: str) -> Visit:
    """Take a sample."""
    return replace(_cleared(visit), subject=make_sample(name))


def with_solution(
    visit: Visit,
    choices: Choices,
    limits: AppLimits,
    folder: Path,
    report: Report = lambda *_: None,
) -> Visit:
    """Solve what is at hand, and write files to download below `folder`."""
    if visit.subject is None:
        raise VisitorError("nothing to solve yet: drop a file or choose a sample")
    from multicut.app.downloads import write_downloads

    solved = solve_subject(visit.subject, choices, limits, report)
    forget(visit)
    # A name that nobody can guess, since the server hands out what lies below.
    own = Path(tempfile.mkdtemp(prefix="result-", dir=folder))
    return replace(visit, solved=solved, folder=own, files=write_downloads(solved, own))


def forget(visit: Visit | None) -> None:
    """Remove the files of a visit."""
    if visit is not None and visit.folder is not None:
        shutil.rmtree(visit.folder, ignore_errors=True)


def _cleared(visit: Visit) -> Visit:
    forget(visit)
    return Visit()
