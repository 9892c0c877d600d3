"""Whether a statement can be trusted: checks of drafts, doubts, missing context, and the answer kept by a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from situatedgen.conversion.answer import Form, is_generic, is_named_kind, is_one_of_its_kind, noun_lemmas
from situatedgen.conversion.clauses import root_of
from situatedgen.conversion.draft import LOWEST, Draft
from situatedgen.conversion.inversion import split_sentences
from situatedgen.conversion.lexicon import (
    DEGREE_WORDS,
    DETERMINERS,
    PREPOSITIONS,
    is_known,
    noun_list,
    parts_of_speech,
    verb_lemma,
    words,
)
from situatedgen.conversion.morphology import AUXILIARIES, may_be_participle
from situatedgen.records import Question
from situatedgen.rules.text import true_case
from situatedgen.vocabulary import ItemKind, Verdict

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.conversion.answer import Answer

_NO_NOUN = frozenset({"PRP", "DT", "VBD", "VBZ", "MD", "IN", "TO", "WRB", "WP", "CC", "PRP$"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj", "csubjpass"})
_WORD = re.compile(r"[A-Za-z0-9°%]+(?:['’][a-z]+)?")
_OWNED = re.compile(r"['’]s?$")
_SMALL = DETERMINERS | PREPOSITIONS | frozenset(AUXILIARIES) | words(
    "be been being and or but not i you he she it we they them him me us itself there than then if that s t re ve"
    " because another by"
)  # fmt: skip
_ASKING = words("what which where when why how who whom whose")
_FREE = _ASKING | DEGREE_WORDS | words(
    "following type kind sort statement term word thing happen do these answer describe example state country city"
    " place one else many much long far often option choice name best"
)  # fmt: skip
_DANGLING = re.compile(
    r"^of these\b|\b(?:listed|shown|below|the choices|the diagram|the picture|the graph|the table above)\b", re.I
)
_ASKED = re.compile(
    r"\b(?:where|what|why|how) (?:would|do|does|did|is|are|was|were|can|could|should|might|will)"
    r" (?:I|you|he|she|it|we|they)\b",
    re.I,
)
_TORN = re.compile(r"(?:likely to be|called)\.$|\bn['’]t\b| ['’](?:s|re|m|ll)\b|\. ?,|\b(\w{2,}) \1\b", re.I)
_OPEN_ANSWER = re.compile(r" (?:for|of|at|with|to|from|than|into|about|and|or|the|an?)$", re.I)
_FORMULA = re.compile(r"_\{|\\[a-z]|->| \+ |\bnd\b|\bt he\b")
_KEEPS_WORDS = frozenset({"open_stem", "open_question", "pointed", "blank", "when", "when_during"})
_LEFT_OVER = re.compile(r"\b(?:of the following|which of|a what|the what)\b", re.I)


def lost_words(answer: str, text: str) -> list[str]:
    """The content words of an answer of which a text contains no form."""
    held = {lemma for word in _words(text) for lemma in _lemmas(word)}
    wanted = [word for word in _words(answer) if word not in _SMALL] or list(_words(answer))
    return [word for word in wanted if not _lemmas(word) & held]


def check_draft(draft: Draft, text: str, question: str, answer: str) -> tuple[Verdict, float]:
    """The verdict on a finished sentence, and its confidence after the checks."""
    if lost_words(answer, text):
        return Verdict.LOST_ANSWER, 0.0
    if (
        "?" in text
        or _LEFT_OVER.search(text)
        or (_asks(draft) and _ASKED.search(text))
        or (_asks(draft) and _has_question_word(text, question, answer))
    ):
        return Verdict.NOT_CLEAN, 0.0
    steps = 0.5 if "->" in answer and draft.shape not in {"open_stem", "subject_group"} else 1.0
    confidence = draft.confidence * _doubt(text, question, answer) * steps
    return (Verdict.KEPT if confidence >= LOWEST else Verdict.UNSURE), round(confidence, 3)


def is_sound(sentence: Doc) -> bool:
    """Whether the parse has a verb with a subject at its root, and no article without a noun."""
    return has_subject(sentence) and not any(map(_is_stray_article, sentence))


def _is_stray_article(token: Token) -> bool:
    if token.lower_ not in {"a", "an"} or token.tag_ != "DT" or token.i + 1 >= len(token.doc):
        return False
    return token.nbor().tag_ in _NO_NOUN


def has_subject(sentence: Doc) -> bool:
    """Whether the parse of a finished sentence has a verb with a subject at its root, as most sound ones do."""
    root = root_of(sentence)
    return root.pos_ in {"VERB", "AUX"} and any(child.dep_ in _SUBJECTS for child in root.lefts)


def _asks(draft: Draft) -> bool:
    """Whether the shape has a question word that must disappear, unlike blanks, open ends and times."""
    return draft.shape.rpartition(".")[2] not in _KEEPS_WORDS


def _doubt(text: str, question: str, answer: str) -> float:
    factor = 1.0
    given = set(_words(question)) | set(_words(answer))
    made = [word for word in _words(text) if word not in given and word not in _SMALL]
    if any(not is_known(word) for word in made):
        factor *= 0.4
    if _DANGLING.search(text) or _TORN.search(text):
        factor *= 0.4
    if _FORMULA.search(text):
        factor *= 0.5
    if _OPEN_ANSWER.search(answer) or (answer.count(",") > 1 and " and " not in text):
        factor *= 0.6
    missing = _missing_words(question, text)
    factor *= (1.0, 0.85, 0.6)[min(len(missing), 2)]
    return factor


def _missing_words(question: str, text: str) -> list[str]:
    held = {lemma for word in _words(text) for lemma in _lemmas(word)}
    asked = [word for word in _words(question) if word not in _SMALL and word not in _FREE]
    return [word for word in asked if not _lemmas(word) & held]


def _has_question_word(text: str, question: str, answer: str) -> bool:
    """Whether the asking word is left: the text has as many as question and answer together."""
    found = [word for word in _words(text) if word in _ASKING]
    given = [word for word in [*_words(question), *_words(answer)] if word in _ASKING]
    return len(found) >= len(given) > 0 and "which" not in found


@lru_cache(maxsize=16)  # all checks of a sentence use the same three texts
def _words(text: str) -> tuple[str, ...]:
    return tuple(_OWNED.sub("", word) for word in _WORD.findall(text.lower()))


@cache
def _lemmas(word: str) -> frozenset[str]:
    return frozenset({word, *(lemma for lemmas in parts_of_speech(word).values() for lemma in lemmas)})


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
_SMALL_WORD = re.compile(r"[a-z]+")


def needs_context(question: Doc, answer: Doc, context: Sequence[str]) -> bool:
    """Whether the question or answer refers to an earlier sentence: a pronoun, "this", "the student", a person."""
    if not context or _BARE.match(question.text) or _LABEL.search(question.text):
        return bool(context)
    earlier = {lemma for text in context for word in _SMALL_WORD.findall(text.lower()) for lemma in noun_lemmas(word)}
    names = _names(context)
    if any(_points_back(token, names) or _refers_to_context(token, earlier, context) for token in question):
        return True
    here = {lemma for word in question for lemma in noun_lemmas(word.lower_)}
    return any(
        _points_back(token, names, beside=question) or _refers_to_context(token, earlier - here, context)
        for token in answer
    )


def _refers_to_context(token: Token, earlier: set[str], context: Sequence[str]) -> bool:
    """Whether a noun with "the" refers to an earlier sentence, or only makes sense with one."""
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
    """Whether the name has two or more words, and so identifies the person by itself."""
    beside = [token.doc[place] for place in (token.i - 1, token.i + 1) if 0 <= place < len(token.doc)]
    return any(word.pos_ == "PROPN" and word.is_title for word in beside)


def _links_here(token: Token) -> bool:
    """Whether a comparison has both of its terms in this sentence: "similar to", "other than"."""
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
    """Whether this is the "these" of "which of these", which the answer resolves."""
    words = [word.lower_ for word in token.doc[max(token.i - 3, 0) : token.i]]
    return words[-2:] in (["which", "of"], ["what", "of"]) or words in (["which", "one", "of"], ["what", "one", "of"])


def _is_definite(token: Token) -> bool:
    """Whether a common noun has "the" and nothing after it that says which one."""
    if token.pos_ != "NOUN" or not any(child.lower_ in {"the", "both"} for child in token.lefts):
        return False
    if any(child.dep_ == "appos" and child.pos_ == "PROPN" for child in token.rights):
        return False
    says_which = {"prep", "relcl"} if token.lower_ in _STAGE else {"prep", "relcl", "acl"}
    return not any(child.dep_ in says_which and child.lower_ not in {"located", "found"} for child in token.rights)


def _has_antecedent(token: Token, beside: Doc | None) -> bool:
    """Whether a noun of the pronoun's number precedes it, or is in the question; "it" may be an expletive."""
    if token.lower_ in _PERSONAL:
        return False
    if token.lower_ == "it" and (token.dep_ == "expl" or verb_lemma(token.head.text) in {"take", "rain", "snow"}):
        return True
    tags = {"NNS", "NNPS"} if token.lower_ in _PLURAL else {"NN", "NNP"}
    before = [word for word in token.doc if word.i < token.i] + (list(beside) if beside is not None else [])
    return any(word.tag_ in tags and not _is_asked(word) for word in before)


