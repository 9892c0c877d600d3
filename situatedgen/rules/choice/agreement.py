"""The finite verb of a clause made to agree with a new subject."""

from situatedgen.rules.choice.lexicon import DEGREE_WORDS, parts_of_speech, verb_lemma
from situatedgen.rules.clauses.morphology import inflect

_PLURALS = {"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't", "doesn't": "don't"}
_SINGULARS = {plural: singular for singular, plural in _PLURALS.items()}
_MODALS = frozenset("can could may might must shall should will would did had".split())


def agreeing(clause: str, *, plural: bool, was_plural: bool) -> str:
    """The clause, which begins with its verb or adverbs before it, with that verb in the subject's number.

    Example:
        >>> agreeing("provides evidence", plural=True, was_plural=False)
        'provide evidence'
    """
    words = clause.split(" ")
    place = next((place for place, word in enumerate(words) if word.lower() not in DEGREE_WORDS), 0)
    words[place] = _agreeing_verb(words[place], plural=plural, was_plural=was_plural)
    return " ".join(words)


def _agreeing_verb(word: str, *, plural: bool, was_plural: bool) -> str:
    forms = _PLURALS if plural else _SINGULARS
    if word in forms:
        return forms[word]
    if word in _MODALS or word in _PLURALS or word in _SINGULARS:
        return word
    if plural and word.endswith("s") and verb_lemma(word) != word:
        return verb_lemma(word)
    if not plural and was_plural and word in parts_of_speech(word).get("VERB", ()):
        return inflect(word, "VBZ")
    return word
