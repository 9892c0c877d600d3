"""Whether a statement stands by itself: no question, and nothing that points at what is not there."""

from situatedgen.screening.reading import Reading

POINTING = frozenset({"he", "she", "they", "him", "her", "them", "his", "hers", "their", "theirs", "this", "these"})


def is_question(reading: Reading) -> bool:
    """The statement asks."""
    return reading.text.rstrip("\"'”’ ").endswith("?")


def is_dangling(reading: Reading) -> bool:
    """The statement opens with a word that points at something said before."""
    return bool(reading.words) and reading.words[0].lemma in POINTING
