"""What Python calls: any mixture of packs, numbers, arrays and tuples; kept on disk."""

from typing import NamedTuple

import numba
import numpy as np
import pytest

from twincell.sim.jit import cache, entry, formula, kernel
from twincell.sim.pack import pack


class Numbers(NamedTuple):
    values: np.ndarray
    factor: float


@pytest.fixture(autouse=True)
def cache_of_its_own(tmp_path, monkeypatch):
    monkeypatch.setenv("TWINCELL_CACHE_DIR", str(tmp_path))
    return tmp_path / "twincell"


@formula
def scaled(numbers, k):
    return numbers.factor * numbers.values[k]


@kernel
def total(numbers):
    found = 0.0
    for k in range(numbers.values.shape[0]):
        found += scaled(numbers, k)
    return found


def made():
    @entry
    def write_total(numbers, table, row, shift):
        for k in range(table.shape[1]):
            table[row, k] = total(numbers) + shift[0] - shift[1][0] * k
        return table.shape[0]

    return write_total


def test_an_entry_gets_packs_arrays_numbers_and_tuples():
    table = np.zeros((2, 3))
    numbers = Numbers(np.array([1.0, 2.0]), 10.0)
    assert made()(pack(numbers), table, 1, (0.5, (0.25,))) == 2
    assert table.tolist() == [[0.0, 0.0, 0.0], [30.5, 30.25, 30.0]]


def test_its_machine_code_is_found_again(cache_of_its_own):
    arguments = pack(Numbers(np.ones(1), 1.0)), np.zeros((1, 1)), 0, (0.0, (0.0,))
    made().object_file(*arguments).make()
    again = made().object_file(*arguments)
    assert [file.name for file in cache_of_its_own.iterdir()] == [again.file_name]
    assert again.is_ready


def test_a_damaged_file_is_made_anew(cache_of_its_own):
    arguments = pack(Numbers(np.ones(1), 2.0)), np.zeros((1, 1)), 0, (0.0, (0.0,))
    file = made().object_file(*arguments)
    file.make()
    (cache_of_its_own / file.file_name).write_bytes(b"not machine code")
    made()(*arguments)
    assert arguments[1][0, 0] == 2.0


def test_an_array_with_gaps_is_refused():
    with pytest.raises(ValueError, match="C-contiguous"):
        made()(pack(Numbers(np.ones(1), 1.0)), np.zeros((4, 4))[:, ::2], 0, (0.0, (0.0,)))


def test_what_c_has_no_word_for_is_refused():
    @entry
    def takes(text):
        return 0

    with pytest.raises(TypeError, match="cannot take"):
        takes("text")


def test_tests_call_kernels_as_they_are():
    assert total(pack(Numbers(np.array([1.0, 2.0]), 2.0))) == 6.0


def test_nothing_is_kept_of_an_entry_that_does_not_compile(cache_of_its_own):
    @entry
    def wrong(x):
        return x.no_such_thing

    with pytest.raises(numba.core.errors.NumbaError):
        wrong(1)
    assert not cache.cache_folder() or list(cache_of_its_own.iterdir()) == []


def test_an_entry_gives_whole_numbers_or_nothing():
    @entry
    def half(x):
        return 0.5 * x

    with pytest.raises(TypeError, match="not a whole number or nothing"):
        half(1)
