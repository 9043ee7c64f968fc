"""Hashes of passwords."""

import pytest
from argon2 import Type, extract_parameters

from twincell.server.security.passwords import LONGEST, NOBODYS, hashed, is_hash, matches


def test_a_password_matches_its_own_hash_and_no_other_password_does():
    kept = hashed("correct horse")
    assert matches(kept, "correct horse")
    assert not matches(kept, "correct horsf")
    assert not matches(kept, "")


def test_the_same_password_never_has_the_same_hash():
    assert hashed("correct horse") != hashed("correct horse")


def test_a_hash_costs_what_owasp_asks_for():
    found = extract_parameters(hashed("correct horse"))
    assert (found.type, found.parallelism) == (Type.ID, 1)
    assert (found.memory_cost, found.time_cost) == (19 * 1024, 2)  # KiB, rounds


def test_a_name_that_nobody_has_costs_as_much_as_a_wrong_password():
    assert extract_parameters(NOBODYS) == extract_parameters(hashed("correct horse"))
    assert not matches(NOBODYS, "")


def test_the_longest_password_is_counted_in_bytes():
    longest = "ü" * (LONGEST // 2)
    assert matches(hashed(longest), longest)
    with pytest.raises(ValueError, match="at most 256 bytes"):
        hashed(longest + "!")
    assert not matches(NOBODYS, longest + "!")


def test_what_is_no_text_is_no_password():
    assert not matches(NOBODYS, "\udcff")


@pytest.mark.parametrize(
    "text", ["", "secret", "$argon2id$", "$argon2i$v=19$m=8,t=1,p=1$c29tZXNhbHQ$AAAA", "$" * 5]
)
def test_what_is_no_hash_matches_nothing(text):
    assert not is_hash(text)
    assert not matches(text, "secret")
