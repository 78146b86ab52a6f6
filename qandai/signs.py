"""Vectors of words as signs: a bit a number, from which cosines are still told to a few hundredths.

A vector is turned by a rotation that is the same for all of a length, and of each number only the sign is kept. Turning
spreads over many numbers (blocks of a power of two) what a few strong ones say, which alone would decide otherwise.
What is compared with the signs keeps its numbers. Gao and Long 2024 (RaBitQ) say how near that comes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import cast

import numpy as np
from numpy.typing import NDArray

from qandai.ports import Signs, Vectors

_ROUNDS = 2
_SEED = 20261201  # of the rotation; whoever changes it counts `vault.READING` up


def width(dimension: int) -> int:
    """Bytes that a vector takes."""
    return -(-dimension // 8)


def pack(vectors: Vectors) -> Signs:
    """(n, width(dimension)) of (n, dimension)."""
    if not len(vectors):  # a rotation takes room and time, which a model that tells no words apart should not cost
        return np.zeros((0, width(vectors.shape[1])), np.uint8)
    return np.packbits(turn(vectors) > 0, axis=1)


def unpack(signs: Signs, dimension: int) -> Vectors:
    """(n, dimension) of 1 and -1, turned as the vectors were."""
    return _NUMBERS.take(signs, axis=0).reshape(len(signs), 8 * signs.shape[1])[:, :dimension]  # [] is 5 × slower


def scale(dimension: int) -> float:
    """What a product of a vector of length 1 and unpacked signs is to be multiplied by to be near their cosine."""
    return math.sqrt(math.pi / 2 / dimension)


def turn(vectors: Vectors) -> Vectors:
    """(n, dimension), as long as they were."""
    return cast(Vectors, vectors @ _rotation(vectors.shape[1]))


def side_by_side(parts: Sequence[Signs]) -> Signs:
    """The words of a text by several models; no rows where one of them does not tell words apart."""
    return np.concatenate(parts, axis=1) if len({len(part) for part in parts}) == 1 else np.zeros((0, 0), np.uint8)


_NUMBERS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.float32) * 2 - 1


@cache
def _rotation(dimension: int) -> Vectors:
    """Signs dealt at random, and sums and differences within blocks that are a power of two long (Hadamard): exact
    arithmetic, so that every machine has the same one."""
    chance = np.random.default_rng(_SEED)
    block = dimension & -dimension
    mixing = np.ones((1, 1), np.float32)
    while len(mixing) < block:
        mixing = np.block([[mixing, mixing], [mixing, -mixing]])
    turned = np.eye(dimension, dtype=np.float32)
    for _ in range(_ROUNDS):
        turned = turned[:, chance.permutation(dimension)] * chance.choice(np.array([-1, 1], np.float32), dimension)
        turned = (turned.reshape(dimension, -1, block) @ mixing).reshape(dimension, dimension)
    return cast(NDArray[np.float32], turned / np.float32(np.sqrt(block)) ** _ROUNDS)