def _is_asked(word: Token) -> bool:
    """Whether the question asks about this noun, which is then not an antecedent."""
    listed = word.i > 2 and word.doc[word.i - 3 : word.i].text.lower() in {"which of these", "of the following"}
    return listed or any(child.lower_ in {"what", "which"} for child in word.lefts)


def _names(context: Sequence[str]) -> set[str]:
    """The names of people in earlier sentences: capitalised words that are neither places nor other known names."""
    found = {word for text in context for word in re.findall(r"\b[A-Z][a-z]+\b", text)}
    return {word.lower() for word in found - _OF_THE_WORLD if true_case(word.lower()) == word.lower()}


DOUBTFUL = 0.55
"""Factor on the confidence of a doubtful statement."""

_RATHER_NOUNS = words(
    "human liquid solid gas patient commercial representative compound safe adult closet stable ballpark plain fair"
    " vegetable multiple sound mortuary gradient polytechnic conservatory advisory"
)
_ASKS_ON = re.compile(r"\bwhat(?: (?:for|to|them|it)\b|[.,;]|$)|\bwhile what\b", re.I)
_INVERTED = re.compile(
    r"\b(?:is|are|was|were) (?:it|they|you|he|she|we)(?:[.,]| called\b| held\b| located\b)"
    r"|\bit (?:is|was) (?:you|they|he|she|we|I|people)\b",
    re.I,
)
_OPEN_WHAT = re.compile(r"\b(?:doing|do|of|to|by|in|at|with|an?|the) what\b", re.I)
_COUNTED = re.compile(r"\b(?:many|several|few|these|those|two|three|various) ", re.I)
_PLACES = ("where", "where_end", "pointed", "where_stranded")
_WHOLE = ("open_stem", "open_question", "blank", "clause", "why", "how", "pointed")


