"""Detections of moving objects that are hidden for a while: edges by place, lifted ones by look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from multicut._arrays import FloatArray, IntArray
from multicut._options import Options, check_order, option
from multicut.datasets.generators.costs import draw_size
from multicut.datasets.generators.graph import GeneratedGraph, all_pairs
from multicut.datasets.generators.record import GeneratorRecord

# How far an object moves in a frame, and how precisely its place is seen; the square has side 1.
_STEP, _PLACE_NOISE = 0.03, 0.01
# Of an edge: the cost of no distance, and what each step too far takes from it.
_CLOSE, _PER_STEP = 2.0, 1.5
# Two detections in one frame are two objects.
_SAME_FRAME_COST = -5.0


@dataclass(frozen=True)
class LiftedTrackingOptions(Options):
    """Options of tracking with occlusions."""

    min_objects: int = option(4, "fewest objects", least=1, most=1000)
    max_objects: int = option(7, "most objects", least=1, most=1000)
    num_frames: int = option(16, "frames", least=1, most=1000)
    occlusion: int = option(3, "frames for which an object is hidden, once", least=0, most=1000)
    reach: int = option(4, "frames that an edge spans at most", least=1, most=1000)
    lifted_reach: int = option(
        10,
        "frames that a lifted edge spans at most; it spans more than an edge",
        least=1,
        most=1000,
    )
    lifted_share: float = option(
        0.3, "share of lifted edges between frames that are there", least=0, most=1
    )
    noise: float = option(0.5, "standard deviation of the noise on costs of edges", least=0)
    lifted_noise: float = option(1.0, "the same for lifted edges, whose costs are ±1", least=0)

    def check_together(self) -> None:
        """Complain about an empty range."""
        check_order(min_objects=self.min_objects, max_objects=self.max_objects)
        check_order(reach=self.reach, lifted_reach=self.lifted_reach)


def draw_lifted_tracking(
    rng: np.random.Generator, options: LiftedTrackingOptions
) -> GeneratedGraph:
    """Join detections by edges where places fit, and by lifted edges over longer times.

    Each edge costs the more the closer the two places are to what an object can have moved. Lifted
    edges tell, noisily, whether two detections look alike; those of one frame repel.
    """
    frames, objects, places = _draw_detections(rng, options)
    pairs = all_pairs(len(frames))
    gaps = frames[pairs[:, 1]] - frames[pairs[:, 0]]
    distances = np.linalg.norm(places[pairs[:, 1]] - places[pairs[:, 0]], axis=1)
    excess = distances / _STEP - gaps
    is_edge = (gaps > 0) & (gaps <= options.reach) & (excess < 2)
    edges = pairs[is_edge]
    costs = _CLOSE - _PER_STEP * np.maximum(excess[is_edge] + 1, 0)
    costs = costs + rng.normal(0, options.noise, len(edges))
    is_far = (gaps > options.reach) & (gaps <= options.lifted_reach)
    is_lifted = (gaps == 0) | (is_far & (rng.random(len(pairs)) < options.lifted_share))
    lifted = pairs[is_lifted]
    same = objects[lifted[:, 0]] == objects[lifted[:, 1]]
    lifted_costs = np.where(same, 1.0, -1.0) + rng.normal(0, options.lifted_noise, len(lifted))
    lifted_costs[gaps[is_lifted] == 0] = _SAME_FRAME_COST
    return GeneratedGraph(len(frames), edges, costs, _picture(frames, places), lifted, lifted_costs)


def _draw_detections(
    rng: np.random.Generator, options: LiftedTrackingOptions
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return frame, object and place of each detection, frame by frame."""
    num_objects = draw_size(rng, options.min_objects, options.max_objects)
    start = rng.random((num_objects, 2))
    angles = 2 * np.pi * rng.random(num_objects)
    hidden_from = rng.random(num_objects) * max(options.num_frames - options.occlusion, 0)
    turns = np.cumsum(rng.normal(0, 0.3, (options.num_frames, num_objects)), axis=0) + angles
    moves = _STEP * np.stack([np.cos(turns), np.sin(turns)], axis=-1)
    paths = start + np.cumsum(moves, axis=0)
    # Folded at the walls, so that objects stay in the square and meet there.
    paths = 1 - np.abs(np.mod(paths, 2) - 1)
    seen_places = paths + rng.normal(0, _PLACE_NOISE, paths.shape)
    frames, objects = np.indices((options.num_frames, num_objects)).reshape(2, -1)
    first_hidden = np.floor(hidden_from).astype(np.int64)[objects]
    seen = (frames < first_hidden) | (frames >= first_hidden + options.occlusion)
    return frames[seen], objects[seen], seen_places.reshape(-1, 2)[seen]


def _picture(frames: IntArray, places: FloatArray) -> FloatArray:
    """Time goes to the right, one of the two axes up."""
    return np.stack([0.1 * frames, places[:, 1]], axis=1)


RECORD = GeneratorRecord(
    name="lifted-tracking",
    description="detections of moving objects that are hidden for a while: edges by place, lifted "
    "edges by look",
    draw=draw_lifted_tracking,
    options=LiftedTrackingOptions,
    is_lifted=True,
)
