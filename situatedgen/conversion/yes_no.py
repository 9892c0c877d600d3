"""Converts a yes/no item into a statement."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.conversion.inversion import (
    as_sentence,
    declare,
    drop_doubled_words,
    normalise_spaces,
    sentence,
    split_sentences,
    strip_final_mark,
)
from situatedgen.conversion.lexicon import words
from situatedgen.conversion.morphology import (
    AUXILIARIES,
    CONTRACTIONS,
    Auxiliary,
    AuxiliaryKind,
    auxiliary,
    base_form,
    negate_auxiliary,
)
from situatedgen.conversion.scoring import subject_of, token_at
from situatedgen.records import Conversion
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.conversion.inversion import ScoredDeclarative
    from situatedgen.conversion.parsing import Work

_PRONOUNS = words("he she they him her them his their hers theirs this that these those")
_POINTING = re.compile(r"(?:this|that|these|those|the (?:former|latter))\b", re.IGNORECASE)
_EXPLETIVE = re.compile(r"\bit\b.*\b(?:to|that|for|if|when|whether|rain\w*|snow\w*|\w+ing)\b", re.IGNORECASE)


def points_back(subject: str, declarative: str, *, alone: bool) -> bool:
    """Whether a subject refers to something that its sentence does not mention.

    "it" counts only if other sentences precede (`alone` is false) and nothing in the sentence makes it an expletive
    ("it is safe to swim").
    """
    lower = subject.lower()
    if lower in _PRONOUNS or _POINTING.match(lower):
        return True
    return lower == "it" and not alone and not _EXPLETIVE.search(declarative)


MIN_PROBABILITY = 0.7

_TWICE = re.compile(r"\b(?!that\b|had\b|great\b|very\b)([a-z]+) \1\b")
_TWO_VERBS = re.compile(r"\b(?:is|are|was|were) (?:not )?(?:is|are|was|were|be)\b")


def is_unbalanced(text: str) -> bool:
    """Whether a quote or bracket is opened and not closed."""
    return text.count('"') % 2 == 1 or text.count("(") != text.count(")") or text.count("“") != text.count("”")


def says_twice(text: str) -> bool:
    """Whether a word is doubled, or one form of be directly follows another."""
    return bool(_TWICE.search(text) or _TWO_VERBS.search(text))


def still_asks(text: str) -> bool:
    """Whether the statement contains a question mark."""
    return "?" in text


TEXT_CHECKS: tuple[tuple[Verdict, Callable[[str], bool]], ...] = (
    (Verdict.NOT_CLEAN, still_asks),
    (Verdict.NOT_CLEAN, is_unbalanced),
    (Verdict.NOT_CLEAN, says_twice),
)


def text_verdict(text: str) -> Verdict:
    """The verdict on a statement by its text alone."""
    return next((verdict for verdict, is_wrong in TEXT_CHECKS if is_wrong(text)), Verdict.KEPT)


def confidence(found: ScoredDeclarative) -> float:
    """The confidence of a declarative: its probability, reduced if its parse does not confirm it."""
    return round(found.probability * (1.0 if is_borne_out(found) else 0.8), 3)


def is_borne_out(found: ScoredDeclarative) -> bool:
    """Whether the declarative's own parse has the verb as its root and a subject before it."""
    finite = token_at(found.doc, found.declarative.finite.start)
    if finite is None:
        return False
    root = finite.head if finite.dep_ in {"aux", "auxpass"} else finite
    return root.dep_ == "ROOT" and subject_of(root) is not None


def is_unsure(found: ScoredDeclarative) -> bool:
    """Whether the end of the subject is in doubt."""
    return confidence(found) < MIN_PROBABILITY


