"""Every seed and every finding of the fuzzers, and some changes of them."""

from __future__ import annotations

import random

import pytest

from fuzz.readers import TARGETS
from fuzz.seeds import CORPUS, NATIVE, seeds_of

SHORT = 60  # changed inputs of each target


@pytest.mark.parametrize("name", TARGETS)
def test_readers_keep_their_promises(name: str) -> None:
    inputs = [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]
    assert inputs
    chance = random.Random(name)
    for i in range(len(inputs) + SHORT):
        data = bytearray(inputs[i] if i < len(inputs) else chance.choice(inputs))
        if i >= len(inputs):
            for _ in range(chance.randint(1, 4)):
                data[chance.randrange(1, max(len(data), 2)) : chance.choice([None, len(data)])] = (
                    chance.choice([b"", b"\xff", b"0", b"-1", b"\x00\x00\x00\x80", bytes(data[:9])])
                )
        TARGETS[name](bytes(data))


@pytest.mark.parametrize("name", sorted({*TARGETS, *NATIVE}))
def test_every_target_has_seeds(name: str) -> None:
    assert any(seeds_of(name))
    assert any((CORPUS / name).glob("seed-*"))
