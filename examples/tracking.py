"""Link detections over frames to tracks, with missed and false detections and occlusions.

Objects move through the plane, turning smoothly. In each frame a detector reports their noisy
positions and a noisy look (four numbers, say from an embedding), misses some, and reports things
that are not there. Detections are nodes. Two of them in different frames, up to five apart, are
joined by an edge whose cost is the log-odds of being the same object, learned from tracks that are
known; two in the same frame repel. The number of objects is not given: it comes out.

For comparison, detections are linked frame by frame: the best assignment to the ends of the tracks
so far, by the very same costs. It has to decide at once, the multicut sees all frames together.

With ``--occlusion 8`` each object is hidden for eight frames. Edges then span up to ten frames, but
few of them lead from one side of a gap to the other. Lifted edges over up to thirty frames add what
the looks of all detections on both sides say, and keep apart what is too far apart. They do not
connect detections: a track still has to be connected by edges. For comparison, the problem is
solved without them, and with ordinary edges in their place.

    python examples/tracking.py --picture tracks.png
    python examples/tracking.py --occlusion 8
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.cluster import pair_confusion_matrix
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler

import multicut as mc

REACH = 5  # frames that an edge may span; more if objects are hidden for longer
LIFTED_REACH = 30  # frames that a lifted edge may span
LOOK = 4  # numbers that describe how a detection looks
# Two detections in one frame, or too far apart, are two objects, almost for sure.
REPULSION = -20.0
Scores = dict[str, float]


@dataclass(frozen=True)
class Detections:
    """What the detector reports, and the truth: -1 for what is not there, else the object."""

    frames: np.ndarray  # (n,)
    positions: np.ndarray  # (n, 2)
    looks: np.ndarray  # (n, LOOK)
    objects: np.ndarray  # (n,)


def simulate(
    num_objects: int, num_frames: int, rng: np.random.Generator, occlusion: int = 0
) -> Detections:
    """Let objects wander, each hidden for some frames, and a detector watch them."""
    looks = rng.normal(0, 1, (num_objects, LOOK))
    position = rng.uniform(0, 10, (num_objects, 2))
    angle = rng.uniform(0, 2 * np.pi, num_objects)
    turn = rng.normal(0, 0.1, num_objects)
    # Hidden objects have been seen before, and will be again.
    latest = max(num_frames - occlusion - 3, 4)
    hidden = rng.integers(3, latest, num_objects) if occlusion > 0 else np.full(num_objects, -1)
    rows: list[tuple[float, ...]] = []
    for frame in range(num_frames):
        angle += turn + rng.normal(0, 0.05, num_objects)
        position = position + 0.35 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        # Who comes to a wall turns round.
        outside = (position < 0) | (position > 10)
        angle = np.where(outside[:, 0], np.pi - angle, angle)
        angle = np.where(outside[:, 1], -angle, angle)
        position = np.clip(position, 0, 10)
        is_hidden = (frame >= hidden) & (frame < hidden + occlusion)
        for i in np.flatnonzero((rng.random(num_objects) > 0.15) & ~is_hidden):
            seen = position[i] + rng.normal(0, 0.08, 2)
            rows.append((frame, *seen, *(looks[i] + rng.normal(0, 0.4, LOOK)), i))
        rows += [
            (frame, *rng.uniform(0, 10, 2), *rng.normal(0, 1, LOOK), -1)
            for _ in range(rng.poisson(0.1 * num_objects))
        ]
    table = np.array(rows)
    frames, positions, looks, objects = np.split(table, [1, 3, 3 + LOOK], axis=1)
    return Detections(frames[:, 0].astype(int), positions, looks, objects[:, 0].astype(int))


def linked_pairs(detections: Detections, reach: int = REACH) -> np.ndarray:
    """Pair detections in one frame, and those that the same object could just about have caused."""
    u, v = np.triu_indices(len(detections.frames), 1)  # detections are ordered by frame
    gap = detections.frames[v] - detections.frames[u]
    distance = np.linalg.norm(detections.positions[v] - detections.positions[u], axis=1)
    linked = (gap == 0) | ((gap <= reach) & (distance < 0.6 * gap + 1))
    return np.stack([u[linked], v[linked]], axis=1)


def lifted_pairs(detections: Detections, reach: int) -> np.ndarray:
    """Pair detections that are too far apart in time for an edge."""
    u, v = np.triu_indices(len(detections.frames), 1)
    gap = detections.frames[v] - detections.frames[u]
    far = (gap > reach) & (gap <= LIFTED_REACH)
    return np.stack([u[far], v[far]], axis=1)


def impossible_pairs(detections: Detections, reach: int) -> np.ndarray:
    """Pair detections that are too far apart in space for an edge."""
    u, v = np.triu_indices(len(detections.frames), 1)
    gap = detections.frames[v] - detections.frames[u]
    distance = np.linalg.norm(detections.positions[v] - detections.positions[u], axis=1)
    far = (gap > 0) & (gap <= reach) & (distance >= 0.6 * gap + 1)
    return np.stack([u[far], v[far]], axis=1)


def features(detections: Detections, pairs: np.ndarray) -> np.ndarray:
    """How far apart two detections are in time, place and look."""
    u, v = pairs.T
    gap = detections.frames[v] - detections.frames[u]
    distance = np.linalg.norm(detections.positions[v] - detections.positions[u], axis=1)
    look = np.linalg.norm(detections.looks[v] - detections.looks[u], axis=1)
    return np.stack([gap, distance, distance / np.maximum(gap, 1), look], axis=1)


def train(detections: Detections, pairs: np.ndarray, *, balanced: bool = False) -> Pipeline:
    """Learn the log-odds that two detections in different frames are one object.

    They are `balanced` if they are to tell nothing of how rare that is.
    """
    pairs = pairs[detections.frames[pairs[:, 0]] != detections.frames[pairs[:, 1]]]
    first, second = detections.objects[pairs].T
    regression = LogisticRegression(max_iter=500, class_weight="balanced" if balanced else None)
    model = make_pipeline(StandardScaler(), PolynomialFeatures(2), regression)
    return model.fit(features(detections, pairs), (first == second) & (first >= 0))


def edge_costs(model: Pipeline, detections: Detections, pairs: np.ndarray) -> np.ndarray:
    """Turn log-odds into costs; detections in one frame repel."""
    same_frame = detections.frames[pairs[:, 0]] == detections.frames[pairs[:, 1]]
    costs = model.decision_function(features(detections, pairs))
    return np.where(same_frame, REPULSION, costs)


def link_greedily(detections: Detections, pairs: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """Frame by frame, assign detections to the ends of tracks so that the costs are best."""
    cost_of = {(u, v): cost for (u, v), cost in zip(pairs.tolist(), costs, strict=True)}
    labels = np.full(len(detections.frames), -1)
    ends: list[int] = []  # the last detection of each track
    for frame in range(detections.frames.max() + 1):
        new = np.flatnonzero(detections.frames == frame).tolist()
        table = np.array([[max(cost_of.get((end, i), 0.0), 0.0) for i in new] for end in ends])
        rows, columns = linear_sum_assignment(table.reshape(len(ends), len(new)), maximize=True)
        for track, column in zip(rows.tolist(), columns.tolist(), strict=True):
            if table[track, column] > 0:
                labels[new[column]] = track
                ends[track] = new[column]
        for i in new:
            if labels[i] < 0:
                labels[i] = len(ends)
                ends.append(i)
    return labels


def identity_scores(labels: np.ndarray, objects: np.ndarray) -> Scores:
    """Compare tracks with objects: IDF1, pairs put together, and tracks per object.

    IDF1 matches each object with one track at most, so that as many detections as possible agree.
    """
    real = objects >= 0
    # What is not there is right only on its own: each false detection is an object of its own.
    truth = np.where(real, objects, objects.max() + 1 + np.arange(len(objects)))
    overlap = np.zeros((labels.max() + 1, objects.max() + 1))
    np.add.at(overlap, (labels[real], objects[real]), 1)
    sizes = np.bincount(labels)
    rows, columns = linear_sum_assignment(overlap, maximize=True)
    agreeing = overlap[rows, columns].sum()
    # Tracks of one detection report nothing: any tracker drops them.
    reported = sizes[sizes > 1].sum()
    (_, wrong), (missing, right) = pair_confusion_matrix(truth, labels)
    seen = [len(np.unique(labels[objects == i])) for i in np.unique(objects[real])]
    return {
        "IDF1": 2 * agreeing / (reported + real.sum()),
        "pair F1": 2 * right / (2 * right + wrong + missing),
        "tracks per object": float(np.mean(seen)),
    }


def save_picture(path: Path, detections: Detections, tracks: dict[str, np.ndarray]) -> None:
    """Draw the tracks that each way has found; what is on its own is grey."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        1, len(tracks), figsize=(4.5 * len(tracks), 4.5), layout="constrained"
    )
    for ax, (name, labels) in zip(axes, tracks.items(), strict=True):
        ax.scatter(*detections.positions.T, s=4, color="lightgrey")
        for label in np.flatnonzero(np.bincount(labels) > 2):
            own = np.flatnonzero(labels == label)
            ax.plot(*detections.positions[own].T, linewidth=1.2)
        ax.set(title=name, xticks=[], yticks=[], aspect="equal")
    figure.savefig(path)
    plt.close(figure)


