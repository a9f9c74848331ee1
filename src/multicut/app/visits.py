"""The state of the page for one visitor, kept in their session only."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.app.failures import VisitorError
from multicut.app.proofs import open_desk
from multicut.app.samples import make_sample
from multicut.app.solving import Choices, Report, Solved, solve_subject
from multicut.app.uploads import Upload, take_upload

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits
    from multicut.app.proofs import Desk
    from multicut.app.storage import Storage
    from multicut.app.subjects import Subject


@dataclass(frozen=True, eq=False)
class Visit:
    """The input of a visitor and its solution; functions return a new one.

    Attributes
    ----------
    upload
        The file they uploaded last, if it holds several problems.
    subject
        The image or problem on the page.
    solved
        Its solution.
    folder
        Where pictures and files to download lie; removed with the visit.
    previous
        The folder of the step before, which browsers may still be reading.
    files
        The files to download, by what they are called.
    sample
        The name of the sample on the page, if it is one.
    desk
        Its proofreading, once that has begun. It is the one part that changes.
    """

    upload: Upload | None = None
    subject: Subject | None = None
    solved: Solved | None = None
    folder: Path | None = None
    previous: Path | None = None
    files: dict[str, Path] | None = None
    sample: str | None = None
    desk: Desk | None = None

    def __deepcopy__(self, memo: dict[int, Any]) -> Visit:
        # Nothing in it ever changes but the desk, which belongs to this visit.
        return self


@dataclass(frozen=True)
class VisitorFolders:
    """The folders of one visitor.

    Attributes
    ----------
    storage
        The folders of all visitors.
    visitor
        The name under which quotas count this visitor.
    """

    storage: Storage
    visitor: str = "unknown"

    def new_folder(self) -> Path:
        """Make a folder with a random name, since the server sends its files to any client."""
        return self.storage.new_folder(self.visitor)


def with_upload(visit: Visit, path: str, limits: AppLimits, folders: VisitorFolders) -> Visit:
    """Take a file that was uploaded, and the first problem in it."""
    upload = take_upload(path, folders.storage.root, limits)
    # Only to choose among its problems is the file needed any more.
    kept = upload if upload.members else None
    return replace(_cleared(visit, folders), upload=kept, subject=upload.subject())


def with_member(visit: Visit, member: str, folders: VisitorFolders) -> Visit:
    """Take another problem of the uploaded file."""
    if visit.upload is None:
        raise VisitorError("upload a file first")
    subject = visit.upload.subject(member)
    return replace(_cleared(visit, folders), upload=visit.upload, subject=subject)


def with_sample(visit: Visit, name: str, folders: VisitorFolders) -> Visit:
    """Take a sample."""
    return replace(_cleared(visit, folders), subject=make_sample(name), sample=name)


def with_solution(
    visit: Visit,
    choices: Choices,
    limits: AppLimits,
    folders: VisitorFolders,
    report: Report = lambda *_: None,
) -> Visit:
    """Solve the image or problem on the page, and write files to download."""
    if visit.subject is None:
        raise VisitorError("nothing to solve yet: drop a file or choose a sample")
    from multicut.app.downloads import write_downloads

    solved = solve_subject(visit.subject, choices, limits, report)
    cleared = _cleared(visit, folders)
    assert cleared.folder is not None
    return replace(
        cleared,
        upload=visit.upload,
        subject=visit.subject,
        sample=visit.sample,
        solved=solved,
        files=write_downloads(solved, cleared.folder),
        # Corrections are about nodes, so they hold as long as the nodes are the same.
        desk=visit.desk
        if visit.desk is not None and visit.desk.problem == solved.problem
        else None,
    )


def with_desk(visit: Visit) -> Visit:
    """Begin to proofread what was solved."""
    return visit if visit.desk is not None else replace(visit, desk=open_desk(visit.solved))


def has_corrections(visit: Visit) -> bool:
    """Whether a visitor has corrected what is on the page."""
    return visit.desk is not None and bool(visit.desk.proof.history)


def returned(visit: Visit) -> Visit:
    """Write the files to download of a visit whose page was loaded again."""
    if visit.solved is None or visit.folder is None:
        return visit
    from multicut.app.downloads import write_downloads

    return replace(visit, files=write_downloads(visit.solved, visit.folder))


def forget(visit: Visit | None, storage: Storage) -> None:
    """Remove the files of a visit."""
    if visit is None:
        return
    for folder in (visit.folder, visit.previous):
        if folder is not None:
            storage.remove(folder)


def _cleared(visit: Visit, folders: VisitorFolders) -> Visit:
    """Return a visit with nothing but an empty folder; what is shown now stays for one step."""
    if visit.previous is not None:
        folders.storage.remove(visit.previous)
    return Visit(folder=folders.new_folder(), previous=visit.folder)
