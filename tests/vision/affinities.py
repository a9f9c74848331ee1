"""Affinity maps with planted segments, and mutex watersheds by definition."""

from __future__ import annotations

import itertools

import numpy as np

from tests.solvers.agglomerations import canonical

OFFSETS = {
    2: [(-1, 0), (0, -1), (-3, 0), (0, 3), (2, -2)],
    3: [(-1, 0, 0), (0, -1, 0), (0, 0, -1), (-2, 0, 0), (0, 3, 0), (1, -2, 2)],
}


def random_affinities(shape: tuple[int, ...], seed: int, *, ties: bool = False) -> np.ndarray:
    """Affinities without structure; with ties, of a few values only."""
    rng = np.random.default_rng(seed)
    size = (len(OFFSETS[len(shape)]), *shape)
    values = rng.integers(0, 5, size) / 4 if ties else rng.random(size)
    return values.astype(np.float32)


def naive(affinities, offsets, num_attractive, strides=None, mask=None, classes=None):
    """Take pairs of pixels one by one, with plain sets; return segments and classes."""
    shape = affinities.shape[1:]
    inside = np.ones(shape, dtype=bool) if mask is None else mask
    pixels = list(itertools.product(*map(range, shape)))
    edges = []
    for channel, offset in enumerate(offsets):
        attracts = channel < num_attractive
        for pixel in pixels:
            other = tuple(p + o for p, o in zip(pixel, offset, strict=True))
            if not all(0 <= o < s for o, s in zip(other, shape, strict=True)):
                continue
            if not (inside[pixel] and inside[other]):
                continue
            if not attracts and strides and any(p % s for p, s in zip(pixel, strides, strict=True)):
                continue
            value = affinities[channel][pixel]
            edges.append((value if attracts else np.float32(1) - value, attracts, pixel, other))
    if classes is not None:
        best = classes.argmax(axis=0)
        edges += [(classes[:, *p].max(), None, p, best[p]) for p in pixels if inside[p]]
    segments = {pixel: {pixel} for pixel in pixels}
    class_of = {}  # by the smallest pixel of a segment
    apart = []
    for _, attracts, pixel, other in sorted(edges, key=lambda edge: -edge[0]):
        if attracts is None:
            class_of.setdefault(min(segments[pixel]), int(other))
            continue
        first, second = segments[pixel], segments[other]
        if first is second:
            continue
        if not attracts:
            apart.append((pixel, other))
            continue
        known = {class_of[min(s)] for s in (first, second) if min(s) in class_of}
        if len(known) == 2 or any(
            (u in first and v in second) or (u in second and v in first) for u, v in apart
        ):
            continue
        for part in (first, second):
            class_of.pop(min(part), None)
        first |= second
        segments.update(dict.fromkeys(second, first))
        if known:
            class_of[min(first)] = known.pop()
    index = {pixel: i for i, pixel in enumerate(pixels)}
    labels = np.full(len(pixels), -1)
    labels[inside.ravel()] = canonical(
        [index[min(segments[pixel])] for pixel in pixels if inside[pixel]]
    )
    found = [class_of.get(min(segments[p]), -1) if inside[p] else -1 for p in pixels]
    return labels.reshape(shape), np.array(found).reshape(shape)
