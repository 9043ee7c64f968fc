"""One kernel out of several: all in turn, or the one with a number."""

import numpy as np
import pytest

from twincell.sim.devices.compose import by_number, in_turn
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


@pytest.mark.parametrize(("who", "result"), [(0, False), (4, True), (1, True), (-1, True)])
def test_the_kernel_with_a_number_answers_and_else_the_answer_is_given(who, result):
    assert by_number({0: is_even, 4: is_large}, True)(who, 11) is result
