from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from tests.vision.affinities import OFFSETS, naive, random_affinities

SHAPES = [(7, 6), (1, 9), (4, 5, 3), (1, 1)]


def random_mask(shape: tuple[int, ...], seed: int) -> np.ndarray:
    return np.random.default_rng(seed).random(shape) < 0.7


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_pixels_are_segmented_as_the_definition_says(shape, ties, seed):
    offsets = OFFSETS[len(shape)]
    affinities = random_affinities(shape, seed, ties=ties)
    strides = [None, (1, 2, 3)[: len(shape)]][seed % 2]
    mask = random_mask(shape, seed) if seed % 3 == 0 else None
    found = mc.vision.mutex_watershed(affinities, offsets, strides, mask=mask)
    expected, _ = naive(affinities, offsets, len(shape), strides, mask)
    assert found.dtype == np.int64
    assert np.array_equal(found, expected)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(8))
def test_segments_get_classes_as_the_definition_says(shape, seed):
    offsets = OFFSETS[len(shape)]
    affinities = random_affinities(shape, seed)
    classes = np.random.default_rng(seed).random((3, *shape)).astype(np.float32)
    mask = random_mask(shape, seed) if seed % 3 == 0 else None
    found = mc.vision.semantic_mutex_watershed(affinities, offsets, classes, mask=mask)
    for array, expected in zip(
        found, naive(affinities, offsets, len(shape), None, mask, classes), strict=True
    ):
        assert np.array_equal(array, expected)
    labels, kinds = found
    for label in range(labels.max() + 1):
        assert len(np.unique(kinds[labels == label])) == 1


def test_a_larger_image_is_that_of_the_solver():
    """The same edges as a problem, whose costs order them alike."""
    affinities = random_affinities((40, 50), seed=0)
    pixels = np.arange(2000).reshape(40, 50)
    edges, costs = [], []
    for channel, offset in enumerate(OFFSETS[2]):
        here = tuple(slice(max(0, -s), (s and min(0, -s)) or None) for s in offset)
        there = tuple(slice(max(0, s), (s and min(0, s)) or None) for s in offset)
        edges.append(np.stack([pixels[here].ravel(), pixels[there].ravel()], axis=1))
        value = affinities[channel][here].ravel()
        costs.append(value if channel < 2 else -(1 - value))
    problem = mc.Problem(np.concatenate(edges), np.concatenate(costs), num_nodes=2000)
    result = mc.solve(problem, "mutex-watershed")
    labels = mc.vision.mutex_watershed(affinities, OFFSETS[2])
    assert np.array_equal(result.labels, labels.ravel())


def test_clear_segments_are_found():
    truth = np.zeros((30, 30), dtype=int)
    truth[:, 12:] = 1
    truth[20:, 12:] = 2
    offsets = [(-1, 0), (0, -1), (-5, 0), (0, -5)]
    affinities = np.stack(
        [truth == np.roll(truth, [-o for o in offset], (0, 1)) for offset in offsets]
    )
    noisy = 0.1 + 0.7 * affinities + 0.2 * np.random.default_rng(0).random(affinities.shape)
    assert np.array_equal(mc.vision.mutex_watershed(noisy, offsets), truth)
    assert np.array_equal(mc.vision.mutex_watershed(affinities, offsets), truth)
    as_bytes = np.round(255 * noisy).astype(np.uint8)
    assert np.array_equal(mc.vision.mutex_watershed(as_bytes, offsets), truth)


def test_random_strides_depend_on_the_seed_alone():
    affinities = random_affinities((30, 30), seed=1)
    arguments = (affinities, OFFSETS[2], (3, 3))

    def segment(seed):
        return mc.vision.mutex_watershed(*arguments, randomize_strides=True, seed=seed)

    assert np.array_equal(segment(4), segment(4))
    assert not np.array_equal(segment(4), segment(5))
    # As few repulsive pairs as on the regular grid, about: so there are far fewer segments.
    regular = mc.vision.mutex_watershed(*arguments).max()
    all_pairs = mc.vision.mutex_watershed(affinities, OFFSETS[2]).max()
    found = np.mean([segment(seed).max() for seed in range(5)])
    assert 0.4 * regular < found < 2.5 * regular < all_pairs


def test_channels_may_all_be_attractive_or_none():
    affinities = random_affinities((6, 6), seed=0)
    together = mc.vision.mutex_watershed(affinities, OFFSETS[2], num_attractive_channels=5)
    assert together.max() == 0
    apart = mc.vision.mutex_watershed(affinities, OFFSETS[2], num_attractive_channels=0)
    assert apart.max() == 35


def test_offsets_that_lead_out_of_the_image_have_no_pairs():
    affinities = random_affinities((4, 4), seed=0)
    far = [(-1, 0), (0, -1), (10**12, 0), (0, 4), (-4, -4)]
    assert mc.vision.mutex_watershed(affinities, far).max() == 0


def test_values_outside_of_the_image_are_not_read():
    affinities = random_affinities((4, 4), seed=0)[:2]
    affinities[0, 0] = np.nan  # these pixels have no neighbour above
    assert mc.vision.mutex_watershed(affinities, [(-1, 0), (0, -1)]).max() == 0


AFFINITIES = random_affinities((4, 5), seed=0)


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((AFFINITIES[0], OFFSETS[2]), {}, ValueError, r"affinities must have shape \(C, H, W\)"),
        ((AFFINITIES, OFFSETS[2][:4]), {}, ValueError, r"offsets must be integers of shape \(5, 2"),
        ((AFFINITIES, [(0, 0)] * 5), {}, ValueError, "offsets must not be zero"),
        (
            (AFFINITIES * 2, OFFSETS[2]),
            {},
            ValueError,
            "must lie between 0 and 1, got 1.* in chann",
        ),
        ((AFFINITIES * np.nan, OFFSETS[2]), {}, ValueError, r"got nan in channel 0 at \(1, 0\)"),
        ((AFFINITIES > 2, OFFSETS[2], (2,)), {}, ValueError, "strides must be 2 integers"),
        ((AFFINITIES, OFFSETS[2], (0, 1)), {}, ValueError, "strides must be at least 1"),
        ((AFFINITIES, OFFSETS[2]), {"randomize_strides": True}, ValueError, "needs strides"),
        ((AFFINITIES, OFFSETS[2]), {"mask": np.ones((5, 4))}, ValueError, "mask must have the sha"),
        (
            (AFFINITIES, OFFSETS[2]),
            {"num_attractive_channels": 6},
            ValueError,
            "at most the number of channels, 5, got 6",
        ),
        ((AFFINITIES.astype(int), OFFSETS[2]), {}, TypeError, "uint8, uint16 or floating-point"),
        ((AFFINITIES.astype(str), OFFSETS[2]), {}, TypeError, "affinities must be"),
    ],
)
def test_bad_arguments_give_one_clear_line(arguments, options, error, message):
    with pytest.raises(error, match=message) as caught:
        mc.vision.mutex_watershed(*arguments, **options)
    assert "\n" not in str(caught.value)


def test_bad_classes_give_one_clear_line():
    with pytest.raises(ValueError, match=r"classes must have shape \(K, 4, 5\), one channel per"):
        mc.vision.semantic_mutex_watershed(AFFINITIES, OFFSETS[2], AFFINITIES[0])
    with pytest.raises(ValueError, match="classes must lie between 0 and 1, got -1 in channel 0"):
        mc.vision.semantic_mutex_watershed(AFFINITIES, OFFSETS[2], -np.ones((2, 4, 5)))
