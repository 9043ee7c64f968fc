"""One kernel out of several: all in turn, or the one with a number."""

import numpy as np
import pytest

from twincell.sim.compose import by_number, in_turn
from twincell.sim.jit import kernel


@kernel
def double(numbers):
    numbers[0] *= 2.0


@kernel
def add_one(numbers):
    numbers[0] += 1.0


@pytest.mark.parametrize(
    ("kernels", "result"),
    [([double, add_one], 7.0), ([add_one, double], 8.0), ([double] * 5, 96.0), ([], 3.0)],
)
def test_kernels_are_called_in_their_order(kernels, result):
    numbers = np.array([3.0])
    in_turn(kernels)(numbers)
    assert numbers[0] == result


@kernel
def is_even(number):
    return number % 2 == 0


@kernel
def is_large(number):
    return number > 9


@kernel
def is_small(number):
    return number < 9


def test_the_kernel_with_a_number_answers_and_for_all_other_numbers_the_last_one():
    chosen = by_number({0: is_even, 4: is_large, 7: is_even, 2: is_small}, otherwise=is_small)
    for argument in (8, 9, 10):
        answers = [chosen(number, argument) for number in (0, 7, 4, 2, 1, -1)]
        even, large, small = argument % 2 == 0, argument > 9, argument < 9
        assert answers == [even, even, large, small, small, small]


def test_without_numbers_the_last_one_answers():
    assert by_number({}, otherwise=is_large)(3, 11)