def lift(problem: mc.Problem, known: Detections, detections: Detections, reach: int) -> mc.Problem:
    """Add lifted edges over more frames than edges span, by log-odds learned for these.

    The costs of edges tell already how rare pairs of one object are. Pairs that are too far apart
    for an edge repel: no object is that fast.
    """
    model = train(known, lifted_pairs(known, reach), balanced=True)
    pairs = lifted_pairs(detections, reach)
    costs = model.decision_function(features(detections, pairs))
    impossible = impossible_pairs(detections, reach)
    return mc.Problem(
        problem.edges,
        problem.costs,
        problem.num_nodes,
        lifted_edges=np.concatenate([pairs, impossible]),
        lifted_costs=np.append(costs, np.full(len(impossible), REPULSION)),
    )


def main(
    num_objects: int = 15,
    num_frames: int = 30,
    seed: int = 0,
    occlusion: int = 0,
    picture: Path | None = None,
) -> dict[str, Scores]:
    """Learn costs from one film, track the objects of another, and print how well that went."""
    rng = np.random.default_rng(seed)
    # Edges have to reach over an occlusion, since lifted ones do not connect.
    reach = max(REACH, occlusion + 2)
    known = simulate(num_objects, num_frames, rng, occlusion)
    detections = simulate(num_objects, num_frames, rng, occlusion)
    pairs = linked_pairs(detections, reach)
    costs = edge_costs(train(known, linked_pairs(known, reach)), detections, pairs)
    problem = mc.Problem(pairs, costs, num_nodes=len(detections.frames))
    tracks = {
        "frame by frame": link_greedily(detections, pairs, costs),
        "multicut": np.array(mc.solve(problem, "klj").labels),
    }
    if occlusion > 0:
        problem = lift(problem, known, detections, reach)
        everything = mc.Problem(
            np.concatenate([problem.edges, problem.lifted_edges]),
            np.append(problem.costs, problem.lifted_costs),
            problem.num_nodes,
        )
        tracks["multicut, all edges"] = np.array(mc.solve(everything, "klj").labels)
        tracks["lifted multicut"] = np.array(mc.solve(problem, "klj").labels)
    scores = {name: identity_scores(labels, detections.objects) for name, labels in tracks.items()}
    print(
        f"{num_objects} objects in {num_frames} frames: {problem.num_nodes} detections, of which "
        f"{(detections.objects < 0).sum()} false; {problem.num_edges} edges, "
        f"{problem.num_lifted_edges} lifted edges"
    )
    for name, values in scores.items():
        print(f"  {name:<19}", "  ".join(f"{key} {value:.3f}" for key, value in values.items()))
    if picture is not None:
        truth = np.where(detections.objects >= 0, detections.objects, num_objects)
        shown = np.where(truth < num_objects, truth, num_objects + np.arange(len(truth)))
        save_picture(picture, detections, {"truth": shown, **tracks})
    return scores


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num-objects", type=int, default=15)
    parser.add_argument("--num-frames", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--occlusion", type=int, default=0, help="frames for which each is hidden")
    parser.add_argument("--picture", type=Path, help="where to save a figure")
    main(**vars(parser.parse_args()))
