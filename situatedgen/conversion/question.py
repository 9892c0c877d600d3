"""Analyses the question of a multiple-choice item: its sentences, its wh-phrase, and what it asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from situatedgen.conversion.answer import indefinite
from situatedgen.conversion.clauses import phrase_reaches_end, root_of
from situatedgen.conversion.inversion import normalise_spaces, split_sentences, strip_final_mark
from situatedgen.conversion.lexicon import (
    DEGREE_WORDS,
    NEGATIONS,
    PREPOSITIONS,
    QUESTION_WORDS,
    is_plural_noun,
    parts_of_speech,
    words,
)
from situatedgen.conversion.morphology import AuxiliaryKind, auxiliary, may_be_base, may_be_participle

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.conversion.parsing import Parsing

_NO_SPACE = re.compile(r"(?<=[a-z]{2}[.?!])(?=[A-Z][a-z])")
_TAIL = re.compile(r"(?<=\?)[\s.?/A-Z]+$")
_AFTER_DEGREES = re.compile(r"(?<=°[CF]\.)\s+(?=[A-Z])")
_SLASH = re.compile(r"/$")
_SLIPS = (
    (re.compile(r"\bwhats\b(?= (?:the|a|an|your|it|is)\b)", re.I), "what's"),
    (re.compile(r"\bwheres\b", re.I), "where's"),
    (re.compile(r"\bwhats(?=\?|$)|(?<=\bthe )whats\b", re.I), "what"),
    (re.compile(r"[`´]"), "'"),
    (re.compile(r"(?<![\w.'’-])i(?![\w.'’-])"), "I"),
    (re.compile(r"\bim\b(?= [a-z])"), "I'm"),
    (
        re.compile(
            r"((?:^|, )(?:what|where|why|how|when)) to (?=(?:people|you|they|we|most|kids|humans|living)\b)", re.I
        ),
        r"\1 do ",
    ),
    (re.compile(r"\b(might|could|would|should) have (he|she|they|it|you|[A-Z][a-z]+) been\b"), r"\1 \2 have been"),
    (re.compile(r"\bdoes (?=[^,?]+ likely to\b)"), "is "),
)


_UNINVERTED = re.compile(
    r"^(?P<lead>(?:(?!\b(?:what|which|who|how|why|where)\b).)*(?:^|, ))(?P<word>what|where|why|how)"
    r" (?P<who>you|he|she|they|we|I) (?P<verb>[a-z]+) (?P<rest>(?:(?!\b(?:what|which|who|how|why|where)\b).)+\?)$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Stem:
    """The last sentence of a stem and the sentences before it."""

    text: str
    context: tuple[str, ...]

    @property
    def asks(self) -> bool:
        """Whether the sentence ends in a question mark."""
        return self.text.endswith("?")


def read_stem(question: str) -> Stem:
    """The stem of a question, with normalised spaces and its question mark at the end.

    Example:
        >>> read_stem("Bo ran.  Where might he be?.").text
        'Where might he be?'
    """
    text = _SLASH.sub("?", _TAIL.sub("", normalise_spaces(_NO_SPACE.sub(" ", question))))
    for slip, form in _SLIPS:
        text = slip.sub(form, text)
    *context, last = [piece for part in split_sentences(text) for piece in _AFTER_DEGREES.split(part)] or [""]
    return Stem(_UNINVERTED.sub(_invert, last), tuple(context))


def _invert(match: re.Match[str]) -> str:
    """Restore the inversion of a question: "what you expect …" becomes "what do you expect …"."""
    lead, word, who, verb, rest = (match[name] for name in ("lead", "word", "who", "verb", "rest"))
    if auxiliary(verb) is not None:
        return f"{lead}{word} {verb} {who} {rest}"
    if not may_be_base(verb) or verb.endswith("ing"):
        return match[0]
    return f"{lead}{word} {'does' if who in {'he', 'she'} else 'do'} {who} {verb} {rest}"


_SUPERLATIVE_END = re.compile(
    r"(?:(?:most|least) \w+|best|\w+est)(?: (?:for|to|in|at|from|away|when|if|because|as)\b|\?|$)"
)
_PASSIVE_END = re.compile(r"\bbe \w+(?:ed|wn|en)\??$")
_ENDS_KIND_OF = re.compile(
    r"(?:an?|the|one) (?:[\w-]+ )?(?:type|kind|form|part|example|sort|source|symbol|sign) of\??$", re.I
)
_CALLED = re.compile(r"\w+s? (?:[\w-]+ )*(?:called|named|kept)\b")
_WAITING = re.compile(
    r"^(?:(?!\b(?:that|who|which|where|you|we|they|to)\b).)+ (?:called|named|(?:of|for|as)(?: \w+ing)?)\??$", re.I
)
_PREDICATE = re.compile(r"\b(?:likely|unlikely|able|known|expected) to\b")
_AUXILIARY_NOUNS = words("can will might may must")
_CONTRACTED = words("'s ’s 're ’re")
_OPENS_NOUN = frozenset({"DET", "PRON", "PROPN", "NOUN", "NUM"})


class Mode(StrEnum):
    """The role of the question phrase; a noun after "be" may be the subject or the complement."""

    SUBJECT = "subject"
    BE_NOUN = "be_noun"
    INVERTED = "inverted"


def is_auxiliary(token: Token) -> bool:
    """Whether the token is an auxiliary, and not a noun spelled like one."""
    if token.lower_ in _CONTRACTED:
        return token.pos_ in {"AUX", "VERB"} or token.nbor(-1).lower_ in QUESTION_WORDS
    if auxiliary(token.text) is None:
        return False
    return not (token.lower_ in _AUXILIARY_NOUNS and token.pos_ in {"NOUN", "PROPN"})


def nominal_mode(doc: Doc, verb: int, rest: str) -> Parsing[Mode]:
    """The mode of what, which or who before the clause whose verb is at a token."""
    follower = _after_adverbs(doc, verb + 1)
    if not is_auxiliary(doc[verb]) or follower is None:
        return Mode.SUBJECT
    moved = auxiliary("is" if doc[verb].lower_ in _CONTRACTED else doc[verb].text)
    if moved is None or moved.kind is AuxiliaryKind.BE:
        return _be_mode(follower)
    if moved.kind is AuxiliaryKind.DO:
        denied = doc[verb + 1].lower_ in NEGATIONS and follower.i > verb + 1
        return Mode.SUBJECT if denied and _is_base(follower) else Mode.INVERTED
    if moved.kind is AuxiliaryKind.MODAL:
        return Mode.SUBJECT if _is_base(follower) and not _does_something(follower) else Mode.INVERTED
    if follower.lower_ in {"been", "had"} or follower.tag_ == "VBN":
        return Mode.SUBJECT
    (bare,) = yield [f"This {rest}."]
    return Mode.SUBJECT if bare[1].dep_ == "ROOT" else Mode.INVERTED


def adverb_mode(doc: Doc, verb: int) -> Mode:
    """The mode of where and the like; "where" may itself be the subject ("Where is known for …")."""
    follower = _after_adverbs(doc, verb + 1)
    moved = auxiliary(doc[verb].text)
    if follower is None or moved is None:
        return Mode.INVERTED
    if moved.kind is AuxiliaryKind.BE:
        found = parts_of_speech(follower.lower_)
        known = "ADJ" in found or ("VERB" in found and may_be_participle(follower.lower_))
        predicate = known and follower.tag_ in {"VBN", "JJ"} and follower.dep_ not in {"amod", "compound"}
        return Mode.SUBJECT if predicate or follower.lower_ == "to" else Mode.INVERTED
    if moved.kind is AuxiliaryKind.HAVE:
        done = any(token.tag_ == "VBN" for token in doc[follower.i :])
        return Mode.SUBJECT if follower.pos_ in {"DET", "ADJ"} and not done else Mode.INVERTED
    perfect = follower.lower_ == "have" and any(token.tag_ == "VBN" for token in doc[follower.i :])
    leads = follower.lower_ in {"be", "have"} and not perfect
    return Mode.SUBJECT if moved.kind is AuxiliaryKind.MODAL and leads else Mode.INVERTED


def _after_adverbs(doc: Doc, place: int) -> Token | None:
    while place < len(doc) and _is_adverb(doc[place]):
        place += 1
    return doc[place] if place < len(doc) and not doc[place].is_punct else None


def _is_adverb(token: Token) -> bool:
    if token.lower_ in DEGREE_WORDS | NEGATIONS:
        return not token.is_title
    adverb = token.tag_ in {"RB", "RBS"} and "ADV" in parts_of_speech(token.lower_)
    return adverb and token.lower_ not in {"there", "here"} and not token.is_title


def _is_base(token: Token) -> bool:
    """Whether the main verb follows its modal directly, so that the question asks for the subject."""
    word = token.lower_
    if word in {"be", "have", "not"}:
        return True
    if not may_be_base(word) or token.pos_ in {"DET", "PRON", "PROPN"} or token.tag_ in {"NNS", "PRP$", "JJ"}:
        return False
    determined = token.tag_ == "VB" and token.i + 1 < len(token.doc) and token.nbor().pos_ in {"DET", "PRON"}
    if _PASSIVE_END.search(token.doc[token.i + 1 :].text) and not determined:
        return False
    return token.tag_ in {"VB", "VBP"} or "NOUN" not in parts_of_speech(word)


def _does_something(follower: Token) -> bool:
    """Whether "do" follows, so that the word after the modal is its subject: "would rain do if …"."""
    return follower.lower_ != "help" and follower.i + 1 < len(follower.doc) and follower.nbor().lower_ == "do"


def _be_mode(follower: Token) -> Mode:
    """The mode after a form of be, which a predicate or a noun phrase follows."""
    after = follower.doc[follower.i + 1 :].text
    if follower.lower_ == "both" or (follower.lower_ == "the" and _SUPERLATIVE_END.match(after)):
        return Mode.SUBJECT
    return Mode.BE_NOUN if _opens_noun(follower, after) or _waits(follower, after) else Mode.SUBJECT


def _waits(follower: Token, after: str) -> bool:
    """Whether the clause ends in a word that needs the answer, so that a noun opens it.

    For example "What is writing a form of?".
    """
    nominal = follower.tag_ in {"VBG", "NN", "NNS", "JJ", "IN"} or (follower.tag_ == "VBN" and _CALLED.search(after))
    return bool((nominal and _WAITING.search(after)) or _ENDS_KIND_OF.match(after))


def _opens_noun(follower: Token, after: str) -> bool:
    last = follower.i + 1 == len(follower.doc) or follower.nbor().is_punct
    if last and "NOUN" in parts_of_speech(follower.lower_) and follower.tag_ != "JJ":
        return True
    if follower.lower_ == "there" or follower.pos_ in _OPENS_NOUN or follower.tag_ == "PRP$":
        return True
    if follower.tag_ == "VBG" and _PREDICATE.search(after):
        return True
    described = follower.tag_ in {"JJ", "JJR", "JJS", "VBN", "VBG"}
    return described and follower.dep_ in {"amod", "compound", "nsubj", "csubj"}


_OF_LIST = re.compile(
    r"^(?:one )?of (?:the \d*\s*following|these|the choices|those|the listed|the \w+ listed"
    r"|the (?:two|three|four|five|six|\d+)|the(?= [\w -]+s$))"
    r"(?:\s+(?P<noun>.+))?$|^one$",
    re.I,
)
_KIND_OF = re.compile(
    r"^(?P<lead>.*?\b)?(?:kinds?|types?|sorts?|forms?|classe?s?|examples?) of (?:an? )?(?P<noun>.+)$", re.I
)
_FIXED = re.compile(
    r"\b(state|phase|unit|time|period|source|part|method|way|level|stage) of"
    r" (?:matter|the moon|measure|measurement|day|time|energy|life|the world)\b",
    re.I,
)
_SITUATED = re.compile(r"\w (?:in|during|on|at|from|between|before|after|near) ", re.I)
_SUPERLATIVE = re.compile(r"\b(?:first|last|only|same|next|\w{3,}est|most|least)\b")
_VACUOUS = words(
    "specific particular certain likely possible additional following common single other different one 's type kind"
    " general main else famous popular well known well-known sort of the"
)
_UNCOUNTED = words("information equipment furniture evidence advice gear clothing jewelry machinery weather")
_AFTER_HEAD = words(
    "that which who where whose south north east west located called known found used made not shaped named"
)


@dataclass(frozen=True, slots=True)
class AskedNoun:
    """The noun that a question word asks about.

    `text` is the phrase after the question word, `head` its noun, `plural` its number; `listed` is true if the question
    offers its own list ("which of these"), `generic` if it asks for a kind ("what kind of").
    """

    text: str
    head: str
    plural: bool
    listed: bool
    generic: bool

    @property
    def restricts(self) -> bool:
        """Whether the phrase says more than its noun, and so must be kept."""
        if self.listed:
            return bool(_SITUATED.search(self.text))
        if self.generic or not self.text:
            return False
        return any(word != self.head and word not in _VACUOUS for word in self.text.lower().split())


def read_kind(text: str) -> AskedNoun:
    """The kind that the words after a question word name; empty if there are none.

    Example:
        >>> read_kind("of these gases").listed
        True
    """
    phrase = text.strip(" ,")
    listed = _OF_LIST.match(phrase)
    if listed:
        phrase = listed.group("noun") or ""
    generic = _KIND_OF.match(phrase)
    if generic:
        phrase = generic.group("noun")
    phrase = _FIXED.sub(lambda match: match[1], phrase)
    head = head_noun(phrase)
    return AskedNoun(phrase, head, is_plural_noun(head), bool(listed), bool(generic))


def head_noun(phrase: str) -> str:
    """The lower-case noun before the first preposition or relative of a phrase.

    Example:
        >>> head_noun("state south of Kentucky")
        'state'
    """
    parts = re.findall(r"[\w'’.-]+", phrase.lower())
    after = (place for place, word in enumerate(parts) if place and _ends_head(parts[place - 1], word))
    cut = next(after, len(parts))
    return parts[cut - 1] if cut else ""


def _ends_head(before: str, word: str) -> bool:
    """Whether the head ends here: a preposition, a relative, or a participle after a plural.

    For example "creatures performing pollination".
    """
    return word in PREPOSITIONS | _AFTER_HEAD or (word.endswith("ing") and is_plural_noun(before))


def single(kind: AskedNoun) -> AskedNoun:
    """The kind in the singular, as it describes one answer: "field of research" for "fields of research"."""
    lemma = parts_of_speech(kind.head).get("NOUN", (kind.head,))[0]
    if not kind.plural or lemma == kind.head or re.match(r"(?:two|three|four|five|\d+)\b", kind.text):
        return kind
    text = re.sub(rf"\b{re.escape(kind.head)}\b", lemma, kind.text, count=1, flags=re.I)
    return replace(kind, text=text, head=lemma, plural=False)


def with_kind_article(kind: AskedNoun, *, apposed: bool = False) -> str:
    """The kind's phrase with its article: "a western state", "the part of the method".

    An `apposed` phrase with "of" takes the indefinite article.
    """
    if kind.plural or not kind.text:
        return kind.text
    text = kind.text.lower()
    if text.startswith("other "):
        return f"another {kind.text[6:]}"
    if _SUPERLATIVE.search(text) or (not apposed and f"{kind.head} of " in text):
        return f"the {kind.text}"
    return kind.text if kind.head in _UNCOUNTED else f"{indefinite(kind.text)} {kind.text}"


_NOMINAL = words("what which who whom whose")
_RELATIVES = words("that which who whom whose where when")
_LISTED = re.compile(r"^(?:one )?of (?:the following|these)\b", re.I)
_LONGEST_NOUN = 4
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})


@dataclass(frozen=True, slots=True)
class FrontedQuestion:
    """A question: the words before its question word, that word, its noun, and the clause after it."""

    before: str
    word: str
    kind: str
    rest: str
    mode: Mode


def split_question(doc: Doc, asked: int) -> Parsing[FrontedQuestion | None]:
    """The parts of a parsed question whose question word is at a token; None if no verb is found."""
    verb = yield from _verb_place(doc, asked)
    if verb is None:
        return None
    verb = _after_aside(doc, _before_degrees(doc, asked, verb))
    rest = strip_final_mark(doc[verb:].text)
    if doc[asked].lower_ in {"where", "when", "why"}:
        mode = adverb_mode(doc, verb)
    else:
        mode = yield from nominal_mode(doc, verb, rest)
    return FrontedQuestion(doc[:asked].text, doc[asked].lower_, doc[asked + 1 : verb].text, rest, mode)


def _before_degrees(doc: Doc, asked: int, verb: int) -> int:
    """The index of the first adverb before a verb: "best explains"."""
    while verb > asked + 2 and doc[verb - 1].lower_ in DEGREE_WORDS - {"first", "more"}:
        verb -= 1
    return verb


def _after_aside(doc: Doc, verb: int) -> int:
    """The index after an aside between commas: "Which gas, when condensed, forms clouds"."""
    if doc[verb - 1].text != ",":
        return verb
    return next((token.i + 1 for token in doc[verb:-2] if token.text == ","), verb)


def _verb_place(doc: Doc, asked: int) -> Parsing[int | None]:
    if doc[asked].lower_ not in _NOMINAL:
        return _first_auxiliary(doc, asked + 1)
    if asked + 1 >= len(doc):
        return None
    if _opens_clause(doc, asked + 1):
        return asked + 1
    listed = _after_list(doc, asked + 1)
    if listed is not None:
        return listed
    rest = strip_final_mark(doc[asked + 1 :].text)
    opening = "One" if rest.startswith("of ") else "The"
    bare, nominal = yield [f"This {rest}.", f"{opening} {rest}."]
    return _nominal_place(doc, asked, bare, nominal)


def _nominal_place(doc: Doc, asked: int, bare: Doc, nominal: Doc) -> int | None:
    """Where the clause begins, judging by the parses after "This" (expects a verb) and "The" (a noun)."""
    found = _subject_end(nominal)
    auxiliary_at = _first_auxiliary(doc, asked + 1)
    alone = _is_verb_alone(bare)
    if found is None and _opens_with_plural_subject(doc, asked + 1):
        return asked + 2
    if alone and (found is None or "NOUN" not in parts_of_speech(doc[asked + 1].lower_)):
        return asked + 1
    if alone and found is not None and found > _LONGEST_NOUN and doc[asked].lower_ == "what":
        return asked + 1
    if found is not None and (auxiliary_at is None or found + asked <= auxiliary_at):
        return _after_participle(doc, found + asked)
    if auxiliary_at is not None:
        return auxiliary_at
    if alone or (found is None and _is_homograph(doc[asked + 1], doc[asked])):
        return asked + 1
    return _first_finite(doc, asked + 2) or _first_base(doc, asked + 2)


def _after_participle(doc: Doc, place: int) -> int:
    """The finite verb after a participle that modifies the noun: "What state shaped like a glove has …"."""
    participle = doc[place].lower_.endswith("ed") and place + 1 < len(doc) and doc[place + 1].pos_ == "ADP"
    if not participle:
        return place
    later = (token.i for token in doc[place + 2 :] if token.tag_ in {"VBZ", "MD"})
    verb = next(later, place)
    joined = any(token.lower_ in _RELATIVES | {"and", "if", "because", ","} for token in doc[place:verb])
    return place if joined else int(verb)


def _opens_with_plural_subject(doc: Doc, place: int) -> bool:
    """Whether a plural noun and its verb stand here: "Which features form when …"."""
    if place + 1 >= len(doc) or not is_plural_noun(doc[place].text):
        return False
    verb = doc[place + 1].lower_
    return may_be_base(verb) and "VERB" in parts_of_speech(verb) and verb not in DEGREE_WORDS


def _opens_clause(doc: Doc, place: int) -> bool:
    """Whether an auxiliary stands here, or a finite verb after adverbs."""
    if is_auxiliary(doc[place]):
        return True
    start = place
    while place < len(doc) and doc[place].lower_ in DEGREE_WORDS:
        place += 1
    if place in {start, len(doc)}:
        return False
    return is_auxiliary(doc[place]) or doc[place].tag_ in _FINITE or _is_third_person(doc[place])


def _after_list(doc: Doc, place: int) -> int | None:
    """Where the verb begins right after "of the following" or "of these"; None if it does not."""
    found = _LISTED.match(doc[place:].text)
    after = place + len(found[0].split()) if found else len(doc)
    if after >= len(doc):
        return None
    plain = set(parts_of_speech(doc[after].lower_)) == {"VERB"} and not _describes_plural(doc, after)
    return after if plain or _opens_clause(doc, after) or doc[after].tag_ in _FINITE else None


def _describes_plural(doc: Doc, place: int) -> bool:
    """Whether a participle precedes a plural noun with its own verb: "manufactured products can be …"."""
    if place + 2 >= len(doc) or not may_be_participle(doc[place].lower_):
        return False
    return is_plural_noun(doc[place + 1].text) and (is_auxiliary(doc[place + 2]) or doc[place + 2].tag_ in _FINITE)


def _first_finite(doc: Doc, place: int) -> int | None:
    """The first word after a noun that may be a finite verb, whatever the parse says."""
    for token in doc[place:]:
        before = token.nbor(-1)
        verbal = token.tag_ in _FINITE or token.lower_.endswith(("s", "ed"))
        after_noun = before.pos_ in {"NOUN", "PROPN"} or before.lower_ in DEGREE_WORDS | {"these", "following"}
        if verbal and after_noun and "VERB" in parts_of_speech(token.lower_):
            return int(token.i)
    return None


def _first_base(doc: Doc, place: int) -> int | None:
    """The first word after a plural noun phrase that may be its verb.

    For example "Which objects in our system give off …".
    """
    for token in doc[place:-1]:
        verbal = may_be_base(token.lower_) and "VERB" in parts_of_speech(token.lower_) and token.pos_ != "ADP"
        goes_on = token.nbor().pos_ in {"ADP", "DET", "PRON", "PART"} or token.tag_ in {"VB", "VBP"}
        phrase = doc[place - 1 : token.i].text
        nominal = token.nbor(-1).pos_ in {"NOUN", "PROPN"}
        if verbal and goes_on and nominal and is_plural_noun(head_noun(phrase)):
            return int(token.i)
    return None


def _is_homograph(token: Token, asked: Token) -> bool:
    """Whether a third-person verb after "what" is spelled like a plural noun: "What blocks sunshine?"."""
    return asked.lower_ == "what" and _is_third_person(token)


def _subject_end(nominal: Doc) -> int | None:
    """The index after the subject of "The …", if that begins the sentence and a finite verb follows."""
    root = root_of(nominal)
    subject = next((child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass"}), None)
    if subject is None or subject.left_edge.i != 0:
        return None
    first = next((token for token in root.lefts if token.dep_ in {"aux", "auxpass"}), root)
    if first.tag_ not in _FINITE or first.i <= subject.i:
        return None
    return int(subject.right_edge.i) + 1


def _is_verb_alone(bare: Doc) -> bool:
    verb = bare[1]
    return verb.dep_ == "ROOT" and verb.tag_ in _FINITE and "VERB" in parts_of_speech(verb.lower_)


def _is_third_person(token: Token) -> bool:
    return token.lower_.endswith("s") and "VERB" in parts_of_speech(token.lower_) and token.pos_ != "ADJ"


def _first_auxiliary(doc: Doc, place: int) -> int | None:
    """The first auxiliary from a token on that is not in a relative clause."""
    inside = False
    for token in doc[place:]:
        if is_auxiliary(token) and not inside:
            return int(token.i)
        inside = token.lower_ in _RELATIVES or (inside and not is_auxiliary(token))
    return None


_NOMINAL_OR_SHORT = words("what which who whom whose whats whos")
_OPENS_LEAD = words("if when while after before once in during at")
_PERSONAL = words("who whom whose")
_MEASURES = words("long many much far often old")
_BEFORE_FRONT = words("about approximately around and so but then roughly almost exactly if")
_OPENS_TAIL = words("while after before when if every each during can could will would might may")
_ASKS_INSIDE_AFTER = words("a an the some any its his her their my your no each every more very such")


class Place(StrEnum):
    """The position of a question word."""

    FRONT = "front"
    LATE = "late"
    INSIDE = "inside"


@dataclass(frozen=True, slots=True)
class Asked:
    """The question word of a sentence: its token, the start of its phrase, and its position."""

    word: int
    start: int
    place: Place


def find_asked(doc: Doc) -> Asked | None:
    """The word with which a sentence asks; None if there is none."""
    found = [(_weight(token), -token.i) for token in doc if token.lower_ in QUESTION_WORDS]
    best = max(found, default=(0, 0))
    if best[0] <= 0:
        return None
    return _locate(doc[-best[1]])


def _weight(token: Token) -> int:
    """How likely a question word is the one that asks, and not a relative or a conjunction."""
    if _is_last(token):
        return 9
    if token.nbor().lower_ == "to":
        return 1 if token.lower_ in {"what", "which"} or (_asks_place(token) and not is_front(token)) else 0
    if token.i and token.nbor(-1).lower_ in _ASKS_INSIDE_AFTER:
        return 8
    if is_front(token):
        return _front_weight(token)
    return _nominal_weight(token) if token.lower_ in _NOMINAL_OR_SHORT - _PERSONAL else _adverb_weight(token)


def _adverb_weight(token: Token) -> int:
    """The weight of where, when, why, how and who inside a sentence."""
    before = token.nbor(-1)
    if token.lower_ == "how" and _asks_amount_last(token):
        return 7
    if token.lower_ in _PERSONAL and before.pos_ in {"NOUN", "PRON", "PROPN"}:
        return 0
    if is_inverted(token):
        return 6
    return 1 if token.lower_ == "where" and (before.pos_ in {"VERB", "ADP", "AUX"} or _asks_place(token)) else 0


def _asks_place(token: Token) -> bool:
    """Whether "where" is followed by no clause, only a purpose, a time or a verb.

    For example "people gather where to watch a race".
    """
    if token.lower_ != "where":
        return False
    following, before = token.nbor(), token.nbor(-1) if token.i else token
    if following.lower_ == "to":
        return bool(before.pos_ in {"VERB", "NOUN", "ADV"})
    if any(is_auxiliary(word) for word in token.doc[token.i + 2 : token.i + 6]):
        return False
    return following.lower_ in _OPENS_TAIL or (following.pos_ == "ADP" and following.tag_ != "RP")


def _asks_amount_last(token: Token) -> bool:
    """Whether the sentence ends by asking for an amount: "has taken how long?"."""
    rest = [word.lower_ for word in token.doc[token.i + 1 :] if not word.is_punct]
    return 0 < len(rest) <= 2 and rest[0] in _MEASURES


def _front_weight(token: Token) -> int:
    if token.lower_ in {"when", "where", "why"} and not is_inverted(token):
        return 3 if token.lower_ != "when" else 0
    return 7


def _nominal_weight(token: Token) -> int:
    before = token.nbor(-1)
    if phrase_reaches_end(token):
        return 7
    if token.lower_ == "which" and before.pos_ in {"NOUN", "PROPN", "PRON"} and token.nbor().pos_ in {"AUX", "VERB"}:
        return 1
    if before.lower_ == "," and token.lower_ == "which" and not is_inverted(token):
        return 2
    if before.pos_ == "ADP" and token.lower_ == "which" and not _has_noun(token):
        return 1
    return 6 if is_inverted(token) else 5 if token.lower_ == "what" else 4


def _locate(token: Token) -> Asked:
    if is_front(token):
        return Asked(token.i, 0, Place.FRONT)
    if _is_last(token) or phrase_reaches_end(token):
        return Asked(token.i, token.i, Place.INSIDE)
    start = _fronted_start(token)
    if start is not None and (is_inverted(token) or _opens_after_lead(token) or _after_break(token.doc, start)):
        return Asked(token.i, start, Place.LATE)
    return Asked(token.i, token.i, Place.INSIDE)


def _opens_after_lead(token: Token) -> bool:
    """Whether a subject question follows a subordinate clause without a comma.

    For example "After the sun has risen what happens".
    """
    finite = token.i + 1 < len(token.doc) and token.nbor().tag_ in {"VBZ", "VBD"}
    return token.lower_ == "what" and finite and token.doc[0].lower_ in _OPENS_LEAD


def _after_break(doc: Doc, start: int) -> bool:
    """Whether a comma, or a conjunction after one, precedes a token."""
    before = doc[start - 1]
    return before.lower_ in {",", ";", ":", "-"} or (before.lower_ in {"so", "but", "and", "then"} and start > 1)


def _fronted_start(token: Token) -> int | None:
    """Where a fronted phrase with this question word begins; None if the word is in the answer's place."""
    before = token.nbor(-1)
    if before.lower_ in {"how", "that", "whether"} or (before.i == 0 and before.tag_ == "VBG"):
        return None
    if before.lower_ in PREPOSITIONS or before.lower_ in {"about", "approximately"}:
        if before.i and _after_break(token.doc, before.i):
            return int(before.i)
        return (
            None if token.lower_ in _NOMINAL_OR_SHORT or (before.dep_ != "prt" and not is_inverted(token)) else token.i
        )
    if before.pos_ == "CCONJ" and not _after_break(token.doc, before.i) and before.lower_ == "or":
        return None
    if before.lower_ in _ASKS_INSIDE_AFTER or (before.pos_ == "ADJ" and before.i and _is_determiner(before.nbor(-1))):
        return None
    asks = is_inverted(token) and token.doc[0].lower_ in {"if", "when", "while", "after", "before", "because", "since"}
    if before.pos_ in {"VERB", "AUX"} and token.lower_ in _NOMINAL_OR_SHORT and not asks and not _may_end_lead(before):
        return None
    return token.i


