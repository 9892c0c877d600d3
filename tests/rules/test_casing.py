"""Names in small letters get their capitals back, common words keep their small ones."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from process_support import run_python
from situatedgen.rules.text import true_case


@pytest.mark.parametrize(("text", "cased"), cases("casing", "names", "text", "cased"))
def test_names_get_their_capitals(text, cased):
    assert true_case(text) == cased


@pytest.mark.parametrize("text", cases("casing", "common_words", "text"))
def test_common_words_stay_small(text):
    assert true_case(text) == text


@pytest.mark.parametrize(("text", "cased"), cases("casing", "guarded_words", "text", "cased"))
def test_guarded_words_are_names_where_their_neighbours_say_so(text, cased):
    assert true_case(text) == cased


@pytest.mark.parametrize("text", ["NEW YORK", "McDonald's", "İzmir", "iPhone USA"])
def test_no_capital_is_touched(text):
    assert true_case(text) == text


WORDS = ["new", "york", "may", "in", "china", "İzmir", "United", "states", "’", "1960s", ".", "ǅ", "ß"]


@given(st.lists(st.sampled_from(WORDS)).map(" ".join) | st.text())
def test_only_small_letters_change_and_only_to_their_capitals(text):
    cased = true_case(text)
    assert len(cased) == len(text)
    assert all(new in (old, old.upper()) for old, new in zip(text, cased, strict=True))


@given(st.lists(st.sampled_from(WORDS)).map(" ".join))
def test_casing_twice_is_casing_once(text):
    assert true_case(true_case(text)) == true_case(text)


def test_importing_the_rule_reads_no_gazetteer():
    code = "import situatedgen.rules.text, situatedgen.rules.places as g; print(g.place_names.cache_info().currsize)"
    assert run_python("-c", code).stdout.strip() == "0"
