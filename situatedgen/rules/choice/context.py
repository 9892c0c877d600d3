"""Whether a sentence makes sense without the sentences that stood before it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from situatedgen.rules.casing import true_case
from situatedgen.rules.choice.definites import is_generic, is_named_kind, is_one_of_its_kind, noun_lemmas
from situatedgen.rules.choice.lexicon import parts_of_speech, verb_lemma
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_POINTING = words("this these those such")
_PERSONAL = words("he she him her his hers i my me we our us")
_PLURAL = words("they them their theirs")
_SINGULAR = words("it its")
_LINKS = words("another other also instead else same next then therefore however both similar")
_STAGE = words(
    "student students experiment investigation class group data result results graph table diagram picture chart"
    " figure teacher scientist scientists researcher researchers model activity trial test question information"
    " passage sample samples change changes process situation object objects statement observation hypothesis"
    " procedure project conclusion reaction claim substance solution organism population material mixture device"
    " animal plant area axis x-axis y-axis label"
)
_OF_THE_WORLD = words(
    "Earth Sun Moon Mars Venus Jupiter Saturn Mercury Neptune Uranus Pluto Northern Southern Hemisphere North South"
    " East West Pole Milky Way Ocean Atlantic Pacific Arctic Antarctic River Mountains Mount Canyon Desert Lake Bay"
)
_BARE = re.compile(
    r"what (?:\w+ )?(?:happened|happens|will happen|is it|was it|occurred)(?: next)?\?"
    r"|(?:what|which)\b[^,]*\b(?:most likely|will|would|might|could) (?:happen|occur|result)(?: next)?\?$"
    r"|(?:what|which)\b[^,]* (?:is|are)(?: most likely)? being"
    r" (?:illustrated|described|shown|demonstrated|modeled|represented|compared|tested|measured|studied)\?$",
    re.I,
)
_LABEL = re.compile(
    r"\b(?:area|beaker|block|box|container|element|group|liquid|material|metal|object|organism|plant|rock|sample|species"
    r"|student|substance) (?:[A-Z]|[1-4])\b"
)
_WORD = re.compile(r"[a-z]+")


def needs_context(question: Doc, answer: Doc, context: Sequence[str]) -> bool:
    """A word of the question or answer points to an earlier sentence: a pronoun, "this", "the student", a person."""
    if not context or _BARE.match(question.text) or _LABEL.search(question.text):
        return bool(context)
    earlier = {lemma for text in context for word in _WORD.findall(text.lower()) for lemma in noun_lemmas(word)}
    names = _names(context)
    if any(_points_back(token, names) or _brought_up(token, earlier, context) for token in question):
        return True
    here = {lemma for word in question for lemma in noun_lemmas(word.lower_)}
    return any(
        _points_back(token, names, beside=question) or _brought_up(token, earlier - here, context) for token in answer
    )


def _brought_up(token: Token, earlier: set[str], context: Sequence[str]) -> bool:
    """A noun with "the" that means one of an earlier sentence, or one that only an earlier sentence can tell of."""
    if not _is_definite(token) or is_one_of_its_kind(token):
        return False
    lemmas = noun_lemmas(token.lower_)
    staged = bool(lemmas & _STAGE)
    if staged and not is_named_kind(token):
        return True
    return (staged or bool(lemmas & earlier)) and not is_generic(token, context)


def _points_back(token: Token, names: set[str], beside: Doc | None = None) -> bool:
    if token.lower_ in _PERSONAL | _PLURAL | _SINGULAR:
        return not _has_antecedent(token, beside)
    if token.lower_ in _POINTING:
        return not (
            token.i + 1 < len(token.doc) and token.nbor().lower_ in {"days", "following", "as"}
        ) and not _is_list(token)
    if token.lower_ == "that" and (token.tag_ == "DT" or token.dep_ == "det"):
        return True
    if token.lower_ in names and token.pos_ == "PROPN" and (token.is_title or not parts_of_speech(token.lower_)):
        return not (token.i and token.nbor(-1).lower_ == "the") and not _is_full_name(token)
    return token.lower_ in _LINKS and not _links_here(token)


def _is_full_name(token: Token) -> bool:
    """A name of two words or more says of itself who is meant."""
    beside = [token.doc[place] for place in (token.i - 1, token.i + 1) if 0 <= place < len(token.doc)]
    return any(word.pos_ == "PROPN" and word.is_title for word in beside)


def _links_here(token: Token) -> bool:
    """A word of comparison that has what it compares with in its own sentence: "similar to", "other than"."""
    after = token.doc[token.i + 1 :]
    following = after[0].lower_ if len(after) else ""
    if token.lower_ == "both":
        return any(word.lower_ == "and" for word in after)
    if token.lower_ in {"similar", "instead", "same"}:
        return following in {"to", "of"} or any(word.lower_ == "as" for word in after)
    if token.lower_ == "other":
        return token.i > 2 and token.nbor(-1).lower_ != "the"
    return token.lower_ == "then" and token.i > 0 and token.nbor(-1).lower_ == "and"


def _is_list(token: Token) -> bool:
    """The "these" of "which of these", which the answer resolves."""
    words = [word.lower_ for word in token.doc[max(token.i - 3, 0) : token.i]]
    return words[-2:] in (["which", "of"], ["what", "of"]) or words in (["which", "one", "of"], ["what", "one", "of"])


def _is_definite(token: Token) -> bool:
    """A common noun with "the" and nothing after it that says which."""
    if token.pos_ != "NOUN" or not any(child.lower_ in {"the", "both"} for child in token.lefts):
        return False
    if any(child.dep_ == "appos" and child.pos_ == "PROPN" for child in token.rights):
        return False
    says_which = {"prep", "relcl"} if token.lower_ in _STAGE else {"prep", "relcl", "acl"}
    return not any(child.dep_ in says_which and child.lower_ not in {"located", "found"} for child in token.rights)


def _has_antecedent(token: Token, beside: Doc | None) -> bool:
    """A noun of the pronoun's number stands before it, or beside it in the question; "it" may point ahead."""
    if token.lower_ in _PERSONAL:
        return False
    if token.lower_ == "it" and (token.dep_ == "expl" or verb_lemma(token.head.text) in {"take", "rain", "snow"}):
        return True
    tags = {"NNS", "NNPS"} if token.lower_ in _PLURAL else {"NN", "NNP"}
    before = [word for word in token.doc if word.i < token.i] + (list(beside) if beside is not None else [])
    return any(word.tag_ in tags and not _is_asked(word) for word in before)


def _is_asked(word: Token) -> bool:
    """The noun that the question itself asks about: no antecedent."""
    listed = word.i > 2 and word.doc[word.i - 3 : word.i].text.lower() in {"which of these", "of the following"}
    return listed or any(child.lower_ in {"what", "which"} for child in word.lefts)


def _names(context: Sequence[str]) -> set[str]:
    """The names of people in earlier sentences: capitals on words that are no words of English and no places."""
    found = {word for text in context for word in re.findall(r"\b[A-Z][a-z]+\b", text)}
    return {word.lower() for word in found - _OF_THE_WORLD if true_case(word.lower()) == word.lower()}
