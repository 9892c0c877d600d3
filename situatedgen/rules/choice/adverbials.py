"""Questions about place, time, reason and manner: where, when, why, how."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.drafts import Draft, splice
from situatedgen.rules.choice.gaps import GapKind, find_gap, last_verb
from situatedgen.rules.choice.lexicon import PREPOSITIONS, verb_lemma, verb_list
from situatedgen.rules.choice.places import place_phrase, time_phrase
from situatedgen.rules.choice.verbs import gerund, infinitive, verb_phrase
from situatedgen.rules.clauses.morphology import inflect

if TYPE_CHECKING:
    from spacy.tokens import Token

    from situatedgen.rules.clauses.inversion import ScoredDeclarative

_LINKING = frozenset("feel look be seem taste sound smell appear become get act".split())
_PURPOSES = frozenset(
    "relaxation entertainment fun pleasure money exercise enjoyment attention meditation recreation health protection profit"
    " revenge love knowledge education companionship comfort amusement fitness privacy warmth".split()
)
_TIMES = re.compile(
    r"\b(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday|morning|afternoon|evening|night|noon|midnight|day|week|month"
    r"|year|hour|minute|summer|winter|spring|fall|autumn|christmas|time|now|today|tomorrow|soon|later|weekend|annually)s?\b",
    re.I,
)


def state_where(found: ScoredDeclarative, answer: Answer, within: str) -> Draft:
    """The answer as the place of a declarative; `within` is a phrase that stood beside "where".

    Example:
        "You would find many canals", "Venice", "in Southern Europe" gives "You would find many canals in Venice,
        in Southern Europe".
    """
    verb = last_verb(found.doc, found.declarative.verb.start)
    lemma = _place_verb(verb)
    gap = find_gap(found)
    if gap.kind is GapKind.PREPOSITION and gap.start < len(found.text) and not within:
        return Draft(splice(found.text, gap.start, gap.end, answer.place), "choice.where", 0.75)
    words = answer.place if _stranded_end(found.text) else place_phrase(answer, lemma)
    if within and within.lower() not in {"else", "exactly"}:
        words = f"{words}, {within.removeprefix('else ')},"
    sure = 0.85 if answer.form in {Form.NOUN, Form.ADVERBIAL} else 0.2
    return Draft(splice_adverbial(found, words, close=True), "choice.where", sure)


def _place_verb(verb: Token | None) -> str:
    """The verb that chooses the preposition, none where it has an object or is passive and so takes a plain place."""
    if verb is None:
        return ""
    lemma = verb_lemma(verb.text)
    objects = [child.lower_ for child in verb.rights if child.dep_ == "dobj"]
    if (
        objects == ["place"]
        or (objects and lemma == "get")
        or (lemma in verb_list("place_objects") and (verb.tag_ == "VBN" or objects))
    ):
        return ""
    return lemma


def state_when(found: ScoredDeclarative, answer: Answer) -> Draft:
    """The answer as the time of a declarative."""
    words = answer.noun if _stranded_end(found.text) else time_phrase(answer)
    if answer.form is Form.CLAUSE:
        words = f"when {answer.text}"
    elif answer.form in {Form.GERUND, Form.VERB}:
        words = f"when {gerund(answer)}"
    sure = 0.4 if words.startswith("during ") else 0.7
    return Draft(splice_adverbial(found, words), "choice.when", sure)


def state_why(found: ScoredDeclarative, answer: Answer) -> Draft:
    """The declarative and the answer as its reason."""
    return Draft(
        f"{found.text.removesuffix(' for')} {_reason(answer)}", "choice.why", 0.7 if _is_reason(answer) else 0.5
    )


def state_manner(found: ScoredDeclarative, answer: Answer) -> Draft:
    """The declarative and the answer as its manner."""
    verb = last_verb(found.doc, found.declarative.verb.start)
    lemma = verb_lemma(verb.text) if verb is not None else ""
    if verb is not None and lemma in _LINKING and not _is_complete(verb) and answer.form is not Form.CLAUSE:
        words = answer.text if answer.form is not Form.VERB else _complement_words(answer)
        after = verb.idx + len(verb.text)
        sure = 0.25 if answer.form is Form.GERUND else 0.6
        return Draft(splice(found.text, after, after, words), "choice.how_linking", sure)
    if lemma in {"describe", "classify", "define", "characterize"} and answer.form is not Form.CLAUSE:
        return Draft(f"{found.text} as {answer.noun}", "choice.how_described", 0.65)
    words, sure = _manner(found, answer)
    return Draft(f"{found.text} {words}", "choice.how", sure)


def _is_complete(verb: Token) -> bool:
    """A linking verb that has its complement, or a "get" with words of its own after it."""
    if verb_lemma(verb.text) == "get" and verb.n_rights > 1:
        return True
    return any(child.dep_ in {"attr", "acomp", "oprd"} for child in verb.rights)


def _complement_words(answer: Answer) -> str:
    """What a verb phrase says of someone: "silly" of "look silly"."""
    first, _, rest = answer.text.partition(" ")
    return rest if rest and first.lower() in _LINKING else answer.text


def state_piped(found: ScoredDeclarative, words: str, sure: float) -> Draft:
    """The declarative with a prepositional phrase that the question had in front."""
    return Draft(splice_adverbial(found, words), "choice.preposition", sure)


def splice_adverbial(found: ScoredDeclarative, words: str, *, close: bool = False) -> str:
    """The declarative with an adverbial in its place: after the verb's own words, before clauses and times.

    One that stands `close` follows a verb of motion or rest at once.
    """
    place = _adverbial_place(found, close=close)
    return splice(found.text, place, place, words)


def _adverbial_place(found: ScoredDeclarative, *, close: bool) -> int:
    verb = last_verb(found.doc, found.declarative.verb.start)
    if verb is None:
        return len(found.text)
    lemma = verb_lemma(verb.text)
    follower = next(
        (child for child in verb.rights if child.dep_ in {"dobj", "attr", "acomp", "prt", "oprd", "nsubj", "dative"}),
        None,
    )
    if (
        close
        and follower is None
        and (lemma in verb_list("motion") or lemma in {"be", "live", "sit", "sleep"})
        and not _governs_preposition(verb)
    ):
        following = verb.nbor() if verb.i + 1 < len(verb.doc) else verb
        if following.lower_ in {"in", "on", "around", "away", "out", "up"}:
            return _tail_place(found, verb, times=close)
        return int(verb.idx + len(verb.text))
    return _tail_place(found, verb, times=close)


def _tail_place(found: ScoredDeclarative, verb: Token, *, times: bool) -> int:
    for token in found.doc[verb.i + 1 :]:
        if _opens_tail(token, verb, times=times):
            return _before(token)
    return len(found.text)


def _before(token: Token) -> int:
    previous = token.nbor(-1)
    return int(previous.idx + len(previous.text))


def _governs_preposition(verb: Token) -> bool:
    return any(child.dep_ in {"prep", "prt"} and not any(True for _ in child.rights) for child in verb.rights)


def _opens_tail(token: Token, verb: Token, *, times: bool) -> bool:
    """A clause, a comma or a time that belongs to the verb begins here."""
    heads = {verb.i, verb.head.i, verb.head.head.i}
    if token.is_punct and token.lower_ in {",", ";"} and token.i < len(token.doc) - 1:
        return token.head.i in heads
    if token.head.i in heads and token.dep_ in {"prep", "npadvmod"}:
        return times and bool(_TIMES.search(token.doc[token.left_edge.i : token.right_edge.i + 1].text))
    clause = next(
        (one for one in [token, *token.ancestors] if one.left_edge.i == token.i and one.dep_ in {"advcl"}), None
    )
    return clause is not None and clause.head.i in heads


def _stranded_end(text: str) -> bool:
    return text.rsplit(" ", 1)[-1].lower() in PREPOSITIONS - {
        "down",
        "up",
        "off",
        "out",
        "over",
        "around",
        "about",
        "inside",
        "outside",
        "by",
        "along",
        "across",
        "past",
    }


def _is_reason(answer: Answer) -> bool:
    return answer.form in {Form.CLAUSE, Form.INFINITIVE, Form.VERB, Form.ADVERBIAL}


def _reason(answer: Answer) -> str:
    if answer.form is Form.CLAUSE:
        return f"because {answer.text}"
    if answer.form in {Form.INFINITIVE, Form.ADVERBIAL}:
        return answer.text
    if answer.form in {Form.VERB, Form.GERUND} or answer.text.startswith("not "):
        return infinitive(answer) or f"to {answer.text}"
    if answer.form is Form.ADJECTIVE:
        return f"because of being {answer.text}"
    return f"for {answer.noun}" if answer.text.lower() in _PURPOSES else f"because of {answer.noun}"


def _clause_manner(found: ScoredDeclarative, answer: Answer) -> tuple[str, float]:
    """A clause as a manner: "by" and its gerund where it has the declarative's own subject."""
    subject = found.text[: found.declarative.subject.end].lower()
    if answer.clause is not None and answer.clause[0].lower() in {subject, "it", "they"}:
        _, verb, rest = answer.clause
        return f"by {inflect(verb_lemma(verb), 'VBG')} {rest}".rstrip(), 0.65
    return f"in that {answer.text}", 0.3 if answer.text.lower().startswith(subject) else 0.45


def _manner(found: ScoredDeclarative, answer: Answer) -> tuple[str, float]:
    if answer.form in {Form.ADVERBIAL, Form.INFINITIVE}:
        return answer.text, 0.8
    if answer.form is Form.GERUND:
        return f"by {answer.text}", 0.7
    if answer.form is Form.VERB:
        return f"by {verb_phrase(answer, 'VBG')}", 0.6
    if answer.form is Form.CLAUSE:
        return _clause_manner(found, answer)
    return f"by {answer.noun}", 0.35
