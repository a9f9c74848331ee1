"""What is to be trained, in which order, and what has to come first."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from multicut._target import write_whole
from multicut.training.checkpoint import checkpoint_path
from multicut.training.config import TrainingConfig
from multicut.training.curves import read_curve
from paper.retrain.trunks import branch_off, trunk_config, trunk_of

_TRUNKS = "trunks"
_MODEL = "model"
_CURVES = ("training.csv", "validation.csv", "model.safetensors", "model.json")
#: What runs begin with that branch off somewhere; the last says that all is there.
KEPT = (*_CURVES, checkpoint_path(Path()).name)


@dataclass
class Job:
    """One training process: a run, or a part of a trunk.

    Attributes
    ----------
    name
        What it is called in the table; the name of its folder.
    config
        The settings.
    needs
        The job that has to end first, if any.
    starts_from
        The folder with the checkpoint that it begins with, if any: of a trunk, or of a run that has
        the same settings.
    keeps
        Where what it ends with is kept for the runs that branch off there; for parts of trunks.
    """

    name: str
    config: TrainingConfig
    needs: Job | None = None
    starts_from: Path | None = None
    keeps: Path | None = None
    state: str = field(default="waiting")

    @property
    def folder(self) -> Path:
        """Where it writes to."""
        return Path(self.config.output)

    @property
    def is_trunk(self) -> bool:
        """Whether it is a part that several runs share."""
        return self.keeps is not None

    @property
    def is_ready(self) -> bool:
        """Whether nothing has to come first."""
        return self.state == "waiting" and (self.needs is None or self.needs.state == "done")

    @property
    def instances_left(self) -> int:
        """How many instances it still has to see."""
        if self.state == "done":
            return 0
        rows = read_curve(self.folder / "training.csv")
        seen = int(rows[-1]["instances"]) if rows else 0
        if self.needs is not None and (self.is_trunk or self.starts_from is not None):
            seen = max(seen, self.needs.config.instances)
        return max(0, self.config.instances - seen)

    def prepare(self) -> None:
        """Begin with the end of the trunk, or of the run that has the same settings."""
        # Values of a shorter run are none of this one, should it be killed before it is measured.
        (self.folder / "tests.json").unlink(missing_ok=True)
        if self.starts_from is not None:
            branch_off(self.starts_from, self.config)

    def finish(self) -> None:
        """Keep what others begin with."""
        if self.keeps is not None:
            summary = json.loads((self.folder / "summary.json").read_text(encoding="utf-8"))
            if summary["instances"] != self.config.instances:
                raise RuntimeError(
                    f"{self.folder} is at {summary['instances']:,} instances, beyond "
                    f"{self.config.instances:,}, where runs branch off; train it anew elsewhere"
                )
            self.keeps.mkdir(parents=True, exist_ok=True)
            for name in _CURVES:
                if (self.folder / name).exists():
                    write_whole(self.keeps / name, (self.folder / name).read_bytes())
            # The last: that it is there says that all is.
            write_whole(checkpoint_path(self.keeps), checkpoint_path(self.folder).read_bytes())
        self.state = "done"


def plan(configs: Sequence[TrainingConfig], folder: Path) -> list[Job]:
    """Return the jobs of these runs, most urgent first: the order of the runs is that of urgency.

    Parameters
    ----------
    configs
        The runs. Their outputs name their folders.
    folder
        Where trunks go.
    """
    points: dict[str, list[TrainingConfig]] = {}
    for config in configs:
        if (trunk := trunk_of(config)) is not None:
            points.setdefault(trunk, []).append(config)
    jobs: list[Job] = []
    parts: dict[tuple[str, int], Job] = {}
    own: dict[Path, Job] = {}
    first: dict[str, Job] = {}
    for config in configs:
        trunk = trunk_of(config)
        run = Job(Path(config.output).name, config)
        same = first.setdefault(_settings_of(config), run)
        if same is not run and not config.finetune and _can_be_copied(same):
            run.needs, run.starts_from = same, same.folder
        elif trunk is not None:
            run.needs = _part(trunk, config, points[trunk], folder / _TRUNKS, parts, jobs)
            run.starts_from = run.needs.keeps
        own[run.folder] = run
        jobs.append(run)
    for run in own.values():
        _start_from_another(run, own)
    # Backwards, so that what needs a part of a trunk is known before that part.
    for job in reversed(jobs):
        after = [each.state for each in jobs if each.needs is job]
        if _was_done(job) or (job.is_trunk and all(state == "done" for state in after)):
            job.state = "done"
    return jobs


def _settings_of(config: TrainingConfig) -> str:
    """Return what makes two runs the same run, as text: all settings but where it goes."""
    return json.dumps({**config.to_dict(), "output": ""}, sort_keys=True)


def _can_be_copied(run: Job) -> bool:
    """Whether a run will have a checkpoint at its end; archives of ended runs have none."""
    return not _was_done(run) or checkpoint_path(run.folder).exists()


def _start_from_another(run: Job, own: Mapping[Path, Job]) -> None:
    """Let a run that finetunes wait for the run that trains its start, if that one is here as well.

    Configurations name the start as it lies in ``runs``; here it lies beside this run.
    """
    model = Path(run.config.finetune)
    start = own.get(run.folder.parent / model.parent.name)
    if model.name == _MODEL and start is not None and start is not run:
        run.needs = start
        run.config = run.config.updated({"finetune": str(start.folder / _MODEL)})


def _was_done(job: Job) -> bool:
    """Whether an earlier call has finished a job."""
    if job.keeps is not None:
        return checkpoint_path(job.keeps).exists()
    summary = job.folder / "summary.json"
    if not (job.folder / "tests.json").exists() or not summary.exists():
        return False
    found = json.loads(summary.read_text(encoding="utf-8"))
    enough = int(found["instances"]) >= job.config.instances
    return enough and str(found["stopped_by"]) == "finished"


def _part(
    trunk: str,
    config: TrainingConfig,
    runs: list[TrainingConfig],
    folder: Path,
    parts: dict[tuple[str, int], Job],
    jobs: list[Job],
) -> Job:
    """Return the part of a trunk that ends where a run leaves it, after all parts before it."""
    before: Job | None = None
    for each in sorted(runs, key=lambda run: run.alpha_start):
        end = each.alpha_start
        if end > config.alpha_start:
            break
        if (trunk, end) not in parts:
            settings = trunk_config(runs, end, folder / trunk)
            job = Job(f"{trunk}@{end}", settings, before, keeps=folder / f"{trunk}-at-{end}")
            parts[trunk, end] = job
            jobs.append(job)
        before = parts[trunk, end]
    assert before is not None
    return before