def is_doubtful(shape: str, answer: Answer, written: str, text: str) -> bool:
    """Whether the finished text shows signs of a misread answer; `written` is the answer as given."""
    whole = shape.rpartition(".")[2].startswith(_WHOLE)
    return (
        (not shape.endswith("inside_noun") and _is_strange_noun(answer, text))
        or _is_strange_place(shape, answer)
        or _is_counted_wrong(answer, text)
        or (answer.plural and bool(re.search(rf"\ban? {re.escape(answer.text)}(?:[.,;]|$)", text, re.I)))
        or bool(_INVERTED.search(text))
        or (not whole and (";" in written or _hides_clause(answer, written)))
        or bool("inside_" in shape and _ASKS_ON.search(text))
        or bool(shape.startswith("open_") and _OPEN_WHAT.search(text))
    )


def _is_strange_noun(answer: Answer, text: str) -> bool:
    """Whether an article precedes a word that is rather an adjective: "a great"."""
    if answer.form is not Form.NOUN or not answer.noun.startswith(("a ", "an ")) or answer.noun not in text.lower():
        return False
    return answer.adjectival and " " not in answer.text and answer.head not in _RATHER_NOUNS


def _is_strange_place(shape: str, answer: Answer) -> bool:
    """Whether an article precedes an unknown place, perhaps a name: "in a tokio"."""
    if not shape.endswith(_PLACES) or not answer.noun.startswith(("a ", "an ")) or not answer.head.isalpha():
        return False
    lists = ("at", "on", "definite", "containers")
    return not is_known(answer.head) and not any(answer.head in noun_list(name) for name in lists)


def _is_counted_wrong(answer: Answer, text: str) -> bool:
    """Whether a singular follows a word for several: "many pleasure"."""
    if answer.form is not Form.NOUN or answer.plural or not _COUNTED.search(text):
        return False
    return bool(re.search(f"{_COUNTED.pattern}{re.escape(answer.text)}(?:[.,;]|$)", text, re.I))


def _hides_clause(answer: Answer, written: str) -> bool:
    """Whether an answer written as a sentence was read as a noun phrase, though a noun in it has a verb."""
    found = answer.text.split()
    if answer.form is not Form.NOUN or not written.strip().endswith(".") or len(found) < 4:
        return False
    return any(_is_verb_after(before, word) for before, word in pairwise(found))


def _is_verb_after(before: str, word: str) -> bool:
    noun = "NOUN" in parts_of_speech(before.lower())
    verbal = "VERB" in parts_of_speech(word) and not word.endswith("ing") and not may_be_participle(word)
    return noun and verbal


_NEGATION = re.compile(r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE)


def judge_statement(question: Question, statement: str) -> Verdict:
    """The verdict on a statement of the question: KEPT, or why it cannot be used.

    Example:
        >>> judge_statement(Question("Where do people ski?", "on snow", ItemKind.CHOICE), "People ski in winter.")
        <Verdict.LOST_ANSWER: 'lost_answer'>
    """
    if not _is_one_statement(statement):
        return Verdict.NOT_CLEAN
    if question.kind is ItemKind.YES_NO:
        keeps = _is_no(question) == (_negations(statement) > _negations(question.text))
    else:
        keeps = not lost_words(question.answer, statement)
    return Verdict.KEPT if keeps else Verdict.LOST_ANSWER


def _is_one_statement(text: str) -> bool:
    return bool(text) and not text.rstrip("\"'”’)").endswith("?") and len(split_sentences(text)) == 1


def _is_no(question: Question) -> bool:
    return question.answer.strip().lower() in {"no", "false"}


def _negations(text: str) -> int:
    return len(_NEGATION.findall(text))
