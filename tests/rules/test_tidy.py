"""Claims and facts become statements without losing anything but their wrapping."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.rules.text import tidy_sentence


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("the sun rises in the east", "The sun rises in the east."),  # capital and period
        ('"The sun rises in the east."', "The sun rises in the east."),  # wrapping quotes go
        ("“Cats purr”", "Cats purr."),  # curly ones too
        ('"Help!" is a Beatles album', '"Help!" is a Beatles album.'),  # a quoted title opens, nothing wraps
        ('"Help!" comes before "Yesterday"', '"Help!" comes before "Yesterday".'),  # two titles, no wrapping
        ("  Bats   fly\tat night ", "Bats fly at night."),  # spaces collapse
        ("Is it so?", "Is it so?"),  # a final mark stays
        ("He said 'no.'", "He said 'no.'"),  # a period inside a closing quote ends the sentence
        ("iPhones ring", "iPhones ring."),  # a word that carries its own capital
        ("'Tis the season", "'Tis the season."),  # an apostrophe wraps nothing
        ("-2+2=0", "-2+2=0."),  # no letter to raise
        ("", ""),  # nothing
        ('" "', ""),  # quotes around nothing
        ("...", ""),  # marks without a word
    ],
)
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
