"""Which words of a tagged sentence are nouns."""

import pytest

from cases import cases
from situatedgen.rules.keywords import Word, nouns_of


def found(tagged):
    words = [Word(*token.split("/")) for token in tagged.split()]
    return [word.text for word, is_noun in zip(words, nouns_of(words), strict=True) if is_noun]


@pytest.mark.parametrize(("tagged", "nouns"), cases("nouns", "nouns", "tagged", "nouns"))
def test_nouns_and_the_slips_put_right(tagged, nouns):
    assert found(tagged) == nouns
