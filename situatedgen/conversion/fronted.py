"""Statements from questions that begin with their wh-phrase: subject, object, identity and nominal questions."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.conversion.adverbs import (
    MEASURE,
    amount,
    happens_to,
    place_phrase,
    reason,
    shares_word,
    splice_adverbial,
    state_amount,
    state_amount_subject,
    state_happening,
    state_how,
    state_when,
    state_where,
    state_why,
    time_phrase,
)
from situatedgen.conversion.answer import Answer, Form, indefinite
from situatedgen.conversion.clauses import root_of
from situatedgen.conversion.draft import Draft, agree, splice
from situatedgen.conversion.gap import (
    STATES,
    Gap,
    GapKind,
    find_gap,
    gerund,
    infinitive,
    is_modifier,
    is_named_place,
    is_verbal,
    repeats,
    slot_words,
    verb_phrase,
)
from situatedgen.conversion.inversion import as_sentence, best, declaratives, normalise_spaces, strip_final_mark
from situatedgen.conversion.lexicon import (
    DETERMINERS,
    NOUNS_IN_ING,
    PREPOSITIONS,
    is_plural_noun,
    noun_list,
    parts_of_speech,
    verb_lemma,
    verb_list,
    words,
)
from situatedgen.conversion.morphology import auxiliary
from situatedgen.conversion.question import (
    AskedNoun,
    FrontedQuestion,
    Mode,
    head_noun,
    read_kind,
    single,
    split_question,
    with_kind_article,
)
from situatedgen.conversion.scoring import token_at

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.conversion.inversion import ScoredDeclarative
    from situatedgen.conversion.parsing import Parsing

_TRUE = re.compile(
    r"^(?:is|are|would be|must be|would also be|will be|is also|are also)"
    r" (?:most likely |most |probably |always |generally |also |definitely |best )?"
    r"(?:true|correct|accurate|a fact|supported|factual|valid)\b"
    r"(?: (?:about|of|for|regarding|concerning) (?P<whom>.+?))?"
    r"(?P<when> (?:when|if|as|during|while|after|before|because)\b.*)?$",
    re.I,
)
_EXPLAINS = re.compile(
    r"^(?:\w+ly |best |most |likely |also |would |could |might |can |will |may |be )*"
    r"(?:describes?|explains?|shows?|indicates?|supports?|illustrates?|demonstrates?|provides?|represents?|causes?"
    r"|helps?|allows?|is|are|accounts?|proves?|suggests?|makes?|tells?|compares?|summarizes?|states?|identifies"
    r"|gives?|results?|contributes?|evidence)\b",
    re.I,
)
_WHY = re.compile(r"^(?:\w+ly |best |most |likely |would |could )*(?:explains?|describes?) why (?P<what>.+)$", re.I)
_PRONOUN_START = re.compile(r"^(?:it|they|he|she|its|their)\b", re.I)
_SAID = re.compile(
    r"\b(?:statements?|facts?|hypothes[ie]s|questions?|predictions?|opinions?|inferences?|observations?)\b", re.I
)


def state_clause(rest: str, answer: Answer, topic: str = "") -> Draft:
    """The clause with what a question says about it: that it happens, is true, or explains something.

    Example:
        "best explains why it rains" + "the air cools" gives "the air cools, which best explains why it rains".
    """
    if happening := state_happening(rest, answer):
        return happening
    if true := _TRUE.match(rest):
        return _state_truth(true["whom"] or topic, true["when"] or "", answer)
    if (why := _WHY.match(rest)) and _PRONOUN_START.match(answer.text):
        return Draft(f"{why['what']} because {answer.text}", "clause_because")
    said = agree(rest, plural=False, was_plural=True)
    clear = _EXPLAINS.match(said) and not _PRONOUN_START.match(answer.text)
    return Draft(f"{answer.text}, which {said}", "clause_which" if clear else "clause_which_odd")


def quote_clause(answer: Answer, verb: str, noun: str) -> Draft:
    """Quote the clause as something that is called a statement, a question or the like."""
    text = answer.text[:1].upper() + answer.text[1:]
    return Draft(f"“{text}” {verb} {noun}", "clause_quoted")


def is_about_saying(text: str) -> bool:
    """Whether the text mentions statements, questions or other utterances."""
    return bool(_SAID.search(text))


def _state_truth(whom: str, when: str, answer: Answer) -> Draft:
    if whom and re.match(r"(?:it|they)\b", answer.text):
        return Draft(f"{whom} {answer.text.split(' ', 1)[1]}{when}", "clause_true").doubted(0.9)
    if whom and not shares_word(whom, answer.text):
        return Draft(f"it is true of {whom}{when} that {answer.text}", "clause_true").doubted(0.7)
    return Draft(f"{answer.text}{when}", "clause_true")


CLEAR = 0.6
"""Minimum probability of a declarative that is beyond doubt."""

# In log-odds: how much more likely the end of a subject is if the clause then lacks exactly what was asked for.
_GAP_BONUS = {
    GapKind.DO: 2.0,
    GapKind.PREPOSITION: 2.0,
    GapKind.OBJECT: 1.5,
    GapKind.SUBJECT: 1.0,
    GapKind.COMPLEMENT: 0.5,
    GapKind.END: -1.0,
}
_SWALLOWED = 3.0
_LEFT_OVER = 3.0


def declare_gapped(clause: str, *, nominal: bool) -> Parsing[ScoredDeclarative | None]:
    """The best declarative of an inverted clause without its question phrase; None if there is none.

    For a `nominal` phrase (what, which, who) the gap counts; adverbs leave none.
    """
    (doc,) = yield [strip_final_mark(normalise_spaces(clause))]
    found = declaratives(doc, gapped=True)
    if not found:
        return None
    docs = yield [as_sentence(declarative.text) for declarative in found]
    scored = [best(doc, [one], [parsed]) for one, parsed in zip(found, docs, strict=True)]
    values = [_value(one, nominal=nominal) for one in scored]
    place = max(range(len(scored)), key=lambda index: (values[index], -index))
    return replace(scored[place], probability=1 / sum(math.exp(value - values[place]) for value in values))


def doubt(found: ScoredDeclarative) -> float:
    """A factor on the confidence: lower if other ends of the subject were nearly as likely."""
    return 1.0 if found.probability >= CLEAR else 0.6


def _value(found: ScoredDeclarative, *, nominal: bool) -> float:
    left_over = _LEFT_OVER if any(map(_is_left_over, found.doc)) else 0.0
    swallowed = _SWALLOWED if _swallows_verb(found, participles=nominal) else 0.0
    gap = _GAP_BONUS[find_gap(found).kind] if nominal else 0.0
    return found.score + gap - left_over - swallowed


def _swallows_verb(found: ScoredDeclarative, *, participles: bool) -> bool:
    """Whether the subject ends in a participle or preposition that rather begins the predicate."""
    tokens = [token for token in found.doc if token.idx < found.declarative.subject.end]
    last = tokens[-1]
    if not participles:
        return len(tokens) == 2 and tokens[0].lower_ in {"this", "that"} and last.lower_.endswith("ing")
    return last.tag_ in {"VBG", "VBN", "VB"} or last.pos_ == "ADP"


def _is_left_over(token: Token) -> bool:
    """Whether a base form has nothing before it to govern it: the real verb of a clause cut too early."""
    if token.tag_ not in {"VB", "VBP"} or token.dep_ not in {"advcl", "dep", "parataxis", "npadvmod"}:
        return False
    return not any(child.dep_ in {"mark", "aux", "nsubj", "advmod", "expl"} for child in token.lefts)


_DEFINITE = re.compile(
    r"^(?:the|his|her|its|their|our|my|your|one (?:of|\w+)|two|three|four|some|most|[A-Z][\w’']*['’]s|\w+['’]s)\b"
)
_DOING = re.compile(
    r"\b(?:goal|aim|purpose|plan|job|function|intention|duty|role|things? to do|way|method|action|step)\b"
    r"|\b(?:thing|something) (?:that )?(?:you|we|they|he|she|someone|(?:\w+ )?people|\w+s) (?:\w+ )?do\b",
    re.I,
)
_INDEFINITE = re.compile(r"^(?:an?|another|not an?|part of|examples?|kinds?|types?|ways?)\b", re.I)
_PRONOUN = re.compile(r"^(?:it|they|he|she|its|their)\b", re.I)
_MENTIONED = re.compile(r"^(?:the|another|an?) (?:[\w-]+ )?(?:name|word|term|synonym|symbol|formula|color)\b")


def state_identity(noun: str, verb: str, answer: Answer, kind: AskedNoun) -> Draft:
    """State what something is: the answer goes after a definite noun phrase and before an indefinite one.

    Example:
        "the most common source", "is", "coal" gives "the most common source is coal"; "a place that has a queen"
        and "England" give "England is a place that has a queen".
    """
    if answer.form in {Form.CLAUSE, Form.QUESTION}:
        return _state_identity_clause(noun, verb, answer)
    noun = _with_article(noun)
    apart = bool(kind.text) and not kind.generic and _opens_described(noun)
    if _DEFINITE.match(noun) or kind.generic or not (apart or _INDEFINITE.match(noun)):
        return Draft(f"{noun} {verb} {_predicate(answer, kind, noun)}", "identity")
    return _state_is_a(noun, verb, answer, kind)


def _with_article(noun: str) -> str:
    """Add the article to a countable noun phrase that begins with an adjective: "good way to learn"."""
    head = head_noun(noun)
    counted = not is_plural_noun(head) and head not in noun_list("mass")
    return f"{indefinite(noun)} {noun}" if counted and _opens_described(noun) else noun


def _opens_described(noun: str) -> bool:
    """Whether the phrase begins with an adjective, without an article or owner."""
    first = noun.split(" ", 1)[0]
    described = "ADJ" in parts_of_speech(first) and first not in DETERMINERS and head_noun(noun) != first
    return described and set(parts_of_speech(head_noun(noun))) == {"NOUN"}


def _predicate(answer: Answer, kind: AskedNoun, noun: str) -> str:
    if answer.form is Form.VERB:
        return infinitive(answer)
    state = kind.head == "state" and answer.text in STATES
    if state or _MENTIONED.match(noun) or (answer.adjectival and not kind.text):
        return answer.text
    return infinitive(answer) if answer.may_be_verb and _DOING.search(noun) else slot_words(kind, answer)


def _state_is_a(noun: str, verb: str, answer: Answer, kind: AskedNoun) -> Draft:
    doing = answer.may_be_verb and " " in answer.text and bool(_DOING.search(noun))
    subject = verb_phrase(answer, "VBG") if doing else slot_words(kind, answer) if kind.text else gerund(answer)
    if _MENTIONED.match(noun) and answer.form is Form.NOUN:
        subject = answer.text
    shape = "is_a_odd" if answer.form in {Form.ADJECTIVE, Form.ADVERBIAL} else "is_a"
    is_ = agree(verb, plural=answer.plural and not doing, was_plural=False)
    return Draft(f"{subject} {is_} {noun}", shape)


def _state_identity_clause(noun: str, verb: str, answer: Answer) -> Draft:
    if is_about_saying(noun) or answer.form is Form.QUESTION:
        return quote_clause(answer, verb, noun)
    if _INDEFINITE.match(noun) and not _PRONOUN.match(answer.text):
        is_ = agree(verb, plural=False, was_plural=True)
        return Draft(f"{answer.text}, which {is_} {noun}", "clause_which")
    return Draft(f"{noun} {verb} that {answer.text}", "clause_that")


_SUPERLATIVE = re.compile(r"\b(?:most|least|first|last|only|best|largest|\w{3,}est)\b", re.I)
_BARE_SUPERLATIVE = re.compile(r"the (?:(?:most|least) \w+|best|\w+est)(?: (?:for|to|in|at|from|when|if)\b|$)", re.I)
_TOPIC = re.compile(r"^.*?\b(?:about|regarding|concerning) (?P<topic>.+)$")
_GROUPS = words("group list set pair order sequence combination")
_INVARIANT = words("fish deer sheep moose salmon trout shrimp aircraft spacecraft species")
_MENTION_NOUNS = words("term word phrase name symbol")
_WOULD_BE = re.compile(
    r"^(?P<verb>(?:will|would|could|might|may|should|must|can)(?: most likely| likely| probably| best| also)* be"
    r"(?: most likely| likely| probably| best)?) (?P<noun>(?:the|his|her|its|their|your|an?) .+)$",
    re.I,
)


def state_subject(rest: str, answer: Answer, kind: AskedNoun) -> Draft:
    """State the answer as the subject of the clause after the question phrase.

    Example:
        "has the most books", "library", kind "building in Washington" gives "the library is the building in
        Washington that has the most books"; without a kind "the library has the most books".
    """
    phrase = answer.form is Form.NOUN and _is_rather_verb(answer)
    if (answer.form in {Form.VERB, Form.GERUND} or phrase) and (done := happens_to(rest, answer)):
        return done
    identity = _WOULD_BE.match(rest)
    if identity and not _BARE_SUPERLATIVE.match(identity["noun"]):
        return state_identity(identity["noun"], identity["verb"], answer, kind)
    if answer.form in {Form.QUESTION, Form.CLAUSE}:
        return _state_subject_clause(rest, answer, kind)
    return _state_noun_subject(rest, answer, kind)


def _is_rather_verb(answer: Answer) -> bool:
    """Whether a phrase begins with a verb and no adjective, though it may be a noun: "catch on fire"."""
    first, _, rest = answer.text.partition(" ")
    return bool(rest) and answer.may_be_verb and not answer.plural and "ADJ" not in parts_of_speech(first.lower())


def _state_subject_clause(rest: str, answer: Answer, kind: AskedNoun) -> Draft:
    if answer.form is Form.QUESTION or _asks_for_quote(kind, rest):
        return quote_clause(answer, agree(rest, plural=False, was_plural=True), "")
    topic = _TOPIC.match(kind.text)
    return state_clause(rest, answer, topic=topic["topic"] if topic else "")


def _asks_for_quote(kind: AskedNoun, rest: str) -> bool:
    asked = not kind.text and rest.startswith("is ") and is_about_saying(rest.split(" that ", 1)[0])
    return asked or kind.head in {"question", "questions"}


def _state_noun_subject(rest: str, answer: Answer, kind: AskedNoun) -> Draft:
    if kind.head in _GROUPS and " of " in kind.text and re.search(r",| and ", answer.text):
        return Draft(f"{answer.noun} {'are' if answer.plural else 'is'} a {kind.text} that {rest}", "subject_group")
    if kind.head in _GROUPS and re.search(r",| and ", answer.text):
        clause = agree(rest, plural=False, was_plural=True)
        return Draft(f"the {kind.text} of {answer.text} {clause}", "subject_group")
    if is_modifier(kind, answer):
        clause = agree(rest, plural=kind.plural, was_plural=kind.plural)
        return Draft(f"{slot_words(kind, answer)} {clause}", "subject_modified")
    if answer.form is Form.NOUN and not repeats(kind, answer) and ("," in kind.text or kind.restricts):
        return _state_restricted_subject(rest, answer, kind)
    return _state_plain_subject(rest, answer, kind)


def _state_plain_subject(rest: str, answer: Answer, kind: AskedNoun) -> Draft:
    subject = answer.place if kind.head in noun_list("places") else gerund(answer)
    if kind.head in _MENTION_NOUNS:
        subject = answer.text
    shape = "which_of" if kind.listed else "subject_kind" if kind.text else "subject"
    if answer.form in {Form.ADJECTIVE, Form.ADVERBIAL} or auxiliary(answer.text.split(" ", 1)[0]) is not None:
        shape = "subject_odd"
    elif _is_done(rest, answer):
        shape = "subject_done"
    plural = answer.plural or (kind.plural and answer.head in _INVARIANT)
    return Draft(f"{subject} {agree(rest, plural=plural, was_plural=kind.plural)}", shape)


def _is_done(rest: str, answer: Answer) -> bool:
    """Whether the answer is an action rather than a happening: a verb, or a noun that happens to someone."""
    happens = re.match(r"(?:\w+ ){0,3}(?:happen|occur)\w*\b(?P<whom> to\b)?", rest)
    return happens is not None and (answer.form is Form.VERB or answer.may_be_verb or bool(happens["whom"]))


def _state_restricted_subject(rest: str, answer: Answer, kind: AskedNoun) -> Draft:
    """State the answer with its restriction: an aside, "the western state of …", or "is the … that"."""
    subject = answer.place if kind.head in noun_list("places") else answer.noun
    clause = agree(rest, plural=answer.plural, was_plural=kind.plural)
    kind = kind if answer.plural else single(kind)
    if "," in kind.text:
        return Draft(f"{subject}, {kind.text.split(',', 1)[1].strip(' ,')}, {clause}", "subject_aside")
    if is_named_place(kind, answer):
        return Draft(f"{slot_words(kind, answer)} {clause}", "subject_place")
    noun = with_kind_article(kind)
    if noun.startswith(("a ", "an ")) and _SUPERLATIVE.search(rest):
        noun = f"the {kind.text}"
    said = rest if answer.plural or kind.plural else clause
    return Draft(f"{subject} {'are' if answer.plural else 'is'} {noun} that {said}", "subject_restricted")


_OBJECTS = words("it them the this these that your my his her their")
_THINGS = words("it this that these those there")
_KIND_OF = re.compile(r"\b(?:type|kind|form|sort) of$")
_LEFT_BEHIND = re.compile(r"^ (?:that|which|who)\b")
_NEEDS_TO = re.compile(r"\b(?:need|require)(?:s|ed)? to \w+$")
_VERBAL = frozenset({Form.VERB, Form.INFINITIVE, Form.GERUND})


def state_object(found: ScoredDeclarative, answer: Answer, kind: AskedNoun) -> Draft:
    """Fill the gap that the question phrase left in a declarative with the answer.

    Example:
        "People aim to do at work" + "complete job" gives "People aim to complete a job at work".
    """
    gap = find_gap(found)
    if _is_situated(kind, answer) and _may_be_adverbial(found, gap):
        return _state_place_or_time(found, answer, kind)
    kind_of = gap.kind is GapKind.PREPOSITION and _KIND_OF.search(found.text[: gap.start])
    phrase = answer.text if kind_of and answer.form is Form.NOUN else _gap_words(gap, answer, kind)
    if phrase is None:
        return Draft(splice(found.text, gap.end, gap.end, answer.noun), "object_end")
    if answer.form is Form.CLAUSE:
        return Draft(f"{found.text} {phrase}", "object_clause")
    start = gap.start
    if gap.kind is GapKind.PREPOSITION and answer.form is Form.ADVERBIAL:
        start = found.text.rindex(" ", 0, gap.start)
    shape = "object_odd" if _is_odd(found, gap, answer, kind) else f"object_{gap.kind.value}"
    if shape == "object_subject" and kind.text:
        shape = "object_odd"
    if shape in {"object_object", "object_preposition"} and _is_plain(found, gap, answer, kind):
        shape += "_plain"
    return Draft(splice(found.text, start, gap.end, phrase), shape)


def _is_situated(kind: AskedNoun, answer: Answer) -> bool:
    """Whether the question asks for a place or time; a state only counts if it is a name."""
    named = kind.head != "state" or answer.place[:1].isupper()
    return answer.form is Form.NOUN and named and kind.head in noun_list("places") | noun_list("times")


def _may_be_adverbial(found: ScoredDeclarative, gap: Gap) -> bool:
    """Whether no gap requires a noun: there is none, or it follows a passive, or someone is somewhere."""
    if gap.kind is GapKind.COMPLEMENT:
        return gap.governor == "be" and found.text.split(" ", 1)[0].lower() not in _THINGS
    return gap.kind is GapKind.END or (gap.kind is GapKind.OBJECT and gap.tag == "VBN")


def _state_place_or_time(found: ScoredDeclarative, answer: Answer, kind: AskedNoun) -> Draft:
    """State the answer as a place or time, depending on its kind."""
    lost = kind.restricts and kind.head not in answer.text.lower()
    restrictor = f", {with_kind_article(kind)}," if lost else ""
    if kind.head in noun_list("places"):
        return Draft(splice_adverbial(found, place_phrase(answer) + restrictor), "object_place")
    return Draft(splice_adverbial(found, time_phrase(answer) + restrictor), "object_time")


def _is_plain(found: ScoredDeclarative, gap: Gap, answer: Answer, kind: AskedNoun) -> bool:
    """Whether an unrestricted noun fills the gap of an object, with no relative clause left behind."""
    if answer.form is not Form.NOUN or kind.restricts or (kind.text and gap.kind is GapKind.PREPOSITION):
        return False
    verbal = answer.may_be_verb and not answer.noun.startswith(("a ", "an ", "the ")) and not answer.plural
    left_behind = _LEFT_BEHIND.match(found.text[gap.end :])
    return not (verbal or left_behind or _NEEDS_TO.search(found.text[: gap.start]))


def _is_odd(found: ScoredDeclarative, gap: Gap, answer: Answer, kind: AskedNoun) -> bool:
    """Whether the answer fits its gap badly: an adjective as object, a verb as noun, "do to" with another verb."""
    if gap.kind is GapKind.DO:
        following = token_at(found.doc, gap.end + 1)
        if following is not None and following.lower_ == "with":
            return following.nbor().lower_ in _OBJECTS or " " not in answer.text
        return following is not None and following.lower_ in {"to", "about"} and following.tag_ == "IN"
    described = answer.adjectival and not kind.text and gap.kind in {GapKind.OBJECT, GapKind.PREPOSITION}
    return described or (answer.form is Form.VERB and (bool(kind.text) or gap.kind is GapKind.PREPOSITION))


def _gap_words(gap: Gap, answer: Answer, kind: AskedNoun) -> str | None:
    """The answer in the form that a gap requires; None if it has none."""
    if gap.kind is GapKind.DO:
        return verb_phrase(answer, gap.tag) or None
    if _repeats_verb(gap, answer):
        return answer.text.split(" ", 1)[1]
    if kind.head in {"role", "function"} and gap.governor in {"fill", "play", "serve", "perform"}:
        return f"the {kind.head} of {answer.noun}"
    if answer.form is Form.CLAUSE:
        return None if gap.kind is GapKind.PREPOSITION else f"that {answer.text}"
    if gap.kind is GapKind.COMPLEMENT:
        return _complement_words(gap, answer, kind)
    if gap.kind is GapKind.OBJECT and gap.governor in verb_list("wanting") and answer.form is not Form.NOUN:
        return infinitive(answer) if is_verbal(answer) else slot_words(kind, answer)
    return gerund(answer) if answer.form in _VERBAL else slot_words(kind, answer)


def _complement_words(gap: Gap, answer: Answer, kind: AskedNoun) -> str:
    if answer.form is Form.VERB and gap.governor == "be":
        return infinitive(answer)
    if gap.governor == "feel" and answer.text.startswith("being "):
        return answer.text.removeprefix("being ")
    if answer.adjectival and not kind.text:
        return answer.text
    return gerund(answer) if answer.form in _VERBAL else slot_words(kind, answer)


def _repeats_verb(gap: Gap, answer: Answer) -> bool:
    """Whether the answer begins with the verb before the gap: "feel cold" after "feel"."""
    first, _, rest = answer.text.partition(" ")
    return bool(gap.governor and rest and answer.may_be_verb and verb_lemma(first) == gap.governor)


_BE_NOUN = re.compile(
    r"^(?P<verb>(?:is|are|was|were)(?:n't| not)?(?: most likely| least likely| likely| probably| usually| often| also"
    r"| not| always| mainly| generally| best| typically| commonly| normally| NOT)*) (?P<noun>.+)$",
    re.I,
)
_PREDICATE = re.compile(
    r"^(?:(?!\b(?:that|who|which|where)\b).)*?"
    r" (?:(?:likely|unlikely|able|unable|supposed|going|trying|hoping) to|doing|waiting for)\b",
    re.I,
)
_OPEN_END = re.compile(
    r"^(?:(?!\b(?:that|who|which|where|you|we|they)\b).)*"
    r" (?:in|of|for|about|to|with|from|on|at|by)(?: \w+ing)?$",
    re.I,
)
_NAMED = re.compile(r" (?:called|named|likely to be)$", re.I)
_IS_CALLED = re.compile(
    r"^(?P<verb>is|are|was|were) (?P<noun>(?:(?! (?:most|often|usually|sometimes|also|commonly|is|are|was|were)\b).)+)"
    r" (?P<named>called|named)$",
    re.I,
)
_OPENS_NOUN = frozenset("the a an one two some something someone his her its their my your our".split())
_OWNED = re.compile(r"^(?P<owner>(?:(?! of ).)+?)['’]s? (?P<owned>.+)$")
_RELATED = re.compile(
    r"^(?:the|an?|one|two|three|four|some|something|someone)\b"
    r"(?:(?!\b(?:likely|able|known|called|used|made|said|thought|going)\b).)*? (?:that|who|which) \w+"
    r"|^(?:something|(?:the|one|an?) (?:[\w-]+ ){0,3}(?:things?|ways?|places?|reasons?|steps?))"
    r" (?:you|we|they|he|she|I|people|someone|children|kids|humans) \w+",
    re.I,
)


def state_nominal(question: FrontedQuestion, rest: str, before: str, answer: Answer) -> Parsing[Draft | None]:
    """The draft of a question that asks with a noun; `before` is the preposition in front of it."""
    kind = read_kind(question.kind)
    if before:
        return (yield from _state_after_preposition(before, rest, answer, kind))
    owned = _OWNED.match(question.kind)
    if owned and question.mode is not Mode.INVERTED:
        return state_subject(rest, _as_owner(answer, owned), read_kind(""))
    if question.mode is Mode.SUBJECT:
        return state_subject(rest, answer, kind)
    if question.mode is Mode.BE_NOUN:
        noun = yield from _match_be_noun(rest, bare_which=question.word == "which" and (kind.listed or not kind.text))
        if noun is not None:
            return state_identity(noun["noun"], noun["verb"], answer, kind)
        if (called := _state_called(rest, answer)) is not None:
            return called
    return (yield from _state_inverted(rest, answer, kind, be_noun=question.mode is Mode.BE_NOUN))


def _state_called(rest: str, answer: Answer) -> Draft | None:
    """State what something is called, for a question like "are the flowers that last forever called"."""
    found = _IS_CALLED.match(rest)
    if found is None:
        return None
    words = answer.text if answer.adjectival or answer.form is not Form.NOUN else answer.noun
    return Draft(f"{found['noun']} {found['verb']} {found['named']} {words}", "called")


def _state_inverted(rest: str, answer: Answer, kind: AskedNoun, *, be_noun: bool) -> Parsing[Draft | None]:
    found = yield from declare_gapped(rest, nominal=True)
    if found is None:
        return None
    form = found.declarative.auxiliary.form
    if be_noun and found.text.endswith(f" {form}"):
        return state_identity(found.text[: found.declarative.subject.end], form, answer, kind).doubted(doubt(found))
    return state_object(found, answer, kind).doubted(doubt(found))


def _match_be_noun(rest: str, *, bare_which: bool) -> Parsing[re.Match[str] | None]:
    """The form of be and the noun phrase after it; None if that is a subject with its predicate."""
    found = _BE_NOUN.match(rest)
    if found is not None and any(test.search(found["noun"]) for test in (_OPEN_END, _PREDICATE, _NAMED)):
        return None
    if found is None or bare_which or " " in found["verb"]:
        return found
    if _RELATED.match(found["noun"]):
        return found
    (doc,) = yield [f"It {rest}."]
    return found if _has_whole_noun(doc) else None


def _has_whole_noun(doc: Doc) -> bool:
    """Whether a single, complete noun phrase follows the verb of "It is …"."""
    root = root_of(doc)
    noun = next((child for child in root.rights if child.dep_ == "attr"), None)
    if root.i != 1 or noun is None or noun.left_edge.i != 2 or noun.pos_ not in {"NOUN", "PROPN", "PRON"}:
        return False
    last = doc[-2] if doc[-1].is_punct else doc[-1]
    if doc[2].lower_ not in _OPENS_NOUN or noun.right_edge.i < last.i or _is_open(doc, noun, last):
        return False
    return not any(child.dep_ == "acl" and _lacks_something(child) for child in noun.rights)


def _is_open(doc: Doc, noun: Token, last: Token) -> bool:
    """Whether the phrase ends in a word that the answer completes.

    That is a preposition, or a participle outside a relative clause.
    """
    if last.pos_ == "ADP" and last.tag_ != "RP":
        return not any(token.tag_ in {"WDT", "WP"} for token in doc)
    if last.lower_.endswith("ing") and last.lower_ not in NOUNS_IN_ING and "VERB" in parts_of_speech(last.lower_):
        return not any(child.dep_ in {"relcl", "prep"} for child in noun.rights)
    related = any(child.dep_ == "relcl" for child in noun.rights)
    return not related and last.tag_ in {"VBG", "VBN", "JJ", "TO"}


def _lacks_something(participle: Token) -> bool:
    """Whether a participle after the noun is rather the predicate: "a light year used to measure"."""
    if participle.lower_ in {"called", "named"}:
        return True
    return any(
        child.dep_ == "xcomp" and not any(one.dep_ == "dobj" for one in child.rights) for child in participle.rights
    )


def _state_after_preposition(before: str, rest: str, answer: Answer, kind: AskedNoun) -> Parsing[Draft | None]:
    """State a question that begins with a preposition: "On which date does …"."""
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    plain = answer.form is Form.ADVERBIAL or (answer.form is Form.NOUN and not _is_apposed(kind, answer))
    shape = "preposition" if plain else "preposition_odd"
    return Draft(splice_adverbial(found, _preposition_phrase(before, answer, kind)), shape).doubted(doubt(found))


def _is_apposed(kind: AskedNoun, answer: Answer) -> bool:
    """Whether the noun that was asked for is repeated after the answer, between commas."""
    return kind.restricts and not is_named_place(kind, answer) and kind.head not in noun_list("times")


def _preposition_phrase(before: str, answer: Answer, kind: AskedNoun) -> str:
    if answer.form is Form.ADVERBIAL:
        return answer.text
    if kind.text in {"location", "place"} and before in {"in", "at", "on"}:
        return place_phrase(answer)
    if answer.form is Form.CLAUSE:
        manner = kind.head in {"way", "manner", "respect"}
        return f"in that {answer.text}" if manner else f"{before} the {kind.head} that {answer.text}"
    verbal = answer.form in {Form.VERB, Form.INFINITIVE}
    return f"{before} {gerund(answer) if verbal else slot_words(kind, answer)}"


def _as_owner(answer: Answer, owned: re.Match[str]) -> Answer:
    """The answer as the owner of what the question asks about: "the reproductive system's primary function"."""
    words = slot_words(read_kind(owned["owner"]), answer)
    return replace(answer, noun=f"{words}'s {owned['owned']}", plural=False, form=Form.NOUN)


_HEDGES = frozenset({"about", "approximately", "around", "roughly", "almost", "exactly"})
_CONTRACTED = re.compile(r"^['’](?:s|re)\b")
_IT_IS_THAT = re.compile(r"^(?:is|was) it that (?P<fact>.+)$", re.I)
_COMPARED = re.compile(r"^(?P<clause>(?:is|are|was|were) .+?) (?P<tail>(?:than|from|away from|to) .+)$")
_IS_PLACE = re.compile(
    r"^(?P<verb>(?:is|are|was|were|would be|might be|could be)(?: most likely| likely| probably)?)"
    r" (?P<noun>(?:an?|the|one|another|some) (?:[\w-]+ ){0,3}?"
    r"(?:place|places|location|spot|area|room|store)\b.*)$",
    re.I,
)


def state_fronted(doc: Doc, asked: int, answer: Answer) -> Parsing[Draft | None]:
    """The draft of a parsed question whose question word is at a token; None for an unknown shape."""
    question = yield from split_question(doc, asked)
    if question is None:
        return None
    rest = _CONTRACTED.sub(lambda match: " is" if match[0].endswith("s") else " are", question.rest).strip()
    if question.word == "how" and (measure := MEASURE.match(question.kind)):
        return (yield from _state_measure(question, rest, measure, answer))
    if question.word in {"where", "when", "why", "how"}:
        return (yield from _state_adverbial(question, rest, answer))
    return (yield from state_nominal(question, rest, _preposition(question), answer))


def _state_adverbial(question: FrontedQuestion, rest: str, answer: Answer) -> Parsing[Draft | None]:
    if question.word == "where" and (place := _IS_PLACE.match(rest)):
        return state_identity(place["noun"], place["verb"], answer, read_kind(""))
    within = question.kind if question.kind.split(" ", 1)[0].lower() in PREPOSITIONS else ""
    if question.mode is Mode.SUBJECT and question.word == "where":
        return state_subject(rest, answer, read_kind(f"place, {within}" if within else "place"))
    if question.word == "why" and (fact := _IT_IS_THAT.match(rest)):
        return Draft(f"{fact['fact']} {reason(answer)}", "why")
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    before = _preposition(question)
    if question.word == "where" and before:
        return Draft(splice_adverbial(found, f"{before} {answer.place}"), "preposition")
    if question.word == "where":
        return state_where(found, answer, question.kind).doubted(doubt(found))
    rules = {"when": state_when, "why": state_why, "how": state_how}
    return rules[question.word](found, answer).doubted(doubt(found))


def _state_measure(
    question: FrontedQuestion, rest: str, measure: re.Match[str], answer: Answer
) -> Parsing[Draft | None]:
    hedge = question.before.lower() if question.before.lower() in _HEDGES else ""
    degree = measure["degree"].lower()
    words = amount(degree, measure["noun"], answer, hedge)
    if question.mode is Mode.SUBJECT:
        return state_amount_subject(rest, degree, words, answer)
    apart = degree == "far" and not measure["noun"]
    compared = _COMPARED.match(rest) if apart or measure["noun"].endswith("er") else None
    if compared:
        rest, words = compared["clause"], f"{words} {compared['tail']}"
    found = yield from declare_gapped(rest, nominal=False)
    if found is None:
        return None
    return state_amount(found, degree, measure["noun"], words).doubted(doubt(found))


def _preposition(question: FrontedQuestion) -> str:
    """The preposition in front of the question word, followed by a hedge like "about"."""
    parts = [word for word in question.before.lower().split() if word not in {"and", "so", "but", "then", ","}]
    hedges = [word for word in parts if word in _HEDGES]
    words = [word for word in parts if word not in _HEDGES]
    return " ".join([*words, *hedges]) if words else ""
