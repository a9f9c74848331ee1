from __future__ import annotations

import numpy as np
import pytest

from multicut.distributed.node_blocks import NodeBlocks


def test_ranges_are_joined_two_and_two():
    blocks = NodeBlocks.of_ranges(np.array([0, 2, 2, 5, 9, 10]))
    assert [blocks.num_blocks_of(level) for level in range(blocks.num_levels)] == [5, 3, 2, 1]
    assert blocks.children(1, 1) == [2, 3]
    assert blocks.ancestors(2).tolist() == [0, 0, 0, 0, 1]
    assert blocks.block_of(np.array([0, 1, 2, 4, 5, 9])).tolist() == [0, 0, 2, 2, 3, 4]


def test_grids_are_halved_along_each_axis():
    blocks = NodeBlocks.of_grid(np.arange(13), (3, 4))
    assert [blocks.num_blocks_of(level) for level in range(blocks.num_levels)] == [12, 4, 1]
    assert blocks.children(1, 0) == [0, 1, 4, 5]
    assert blocks.children(1, 3) == [10, 11]


def test_one_block_is_one_level():
    assert NodeBlocks.of_ranges(np.array([0, 7])).num_levels == 1


def test_plain_values_give_the_same_blocks():
    blocks = NodeBlocks.of_grid(np.arange(9) * 3, (2, 4))
    again = NodeBlocks.of_dict(blocks.to_dict())
    assert again.to_dict() == blocks.to_dict()


@pytest.mark.parametrize(
    ("offsets", "parents", "message"),
    [
        ([1, 2], [], "must begin with 0"),
        ([0, 3, 2], [[0, 0]], "must not decrease"),
        ([0, 1, 2], [], "the last level must be one block, got 2"),
        ([0, 1, 2], [[0]], r"parents\[0\] must name a block for each of 2"),
        ([0, 1, 2], [[0, 2]], r"parents\[0\] must use all numbers 0 … 1"),
    ],
)
def test_blocks_that_are_none_are_refused(offsets, parents, message):
    with pytest.raises(ValueError, match=message):
        NodeBlocks(np.array(offsets), tuple(np.array(parent) for parent in parents))


def test_a_grid_of_another_size_is_refused():
    with pytest.raises(ValueError, match=r"shape \(2, 2\) does not have 3 blocks"):
        NodeBlocks.of_grid(np.arange(4), (2, 2))
