"""Statements from questions with where, when, why, how and how much."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.conversion.answer import Answer, Form
from situatedgen.conversion.draft import Draft, agree, splice
from situatedgen.conversion.gap import (
    GapKind,
    find_gap,
    gerund,
    infinitive,
    is_in_relative,
    last_verb,
    last_word,
    verb_phrase,
)
from situatedgen.conversion.lexicon import PREPOSITIONS, is_plural_noun, noun_list, verb_lemma, verb_list, words
from situatedgen.conversion.morphology import inflect
from situatedgen.conversion.question import head_noun

if TYPE_CHECKING:
    from spacy.tokens import Token

    from situatedgen.conversion.answer import Answer
    from situatedgen.conversion.inversion import ScoredDeclarative

_TIMES = re.compile(
    r"\b(?:sunday|monday|tuesday|wednesday|thursday|friday|saturday|morning|afternoon|evening|night|noon|midnight|day"
    r"|week|month|year|hour|minute|summer|winter|spring|fall|autumn|christmas|time|now|today|tomorrow|soon|later"
    r"|weekend|annually)s?\b",
    re.I,
)
_OWN_WORDS = frozenset({"dobj", "attr", "acomp", "prt", "oprd", "nsubj", "dative"})
_RESTING = words("be live sit sleep")
_NEAR = words("in on around away out up")
_PARTICLES = words("down up off out over around about inside outside by along across past")


def splice_adverbial(found: ScoredDeclarative, phrase: str, *, close: bool = False, early: bool = False) -> str:
    """Insert an adverbial into a declarative: `early` before times, `close` right after verbs of motion.

    Example:
        "A human can go on Sunday" + "to church" gives "A human can go to church on Sunday".
    """
    place = _insertion_point(found, close=close, early=early)
    return splice(found.text, place, place, phrase)


def ends_stranded(text: str) -> bool:
    """Whether the text ends in a preposition that lacks its object."""
    return text.rsplit(" ", 1)[-1].lower() in PREPOSITIONS - _PARTICLES and not text.endswith("to choose from")


def names_time(text: str) -> bool:
    """Whether the text mentions a day, a season, an hour or the like."""
    return bool(_TIMES.search(text))


def _insertion_point(found: ScoredDeclarative, *, close: bool, early: bool) -> int:
    verb = last_verb(found.doc, found.declarative.verb.start)
    if verb is None:
        return len(found.text)
    if close and _stands_alone(verb):
        return int(verb.idx + len(verb.text))
    for token in found.doc[verb.i + 1 :]:
        if _opens_tail(token, verb, times=early):
            # A time is recognised by its noun, and begins with the words before it: "last a long time".
            previous = found.doc[max(token.left_edge.i, verb.i + 1)].nbor(-1)
            return int(previous.idx + len(previous.text))
    return len(found.text)


def _stands_alone(verb: Token) -> bool:
    """Whether a verb of motion or rest has no complements, so that its place follows it directly."""
    lemma = verb_lemma(verb.text)
    if lemma in verb_list("place_objects") and not any(child.dep_ in _OWN_WORDS for child in verb.rights):
        return True
    if lemma not in verb_list("motion") | _RESTING or any(child.dep_ in _OWN_WORDS for child in verb.rights):
        return False
    bare = any(child.dep_ in {"prep", "prt"} and (child.n_rights == 0 or _is_goal(child)) for child in verb.rights)
    return not bare and not (verb.i + 1 < len(verb.doc) and verb.nbor().lower_ in _NEAR)


def _head_words(token: Token) -> str:
    """A noun, or a preposition with its noun, without the phrases after it: "in days" from "in days of old"."""
    noun = next((child for child in token.rights if child.dep_ == "pobj"), token)
    return str(token.doc[token.left_edge.i : noun.i + 1].text)


def _is_goal(child: Token) -> bool:
    """Whether this is the goal of "go" or "get", which then already has a place: "go to the bathroom"."""
    return child.lower_ == "to" and child.tag_ == "IN" and verb_lemma(child.head.text) in {"go", "get"}


def _opens_tail(token: Token, verb: Token, *, times: bool) -> bool:
    """Whether a clause, a comma or a time that belongs to the verb begins here."""
    heads = {verb.i, verb.head.i, verb.head.head.i}
    if token.lower_ in {",", ";"} and token.i < len(token.doc) - 1:
        return token.head.i in heads
    if token.head.i in heads and token.dep_ in {"prep", "npadvmod"}:
        return times and names_time(_head_words(token))
    begins = (one for one in [token, *token.ancestors] if one.left_edge.i == token.i and one.dep_ == "advcl")
    clause = next(begins, None)
    return clause is not None and clause.head.i in heads


_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_DAY = re.compile(
    rf"\b(?:{_MONTHS}) \d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:day|holiday|weekend|eve)s?$", re.I
)
_PERIOD = re.compile(
    rf"\b(?:{_MONTHS}|spring|summer|autumn|fall|winter|morning|afternoon|evening|year|month|century|season|decade"
    r"|\d{4}s?)\b",
    re.I,
)
_CLOCK = re.compile(
    r"\b(?:noon|midnight|night|dawn|dusk|sunrise|sunset|sundown|nightfall|daybreak|midday|bedtime|lunchtime|dinnertime"
    r"|time|moment|\d+(?::\d\d)? ?(?:a\.?m|p\.?m)\.?|o'clock)$",
    re.I,
)
_PLACING = words("put place set lay leave store keep")
_ON_NAMES = words("island islands earth mars moon coast")
_AT_NAMES = frozenset({"walmart", "mit", "wimbledon", "burger king", "sears", "ymca", "disneyland", "harvard"})
_HOUSES = words("steak opera movie public guard white coffee")
_LOOKED_IN = words("store mall museum shop library cafeteria market supermarket")
_THE_PLACES = frozenset({"country", "mountains"})
_SPOKEN_TIMES = words("every once twice last next")
_PLURALS_APART = words("mountains lands woods")


def place_phrase(answer: Answer, verb: str = "") -> str:
    """The answer as a place, with the preposition that its noun and the preceding verb require.

    Example:
        "bank" becomes "at a bank", "Venice" "in Venice", and after "go" "to a bank".
    """
    text = answer.text.lower()
    placed = text.split(" ", 1)[0] in PREPOSITIONS - {"past", "down", "up"}
    if text == "home" and verb not in verb_list("motion"):
        return "at home"
    if answer.form is not Form.NOUN or placed or text in noun_list("adverbs"):
        return answer.text
    if verb in verb_list("place_objects"):
        return answer.place
    return f"{place_preposition(answer, verb)} {f'the {text}' if text in _THE_PLACES else answer.place}"


def place_preposition(answer: Answer, verb: str = "") -> str:
    """The preposition that a place takes after a verb."""
    parts = answer.text.lower().split()
    if verb in verb_list("motion"):
        if verb not in {"go", "move", "return"}:
            return "to"
        return (
            "in" if answer.head in noun_list("containers") else "on" if answer.head in noun_list("surfaces") else "to"
        )
    if _is_dwelling(parts) or parts == ["piggy", "bank"]:
        return "in"
    if verb in _PLACING and answer.head in noun_list("surfaces"):
        return "on"
    if verb == "look" and answer.head in _LOOKED_IN:
        return "in"
    pair = "-".join(parts[-2:])
    for preposition in ("at", "on"):
        if len(parts) > 1 and pair in noun_list(preposition):
            return preposition
    return _preposition_by_name(answer) if answer.place[:1].isupper() else _preposition_by_noun(answer.head)


def _is_dwelling(parts: list[str]) -> bool:
    """Whether this is a house or home without an owner: "in a big house", but "at a friend's house"."""
    described = len(parts) > 1 and not parts[0].endswith(("'s", "s'", "’s")) and parts[-2] not in _HOUSES
    return parts == ["house"] or (described and parts[-1] in {"house", "houses", "home", "homes"})


def _preposition_by_name(answer: Answer) -> str:
    if answer.text.lower() in _AT_NAMES:
        return "at"
    return "on" if answer.head in _ON_NAMES and answer.text != "Rhode Island" else "in"


def _preposition_by_noun(head: str) -> str:
    forms = {head} if head in _PLURALS_APART else {head, head.removesuffix("s")}
    return next((name for name in ("at", "on") if forms & noun_list(name)), "in")


def time_phrase(answer: Answer) -> str:
    """The answer as a time: "on June 30", "in summer", "at noon", "during a storm"."""
    text = answer.text
    if answer.form is not Form.NOUN or text.split(" ", 1)[0].lower() in PREPOSITIONS | _SPOKEN_TIMES:
        return text
    if _DAY.search(text):
        return f"on {text if answer.is_name else answer.noun}"
    if _CLOCK.search(text):
        return f"at {text}"
    return f"in {answer.noun}" if _PERIOD.search(text) else f"during {answer.noun}"


_BESIDE_WHERE = words("else exactly south north east west")
_BESIDES = re.compile(r"\b(?:other than|besides|except|instead of)\b")
_PLAIN = words("to from in at on for")


def state_where(found: ScoredDeclarative, answer: Answer, within: str) -> Draft:
    """Insert the answer as the place of a declarative; `within` is a phrase that stood next to "where".

    Example:
        "You would find many canals", "Venice", "in Southern Europe" gives "You would find many canals in Venice,
        in Southern Europe".
    """
    gap = find_gap(found)
    inner = gap.kind is GapKind.PREPOSITION and gap.start < len(found.text) and gap.governor in _PLAIN
    if inner and not within:
        return Draft(splice(found.text, gap.start, gap.end, answer.place), "where_stranded")
    verb = _place_verb(last_verb(found.doc, found.declarative.verb.start))
    phrase = answer.place if ends_stranded(found.text) else place_phrase(answer, verb)
    if within and within.lower() not in {"else", "exactly"}:
        phrase = f"{phrase}, {within.removeprefix('else ')},"
    shape = "where" if answer.form in {Form.NOUN, Form.ADVERBIAL} else "where_odd"
    strange = within and within.split(" ", 1)[0].lower() not in PREPOSITIONS | _BESIDE_WHERE
    stranded = ends_stranded(found.text) and is_in_relative(last_word(found.doc))
    draft = Draft(splice_adverbial(found, phrase, close=True, early=True), shape)
    return draft.doubted(0.5) if strange or stranded or _BESIDES.search(found.text) else draft


def _is_place(child: Token) -> bool:
    """Whether this phrase already says where, so that the answer is not a goal."""
    phrase = child.doc[child.left_edge.i : child.right_edge.i + 1].text
    return child.dep_ == "prep" and child.lower_ in {"on", "in", "at", "through", "along"} and not names_time(phrase)


def _place_verb(verb: Token | None) -> str:
    """The verb that determines the preposition; "" if an object or the passive makes the place a plain one."""
    if verb is None:
        return ""
    lemma = verb_lemma(verb.text)
    objects = [child.lower_ for child in verb.rights if child.dep_ == "dobj"]
    reached = lemma in verb_list("place_objects") and (verb.tag_ == "VBN" or objects)
    described = any(child.dep_ == "acomp" for child in verb.rights)
    if lemma in verb_list("motion") - {"take", "bring", "send"} and any(map(_is_place, verb.rights)):
        return ""
    if lemma in {"bring", "send"} and any(child.dep_ == "dative" for child in verb.rights):
        return ""
    if lemma == "take" and any(word in noun_list("taken") for word in objects):
        return ""
    if any(child.tag_ == "IN" and child.lower_ == "to" and child.n_rights for child in verb.rights):
        return ""
    if lemma == "get" and any(child.dep_ in {"prep", "prt"} for child in verb.rights):
        return ""
    plain = objects == ["place"] or (lemma == "get" and (objects or described)) or reached
    return "" if plain else lemma


def state_when(found: ScoredDeclarative, answer: Answer) -> Draft:
    """Insert the answer as the time of a declarative.

    Example:
        "The next new moon will occur" + "June 30" gives "The next new moon will occur on June 30".
    """
    phrase = _time_words(found, answer)
    odd = phrase.startswith("during ") or answer.form is Form.ADJECTIVE
    shape = "when_during" if odd else "when"
    return Draft(splice_adverbial(found, phrase), shape)


def _time_words(found: ScoredDeclarative, answer: Answer) -> str:
    if answer.form is Form.CLAUSE:
        return f"when {answer.text}"
    if answer.text.startswith("following "):
        return answer.text
    if answer.form in {Form.GERUND, Form.VERB, Form.ADJECTIVE}:
        return f"when {gerund(answer)}"
    return answer.noun if ends_stranded(found.text) else time_phrase(answer)


_REASONS = frozenset({Form.CLAUSE, Form.INFINITIVE, Form.ADVERBIAL})


def state_why(found: ScoredDeclarative, answer: Answer) -> Draft:
    """The declarative with the answer as its reason.

    Example:
        "Many desert animals are more active at night" + "it is cooler at night" gives the two with "because".
    """
    shape = "why" if answer.form in _REASONS else "why_verb" if answer.form is Form.VERB else "why_noun"
    return Draft(f"{found.text.removesuffix(' for')} {reason(answer)}", shape)


def reason(answer: Answer) -> str:
    """The answer as a reason: with "because", "to", "for" or "because of"."""
    if answer.form is Form.CLAUSE:
        return f"because {answer.text}"
    if answer.form in {Form.INFINITIVE, Form.ADVERBIAL}:
        return answer.text
    if answer.form in {Form.VERB, Form.GERUND} or answer.text.startswith("not "):
        return infinitive(answer) or f"to {answer.text}"
    if answer.form is Form.ADJECTIVE:
        return f"because of being {answer.text}"
    return f"for {answer.noun}" if answer.text.lower() in noun_list("purposes") else f"because of {answer.noun}"


_LINKING = words("feel look be seem taste sound smell appear become get act")
_DESCRIBING = words("describe classify define characterize")


def state_how(found: ScoredDeclarative, answer: Answer) -> Draft:
    """The declarative with the answer as its manner.

    Example:
        "You communicate with a friend" + "write letter" gives "You communicate with a friend by writing a letter".
    """
    verb = last_verb(found.doc, found.declarative.verb.start)
    lemma = verb_lemma(verb.text) if verb is not None else ""
    if answer.form is Form.CLAUSE:
        return _state_clause_manner(found, answer)
    if verb is not None and lemma in _LINKING and not _is_complete(verb):
        return _state_linking(found, verb, answer)
    if lemma in _DESCRIBING:
        return Draft(f"{found.text} as {answer.noun}", "how_by")
    return _state_manner(found, answer)


def _state_linking(found: ScoredDeclarative, verb: Token, answer: Answer) -> Draft:
    first, _, rest = answer.text.partition(" ")
    says = rest and answer.form is Form.VERB and first.lower() in _LINKING
    after = verb.idx + len(verb.text)
    shape = "how_odd" if answer.form is Form.GERUND else "how_linking"
    return Draft(splice(found.text, after, after, rest if says else answer.text), shape)


def _is_complete(verb: Token) -> bool:
    """Whether a linking verb has its complement, or "get" has words of its own after it."""
    if verb_lemma(verb.text) == "get" and verb.n_rights > 1:
        return True
    return any(child.dep_ in {"attr", "acomp", "oprd"} for child in verb.rights)


def _state_manner(found: ScoredDeclarative, answer: Answer) -> Draft:
    if answer.form in {Form.ADVERBIAL, Form.INFINITIVE}:
        return Draft(f"{found.text} {answer.text}", "how")
    if answer.form is Form.GERUND:
        return Draft(f"{found.text} by {answer.text}", "how_by")
    if answer.form is Form.VERB:
        return Draft(f"{found.text} by {verb_phrase(answer, 'VBG')}", "how_by")
    return Draft(f"{found.text} by {answer.noun}", "how_odd")


def _state_clause_manner(found: ScoredDeclarative, answer: Answer) -> Draft:
    """State a clause as a manner: "by" and its gerund if it has the same subject as the declarative."""
    subject = found.text[: found.declarative.subject.end].lower()
    if answer.clause is not None and answer.clause[0].lower() in {subject, "it", "they"}:
        _, verb, rest = answer.clause
        return Draft(f"{found.text} by {inflect(verb_lemma(verb), 'VBG')} {rest}".rstrip(), "how_by")
    draft = Draft(f"{found.text} in that {answer.text}", "how_clause")
    return draft.doubted(0.7) if answer.text.lower().startswith(subject) else draft


MEASURE = re.compile(
    r"^(?P<degree>many|much|long|far|often|old|tall|large|big|fast|hot|cold|deep|wide|high|heavy|frequently)\b"
    r"\s*(?P<noun>.*)$",
    re.I,
)
_TAKES = re.compile(r"\b(?:takes?|took|taken|taking)\b(?P<whom>(?: (?!for\b|to\b)\S+)*?)(?= for\b| to\b|$)")
_THERE = re.compile(r"^(?P<be>is|are|was|were) (?P<where>(?:in|on|at|inside)\b.*)$")
_UNIT = re.compile(r"\b(?:years?|feet|foot|meters?|km|cm|m|miles?|inches|days?|hours?|minutes?|months?|weeks?)$", re.I)
_PLAIN_NOUNS = words("time money longer")
_SAID_AFTER = words("long old tall deep wide high")


def amount(degree: str, noun: str, answer: Answer, hedge: str) -> str:
    """The answer as an amount of a noun: "27 Earth days", "15 grams of salt water"; `hedge` is an "about"."""
    text = f"{hedge} {answer.text}".strip()
    if not noun or noun.lower() in _PLAIN_NOUNS or _has_noun(noun, answer) or answer.text.lower() in {"once", "twice"}:
        return text
    counted = degree == "much" and re.search(r"[a-zA-Z]", answer.text)
    return f"{text} of {noun}" if counted else f"{text} {noun}"


def state_amount_subject(rest: str, degree: str, phrase: str, answer: Answer) -> Draft:
    """State an amount as the subject of its clause; "are in" becomes "there are"."""
    if there := _THERE.match(rest):
        return Draft(f"there {there['be']} {phrase} {there['where']}", "amount_there")
    plural = answer.text.strip().lower() not in {"1", "one"}
    clause = rest if degree == "much" else agree(rest, plural=plural, was_plural=True)
    return Draft(f"{phrase} {clause}", "amount_subject")


def state_amount(found: ScoredDeclarative, degree: str, noun: str, phrase: str) -> Draft:
    """Insert an amount into a declarative.

    Example:
        "It takes for Earth to rotate" + "one week" gives "It takes one week for Earth to rotate".
    """
    takes = _TAKES.search(found.text)
    if takes and (found.text.lower().startswith("it ") or found.text.startswith(" to ", takes.end())):
        return Draft(splice(found.text, takes.end("whom"), takes.end("whom"), phrase), "amount_takes")
    if degree in {"many", "much"} and not noun.lower().startswith("time"):
        gap = find_gap(found)
        return Draft(splice(found.text, gap.start, gap.end, phrase), "amount_object")
    if found.declarative.verb == found.declarative.finite and found.declarative.auxiliary.kind == "be":
        return Draft(splice_adverbial(found, _predicate_words(degree, phrase)), "amount_be")
    return Draft(splice_adverbial(found, phrase, early=True), "amount_adverb")


def _predicate_words(degree: str, phrase: str) -> str:
    """An amount as a predicate: "28 days long", "93 million miles from the Sun"."""
    suffix = f" {degree}" if degree in _SAID_AFTER and _UNIT.search(phrase) else ""
    return f"{phrase}{suffix}"


def _has_noun(noun: str, answer: Answer) -> bool:
    last = noun.lower().split()[-1].rstrip("s")
    return any(word.rstrip("s") == last for word in answer.text.lower().split())


_SUBJECTS = {"them": "they", "him": "he", "her": "she", "me": "I", "us": "we"}
_MODALS = words("will would could might may can should must")
_HAPPENS = re.compile(
    r"^(?:(?P<modal>will|would|could|might|may|can|should|must|most likely|best|has|have|likely)\s+)*"
    r"(?:(?:is|are) (?:most )?likely to )?(?:happen(?:s|ed)?|occur(?:s|red)?|result(?:s|ed)?(?! in\b)|takes? place)\b"
    r"(?:\s+(?:to|with|in|for)\s+(?P<whom>.+?))??"
    r"(?:\s+(?P<when>(?:when|if|as|after|before|during|while|because|since|once|over|at|on|in|by|from|next)\b.*))?$",
    re.I,
)
_PRONOUN = re.compile(r"(?:it|they|he|she)\b", re.I)
_OWN = re.compile(r"(?:its|their|his|her)\b", re.I)


def happens_to(rest: str, answer: Answer) -> Draft | None:
    """State a verb phrase as what someone does if the question asks what happens to them; else None.

    Example:
        "happens to cats every day" + "need food" gives "cats need food every day".
    """
    found = _HAPPENS.match(rest)
    if not found or not found["whom"]:
        return None
    whom = _SUBJECTS.get(found["whom"], found["whom"])
    text = f"{whom} {_verb_words(whom, found['modal'] or '', rest, answer)} {found['when'] or ''}"
    return Draft(text.strip(), "happens_to").doubted(1.0 if " " in answer.text else 0.8)


def state_happening(rest: str, answer: Answer) -> Draft | None:
    """State a clause as what happens, with the question's time or condition; None for other questions.

    Example:
        "happens when the Sun warms ocean water" + "the water evaporates" gives "the water evaporates when the Sun
        warms ocean water".
    """
    found = _HAPPENS.match(rest)
    if found is None:
        return None
    whom, clause = found["whom"], answer.text
    strange = bool(whom) and not shares_word(whom, clause)
    if whom and _PRONOUN.match(clause):
        clause, strange = f"{whom} {clause.split(' ', 1)[1]}", False
    when = found["when"] or ""
    if _PRONOUN.match(clause) and when.lower().startswith(("when ", "if ", "as ", "after ", "while ", "once ")):
        return Draft(f"{when}, {clause}", "clause_happens")
    draft = Draft(f"{clause} {when}".strip(), "clause_happens")
    return draft.doubted(0.5) if strange and not _OWN.match(clause) else draft


def shares_word(left: str, right: str) -> bool:
    """Whether two texts share a word of at least four letters, comparing its first five letters."""
    beginnings = {word[:5] for word in re.findall(r"[a-z]{4,}", left.lower())}
    return bool(beginnings & {word[:5] for word in re.findall(r"[a-z]{4,}", right.lower())})


def _verb_words(whom: str, modal: str, rest: str, answer: Answer) -> str:
    if modal in _MODALS:
        return f"{modal} {verb_phrase(answer, 'VB')}"
    if "happened" in rest:
        return verb_phrase(answer, "VBD")
    plural = whom in {"they", "you", "we", "I"} or is_plural_noun(head_noun(whom))
    return verb_phrase(answer, "VBP" if plural else "VBZ")