def _is_determiner(token: Token) -> bool:
    return token.lower_ in _ASKS_INSIDE_AFTER or token.tag_ in {"DT", "PRP$", "POS"}


def _may_end_lead(before: Token) -> bool:
    """Whether a verb form may end a lead-in: "While driving what should you do"."""
    return before.tag_ in {"VBG", "VBN"} or before.dep_ in {"advcl", "relcl"}


def is_front(token: Token) -> bool:
    """Whether the word begins the sentence, apart from a preposition or a word like "about"."""
    if token.i == 0:
        return True
    opening = token.doc[: token.i]
    if token.i > 3:
        return False
    return all(word.lower_ in PREPOSITIONS | _BEFORE_FRONT or word.is_punct for word in opening)


def is_inverted(token: Token) -> bool:
    """Whether an auxiliary follows the question word or its phrase."""
    place = token.i + 1
    doc = token.doc
    wide = token.lower_ in _NOMINAL_OR_SHORT | {"how"} or (place < len(doc) and doc[place].pos_ == "ADP")
    limit = min(len(doc), place + (8 if wide else 1))
    for word in doc[place:limit]:
        if is_auxiliary(word):
            return True
        if token.lower_ == "what" and word.pos_ in {"VERB", "PRON"}:
            return False
        if word.is_punct or word.pos_ in {"PRON", "SCONJ", "CCONJ", "VERB"}:
            return False
    return False


def _is_last(token: Token) -> bool:
    return all(word.is_punct or word.is_space for word in token.doc[token.i + 1 :])


def _has_noun(token: Token) -> bool:
    return token.i + 1 < len(token.doc) and token.nbor().pos_ in {"NOUN", "ADJ", "PROPN", "NUM"}
