"""Vectors as signs: what is compared with them is told apart as by the vectors themselves."""

from __future__ import annotations

import numpy as np
import pytest

from qandai.signs import pack, scale, turn, unpack, width


def directions(count: int, dimension: int, seed: int = 1) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("dimension", [384, 768, 512, 7])
def test_turning_changes_no_length_and_no_angle(dimension: int) -> None:
    given = directions(20, dimension)
    assert turn(given) @ turn(given).T == pytest.approx(given @ given.T, abs=1e-5)


def test_turning_spreads_what_one_number_says_over_all() -> None:
    alone = np.zeros((1, 384), np.float32)
    alone[0, 5] = 1
    assert np.abs(turn(alone)).max() < 0.25


@pytest.mark.parametrize("dimension", [384, 768, 20])
def test_a_word_takes_a_bit_a_number(dimension: int) -> None:
    signs = pack(directions(5, dimension))
    assert signs.shape == (5, width(dimension))
    assert width(dimension) == -(-dimension // 8)
    assert np.array_equal(unpack(signs, dimension), np.sign(turn(directions(5, dimension))))


def test_cosines_are_told_from_signs_to_a_few_hundredths() -> None:
    words, asked = directions(2000, 384), directions(30, 384, seed=2)
    words[:30] = 0.8 * asked + 0.6 * directions(30, 384, seed=3)
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    told = turn(asked) @ unpack(pack(words), 384).T * scale(384)
    assert np.abs(told - asked @ words.T).mean() < 0.04
    assert np.array_equal(told.argmax(axis=1), np.arange(30))


def test_no_words_have_no_signs() -> None:
    assert pack(np.zeros((0, 384), np.float32)).shape == (0, 48)
    assert pack(np.zeros((0, 10**9), np.float32)).shape == (0, 125_000_000)  # of no rotation, which had no room
