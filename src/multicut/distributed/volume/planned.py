"""A segmentation that is planned: done before, or to be run."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut._target import write_whole
from multicut.distributed.stages import Report
from multicut.distributed.volume import writing
from multicut.distributed.volume.job import Job
from multicut.distributed.volume.report import BlockwiseReport
from multicut.distributed.volume.run import PUBLISHING, Run
from multicut.distributed.volume.source import VolumeSource
from multicut.distributed.volume.target import Target, check_free, publish

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True, eq=False)
class Planned:
    """A job with its source and target."""

    job: Job
    source: VolumeSource
    target: Target

    def finished(self) -> BlockwiseReport | None:
        """Return the report of an earlier run of the same job, if its labels are there."""
        try:
            values = json.loads(self.target.report.read_bytes())
            found = BlockwiseReport.of_dict(values)
        except (OSError, ValueError, TypeError, KeyError):
            return None
        is_same = found.job == self.job.to_dict() and found.target == str(self.target)
        if not (is_same and self.target.place.exists()):
            return None
        shutil.rmtree(self.target.workspace, ignore_errors=True)
        return found

    def check_place(self) -> None:
        """Raise an error if something else is in the place of what will be written."""
        self.job.check_begun(self.target.workspace)
        if (self.target.workspace / PUBLISHING).exists():
            return  # a run was killed while it put results in their places
        check_free(self.target)
        if self.target.table.exists():
            raise FileExistsError(
                f"{self.target.table}: exists already; choose another name or remove it"
            )

    def run(self, client: Client | None, report: Report | None) -> BlockwiseReport:
        """Do what is left to do."""
        with self.job.working_in(self.target.workspace) as folder:
            done = Run(self.job, self.source, self.target, folder, client, report).all_stages()
            write_whole(folder / PUBLISHING, "{}")
            publish(self.target, folder, self.job.grid)
            parts = folder / writing.LIST_REGIONS / "parts"
            if parts.exists():
                parts.rename(self.target.table)
            write_whole(self.target.report, json.dumps(done.to_dict(), indent=1))
            shutil.rmtree(folder, ignore_errors=True)
        return done
