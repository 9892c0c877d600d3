"""The forms of words as the dictionary has them, and by rule where it lacks a word."""

import pytest

from situatedgen.conversion.morphology import base_forms, inflections, lemmas


@pytest.mark.slow
def test_words_and_their_forms():
    assert lemmas("leaves") == {"NOUN": ("leave", "leaf"), "VERB": ("leave",)}
    assert lemmas("zzyzx") == {}
    assert base_forms("leaves", "VERB") == ("leave",)
    assert base_forms("zzyzxes", "NOUN") == ("zzyzx",)
    assert inflections("be", "VBD") == ("was", "were")
    assert inflections("breed", "VBN") == ("bred",)