_OPENERS = words(
    "after although as at because before by despite due during following for from given hypothetically if in"
    " on once since theoretically to today under unless until upon when whenever where while with within without"
)
_SUBORDINATORS = words("although because if once since unless until when whenever where while")
_TAG = re.compile(
    r"(?:,\s*(?:right|correct|true or false|yes or no|do you think)|,?\s+or not)\s*\?+\s*$", re.IGNORECASE
)
_WORD = re.compile(r"[A-Za-z’']+")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question in two parts: the lead-in before its inverted clause (without the comma), and that clause."""

    lead: str
    clause: str


def without_tag(question: str) -> str:
    """The question without a final tag (", right?")."""
    return _TAG.sub("?", question)


def split_inverted(question: str) -> Asked | None:
    """The lead-in and the inverted clause of a question; None if no auxiliary opens a clause.

    Example:
        >>> split_inverted("If it rains, do you stay?")
        Asked(lead='If it rains', clause='do you stay?')
    """
    first = _WORD.match(question)
    if first is None:
        return None
    if _opens_clause(first.group()):
        return Asked("", _expand_contraction(question, first))
    if first.group().lower() not in _OPENERS:
        return None
    return _after_comma(question) or _after_bare_lead(question, first.group().lower())


def _opens_clause(word: str) -> bool:
    return auxiliary(word) is not None or word.lower().replace("’", "'") in CONTRACTIONS


def _expand_contraction(clause: str, word: re.Match[str]) -> str:
    """Expand a negative contraction at the front: "Isn't it?" expects yes just as "Is it?" does."""
    plain = CONTRACTIONS.get(word.group().lower().replace("’", "'"))
    return clause if plain is None else plain + clause[word.end() :]


def _after_comma(question: str) -> Asked | None:
    for comma in re.finditer(r",\s+", question):
        clause = question[comma.end() :]
        word = _WORD.match(clause)
        if word is not None and _opens_clause(word.group()):
            return Asked(question[: comma.start()], _expand_contraction(clause, word))
    return None


def _after_bare_lead(question: str, opener: str) -> Asked | None:
    """Split at an auxiliary without a comma: the last one after a clause, the first after a phrase."""
    places = [
        word.start() for word in _WORD.finditer(question) if word.start() > 0 and word.group().lower() in AUXILIARIES
    ]
    if not places:
        return None
    place = places[-1] if opener in _SUBORDINATORS else places[0]
    return Asked(question[:place].strip(), question[place:])


SHAPE = "yes_no.plain"
CONFIDENCE = 0.7
LONGEST_SUBJECT = 4
"""Maximum words before the verb; more are usually a headline, not a subject."""

_DO = {"VBZ": "does", "VBP": "do", "VBD": "did"}


def state_plain(question: str, *, positive: bool) -> Work:
    """The work that converts a question whose subject already precedes its verb."""
    text = strip_final_mark(question)
    (doc,) = yield [as_sentence(text)]
    finite = finite_verb(doc)
    if finite is None:
        return Conversion("", SHAPE, 0.0, Verdict.NO_RULE)
    whole = sentence(text if positive else negate_verb(text, finite))
    verdict = text_verdict(whole)
    unsure = finite.i > LONGEST_SUBJECT or (not positive and finite.tag_ not in {"VBZ", "MD"})
    return Conversion(whole, SHAPE, CONFIDENCE, Verdict.UNSURE if unsure else verdict)


def finite_verb(doc: Doc) -> Token | None:
    """The finite verb of a sentence that begins with its subject; None if the parse has no such verb."""
    root = next(token for token in doc if token.dep_ == "ROOT")
    subject = subject_of(root)
    if subject is None or subject.left_edge.i != 0 or any(child.dep_ == "neg" for child in root.children):
        return None
    helper = next((child for child in root.lefts if child.dep_ in {"aux", "auxpass"}), root)
    return helper if helper.tag_ in {*_DO, "MD"} else None


def negate_verb(text: str, finite: Token) -> str:
    """The text with its finite verb negated."""
    helper = AUXILIARIES.get(finite.lower_)
    main = finite.dep_ == "ROOT" and (helper is None or helper.kind in {AuxiliaryKind.DO, AuxiliaryKind.HAVE})
    said = (
        f"{_DO[finite.tag_]} not {base_form(finite.lower_, finite.tag_)}" if main else negate_auxiliary(finite.lower_)
    )
    return text[: finite.idx] + said + text[finite.idx + len(finite) :]


_SOME = {
    "any": "some",
    "anyone": "someone",
    "anybody": "somebody",
    "anything": "something",
    "anywhere": "somewhere",
}
_ANY = re.compile(r"\b(?:any|anyone|anybody|anything|anywhere)\b", re.IGNORECASE)
_LICENSED = re.compile(
    r"\b(?:not|no|never|none|nothing|without|than|before|if|whether|hardly|unlikely|unable|difficult|hard"
    r"|impossible|illegal|unlike|like|avoid\w*|prevent\w*|refus\w+|den(?:y|ies|ied)|lack\w*|ban\w*|forbid\w*"
    r"|stop\w*|free of|as \w+ as)\b|n't\b",
    re.IGNORECASE,
)
_FREE_CHOICE = re.compile(
    r"any (?:given|longer|more|better|worse|further|less|and all)\b|any(?:one|body|thing) (?:can|could|else)\b",
    re.IGNORECASE,
)
_LEFT_OVER = re.compile(r"\s+(?:yet|at all|any ?more|any longer)$", re.IGNORECASE)
_EXISTENTIAL = re.compile(r"^(there (?:is|are|was|were)) not (?:(?:any|a|an|some) )?(\w+)", re.IGNORECASE)
_UNIVERSAL = re.compile(r"\b(?:all|every|each|both)\b", re.IGNORECASE)
_NEGATED_WHOLE = words(
    "likely supposed going enough more fewer less many much multiple several as only always typically usually"
    " often about over at exactly one two three four five six seven eight nine ten fifty the this that these"
    " those currently generally necessarily sufficient every all both yet still also really actually"
)


def assert_predicate(rest: str) -> str:
    """The words after a subject in the form of a positive statement.

    Example:
        >>> assert_predicate("has any cousins yet")
        'has some cousins'
    """
    bare = _LEFT_OVER.sub("", rest)
    return _ANY.sub(lambda found: _replace_any(bare, found), bare)


def nonexistent(declarative: str) -> str:
    """A negated "there is" clause, with "no" if that is idiomatic.

    Example:
        >>> nonexistent("there is not a hospital on the Moon")
        'there is no hospital on the Moon'
    """
    found = _EXISTENTIAL.match(declarative)
    if found is not None and found.group(2).lower() == "no":
        return found.group(1) + declarative[found.end(2) :]
    if found is None or _counts(found.group(2)) or _UNIVERSAL.search(declarative, found.end()):
        return declarative
    return f"{found.group(1)} no {declarative[found.start(2) :]}"


def _counts(word: str) -> bool:
    return word.lower() in _NEGATED_WHOLE or word[0].isdigit()


def _replace_any(rest: str, found: re.Match[str]) -> str:
    if _LICENSED.search(rest[: found.start()]) or _FREE_CHOICE.match(rest, found.start()):
        return found.group()
    return _SOME[found.group().lower()]


_SINGULAR = frozenset({"is", "was", "has", "does"})
_FREE_ANY = re.compile(r"any(?! of\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scope:
    """How to state a subject that begins with a certain quantifier.

    `positive` and `negative` replace the quantifier; if `negative` is None, no plain statement expresses a no.
    """

    opening: re.Pattern[str]
    positive: str
    negative: str | None


def _scope(opening: str, positive: str, negative: str | None) -> Scope:
    return Scope(re.compile(rf"(?:{opening})(?!\w)", re.IGNORECASE), positive, negative)


SCOPES = (
    _scope("any of", "some of", "none of"),
    _scope("any ?(?:one|body)", "someone", "no one"),
    _scope("anything", "something", "nothing"),
    _scope("any", "some", "no"),
    _scope("(?:someone|somebody)$", r"\g<0>", "no one"),
    _scope("something$", "something", "nothing"),
    _scope("all|every|everyone|everybody|everything", r"\g<0>", r"not \g<0>"),
    _scope("each of", "each of", "not all of"),
    _scope("each", "each", "not every"),
    _scope("many", "many", "not many"),
    _scope("much", "much", "not much"),
    _scope("some of", "some of", "none of"),
    _scope("some", "some", "no"),
    _scope("(?:at least )?one of", r"\g<0>", "none of"),
    _scope("at least one", "at least one", "no"),
    _scope("either of", "at least one of", "neither of"),
    _scope("either", "either", "neither"),
    _scope("both", "both", "not both"),
    _scope("more|fewer|less|few|only|multiple|several|no|none|nobody|nothing|neither|not", r"\g<0>", None),
)
"""The first scope whose opening matches is used."""
_ALTERNATIVES = _scope(r".*\bor\b.*", r"\g<0>", None)


def scope_of(subject: str, moved: Auxiliary) -> Scope | None:
    """The scope of a subject that begins with a quantifier; capitalised names ("All Might") have none.

    Subjects joined by "or" have no plain negative statement. After a modal "any" may be free choice ("Can anyone
    join?"), so that neither "some" nor "no" is certain.
    """
    known = () if subject[:1].isupper() else SCOPES
    scope = next((scope for scope in (*known, _ALTERNATIVES) if scope.opening.match(subject)), None)
    if scope is not None and moved.kind is AuxiliaryKind.MODAL and _FREE_ANY.match(subject):
        return Scope(scope.opening, r"\g<0>", None)
    return scope


def rescope_subject(subject: str, scope: Scope, moved: Auxiliary, *, positive: bool) -> str:
    """The subject with the quantifier that the answer requires.

    Example:
        >>> from situatedgen.conversion.morphology import AUXILIARIES
        >>> rescope_subject("any of us", SCOPES[0], AUXILIARIES["did"], positive=False)
        'none of us'
    """
    opening = scope.positive if positive else (scope.negative or r"\g<0>")
    if opening == "some of" and moved.form in _SINGULAR:
        opening = "one of"
    stated = scope.opening.sub(opening, subject, count=1)
    return re.sub(r"\bor\b", "nor", stated, count=1) if stated.startswith("neither") else stated


NOTHING = Conversion("", "yes_no.none", 0.0, Verdict.NO_RULE)


def state(question: str, *, positive: bool) -> Work:
    """The work that converts a yes/no question and its answer into a statement."""
    sentences = split_sentences(drop_doubled_words(normalise_spaces(question)))
    if not sentences:
        return NOTHING
    asking = without_tag(sentences[-1])
    parts = split_inverted(asking)
    if parts is None:
        return (yield from state_plain(asking, positive=positive))
    found = yield from declare(parts.clause)
    if found is None:
        return NOTHING
    text = state_clause(found, positive=positive)
    whole = sentence(f"{parts.lead}, {text}" if parts.lead else text)
    shape = f"yes_no.{found.declarative.auxiliary.kind.value}"
    back = not parts.lead and points_back(subject_text(found), text, alone=len(sentences) == 1)
    verdict = Verdict.NEEDS_CONTEXT if back else verdict_on(whole, found, positive=positive)
    return Conversion(whole, shape, confidence(found), verdict)


def state_clause(found: ScoredDeclarative, *, positive: bool) -> str:
    """The clause with the polarity of the answer, expressed by its verb or by the quantifier of its subject."""
    declarative = found.declarative
    scope = scope_of(subject_text(found), declarative.auxiliary)
    if scope is None or (scope.negative is None and not positive):
        return assert_predicate(declarative.text) if positive else nonexistent(found.opposite().text)
    subject = rescope_subject(subject_text(found), scope, declarative.auxiliary, positive=positive)
    rest = declarative.text[declarative.subject.end :]
    return subject + (assert_predicate(rest) if positive else rest)


def subject_text(found: ScoredDeclarative) -> str:
    """The subject of a declarative."""
    return found.text[: found.declarative.subject.end]


def verdict_on(whole: str, found: ScoredDeclarative, *, positive: bool) -> Verdict:
    """The verdict on a statement: by its text, its quantifier, and the confidence in its subject."""
    scope = scope_of(subject_text(found), found.declarative.auxiliary)
    unsaid = not positive and scope is not None and scope.negative is None
    verdict = text_verdict(whole)
    return Verdict.UNSURE if verdict is Verdict.KEPT and (unsaid or is_unsure(found)) else verdict
