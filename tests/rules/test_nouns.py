"""Which words of a tagged sentence are nouns."""

import pytest

from situatedgen.rules.keywords import Word, nouns_of


def found(tagged):
    words = [Word(*token.split("/")) for token in tagged.split()]
    return [word.text for word, is_noun in zip(words, nouns_of(words), strict=True) if is_noun]


@pytest.mark.parametrize(
    ("tagged", "nouns"),
    [
        ("", []),
        ("Cats/NOUN/NNS like/VERB/VBP Rome/PROPN/NNP", ["Cats", "Rome"]),
        ("7/NOUN/NN days/NOUN/NNS", ["days"]),  # no letter
        # A sentence needs a verb; where there is one, a plural after a name is a plural.
        ("Lima/PROPN/NNP identifies/NOUN/NNS as/ADP/IN a/DET/DT city/NOUN/NN", ["Lima", "city"]),
        ("Yemen/PROPN/NNP borders/NOUN/NNS of/ADP/IN sand/NOUN/NN shift/VERB/VBP", ["Yemen", "borders", "sand"]),
        ("THE/DET/DT ROME/PROPN/NNP VISIONS/NOUN/NNS FOR/ADP/IN ALL/PRON/DT", ["ROME", "VISIONS"]),  # no case to go by
        ("Cuba/PROPN/NNP borders/NOUN/NNS", ["Cuba", "borders"]),  # a name, not a sentence
        # What is done, and by whom: "-ing" as subject, and no object of "does" is a verb.
        ("Surfing/VERB/VBG is/AUX/VBZ fun/NOUN/NN", ["Surfing", "fun"]),
        ("Surfing/VERB/VBG waves/NOUN/NNS is/AUX/VBZ fun/ADJ/JJ", ["waves"]),
        ("Surfing/VERB/VBG", []),
        ("Ann/PROPN/NNP does/AUX/VBZ police/NOUN/NN work/VERB/VB", ["Ann", "police", "work"]),
        ("What/PRON/WP does/AUX/VBZ police/NOUN/NN do/VERB/VB", ["police"]),  # a question
        ("does/AUX/VBZ police/NOUN/NN work/VERB/VB", ["police"]),  # a question
        # A direction is a noun where it has something it is of.
        ("It/PRON/PRP is/AUX/VBZ south/ADJ/JJ of/ADP/IN Rome/PROPN/NNP", ["south", "Rome"]),
        ("It/PRON/PRP flows/VERB/VBZ south/ADV/RB", []),
    ],
)
def test_nouns_and_the_slips_put_right(tagged, nouns):
    assert found(tagged) == nouns
