"""Claims and facts become statements without losing anything but their wrapping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from situatedgen.rules.text import tidy_sentence


@pytest.mark.parametrize(("text", "tidied"), cases("tidy", "claims", "text", "tidied"))
def test_a_claim_is_written_as_a_statement(text: str, tidied: str) -> None:
    assert tidy_sentence(text) == tidied


@given(st.text())
def test_tidying_a_tidy_sentence_changes_nothing(text: str) -> None:
    tidied = tidy_sentence(text)
    assert tidy_sentence(tidied) == tidied


@given(st.text(alphabet=st.characters(categories=["Ll", "Nd"]), min_size=1))
def test_a_word_keeps_all_but_its_first_letter(word: str) -> None:
    assert tidy_sentence(word) == word[0].upper() + word[1:] + "."


@given(st.text(alphabet=st.sampled_from("aB1_'.\t\n\x1c\x85\u00a0\u2003\u200b ")))
def test_any_white_space_is_one_space_and_a_text_without_a_word_is_empty(text: str) -> None:
    tidied = tidy_sentence(text)
    assert bool(tidied) == any(letter.isalnum() for letter in text)
    assert not any(letter.isspace() and letter != " " for letter in tidied)
    assert "  " not in tidied
