"""Questions whose question phrase is an object or a complement: "What does a chef do when working?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import splice_adverbial
from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.drafts import Draft, splice
from situatedgen.rules.choice.gaps import Gap, GapKind, find_gap
from situatedgen.rules.choice.kinds import PLACES, TIMES, Kind, slot_words, with_kind_article
from situatedgen.rules.choice.lexicon import parts_of_speech, verb_lemma
from situatedgen.rules.choice.places import place_phrase, time_phrase
from situatedgen.rules.choice.verbs import gerund, infinitive, is_verbal, verb_phrase
from situatedgen.rules.clauses.morphology import may_be_base

if TYPE_CHECKING:
    from situatedgen.rules.clauses.inversion import ScoredDeclarative

_WANTS = frozenset(
    "want need like try plan hope decide learn wish expect prefer aim intend begin start continue choose refuse agree"
    " ask long prepare seek tend love hate".split()
)
_SURE = {
    GapKind.DO: 0.7,
    GapKind.PREPOSITION: 0.7,
    GapKind.COMPLEMENT: 0.65,
    GapKind.OBJECT: 0.65,
    GapKind.SUBJECT: 0.55,
    GapKind.END: 0.2,
}


def state_object(found: ScoredDeclarative, answer: Answer, kind: Kind) -> Draft:
    """The answer in the gap that the question phrase left in a declarative.

    Example:
        "People aim to do at work" + "complete job" gives "People aim to complete a job at work".
    """
    gap = find_gap(found)
    unplaced = gap.kind is GapKind.END or (gap.kind is GapKind.OBJECT and gap.tag == "VBN")
    if unplaced or (gap.kind is GapKind.COMPLEMENT and _is_person(found.text)):
        adverbial = _as_adverbial(found, answer, kind)
        if adverbial is not None:
            return adverbial
    shape = f"choice.object_{gap.kind.value}"
    words = gap_words(gap, answer, kind)
    if words is None:
        return Draft(splice(found.text, gap.end, gap.end, answer.noun), shape, 0.2)
    if answer.form is Form.CLAUSE:
        return Draft(f"{found.text} {words}", shape, 0.4)
    if gap.kind is GapKind.PREPOSITION and answer.form is Form.ADVERBIAL:
        return Draft(splice(found.text, found.text.rindex(" ", 0, gap.start), gap.end, words), shape, 0.5)
    odd = (answer.adjectival and not kind.text and gap.kind in {GapKind.OBJECT, GapKind.PREPOSITION}) or (
        answer.form is Form.VERB and bool(kind.text)
    )
    after = found.text[gap.end :]
    odd = odd or (gap.kind is GapKind.DO and after.startswith((" to ", " about ")) and not _is_purpose(after))
    return Draft(splice(found.text, gap.start, gap.end, words), shape, 0.3 if odd else _SURE[gap.kind])


def _as_adverbial(found: ScoredDeclarative, answer: Answer, kind: Kind) -> Draft | None:
    """The answer as a place or time, where its kind is one and no gap asks for a noun."""
    if answer.form is not Form.NOUN:
        return None
    restrictor = f", {with_kind_article(kind)}," if kind.restricts and kind.head not in answer.text.lower() else ""
    if kind.head in PLACES:
        return Draft(splice_adverbial(found, place_phrase(answer) + restrictor), "choice.object_place", 0.65)
    if kind.head in TIMES:
        return Draft(splice_adverbial(found, time_phrase(answer) + restrictor), "choice.object_time", 0.65)
    return None


def _is_purpose(text: str) -> bool:
    """The words after "do" say what for: "to win"."""
    words = text.split()
    return words[0] == "to" and len(words) > 1 and may_be_base(words[1]) and "VERB" in parts_of_speech(words[1])


def _is_person(text: str) -> bool:
    return text.split(" ", 1)[0].lower() in {"i", "you", "he", "she", "we", "they", "someone", "one", "people"}


def gap_words(gap: Gap, answer: Answer, kind: Kind) -> str | None:
    """The answer in the form that a gap asks for, None when it has none."""
    if gap.kind is GapKind.DO:
        return verb_phrase(answer, gap.tag) or None
    if (
        gap.governor
        and answer.may_be_verb
        and verb_lemma(answer.text.split(" ", 1)[0]) == gap.governor
        and " " in answer.text
    ):
        return answer.text.split(" ", 1)[1]
    if kind.head in {"role", "function"} and gap.governor in {"fill", "play", "serve", "perform"}:
        return f"the {kind.head} of {answer.noun}"
    if answer.form is Form.CLAUSE:
        return None if gap.kind is GapKind.PREPOSITION else f"that {answer.text}"
    if gap.kind is GapKind.OBJECT and gap.governor in _WANTS and is_verbal(answer) and answer.form is not Form.NOUN:
        return infinitive(answer)
    if gap.kind is GapKind.COMPLEMENT and answer.form is Form.VERB and gap.governor == "be":
        return infinitive(answer)
    if gap.governor == "feel" and answer.text.startswith("being "):
        return answer.text.removeprefix("being ")
    if gap.kind is GapKind.COMPLEMENT and answer.adjectival and not kind.text:
        return answer.text
    if answer.form in {Form.VERB, Form.INFINITIVE, Form.GERUND}:
        return gerund(answer)
    return slot_words(kind, answer)
