"""Analyses the answer of a multiple-choice item: its form, and its case and articles inside a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from situatedgen.conversion.clauses import clause_parts, is_clause, is_clause_framed
from situatedgen.conversion.inversion import as_sentence, normalise_spaces, strip_final_mark
from situatedgen.conversion.lexicon import (
    DETERMINERS,
    NOUNS_IN_ING,
    PREPOSITIONS,
    SUBORDINATORS,
    is_adjective_only,
    is_known,
    is_plural_noun,
    noun_list,
    parts_of_speech,
    verb_list,
    words,
)
from situatedgen.conversion.morphology import AUXILIARIES, is_plural, may_be_base, may_be_participle
from situatedgen.resources import read_lines
from situatedgen.rules.spans import PhraseBook, find_phrases, phrase_book
from situatedgen.rules.text import MONTHS, true_case

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

    from situatedgen.conversion.parsing import Parsing

_NAMES = words("mercury venus earth mars jupiter saturn uranus neptune pluto sun moon god internet i congress")
_SMALL_WORDS = DETERMINERS | PREPOSITIONS | SUBORDINATORS | frozenset(AUXILIARIES) | words(
    "it they there he she we you how where why who and than not this that these those"
)  # fmt: skip
_MARKS = "\"'“”‘’(),.;:"


def inside(answer: str) -> str:
    """The answer as written inside a sentence: names capitalised, the first word lowered unless it is a name.

    Example:
        >>> inside("Coal")
        'coal'
        >>> inside("new york")
        'New York'
    """
    return true_case(_with_names(_lower_first_word(answer)))


def _with_names(text: str) -> str:
    """Capitalise lower-case names of planets, shops and the like."""
    letters = list(text)
    for phrase in find_phrases(text, _name_book()):
        if text[phrase.start : phrase.end].islower():
            letters[phrase.start : phrase.end] = phrase.form
    return "".join(letters)


@cache
def _name_book() -> PhraseBook:
    return phrase_book(read_lines("written_names.txt"))


def _lower_first_word(answer: str) -> str:
    word = answer.split(" ", 1)[0].strip(_MARKS)
    if not word[:1].isupper() or _keeps_capital(answer, word):
        return answer
    return answer.replace(word, word[0].lower() + word[1:], 1)


def _keeps_capital(answer: str, word: str) -> bool:
    """Whether the first word is a name, an abbreviation, a letter, or part of a title."""
    if word in {"A", "An", "The"}:
        return False
    if len(word) == 1 or not word[1:].replace("'", "").replace("’", "").replace("-", "").islower():
        return True
    base = re.sub(r"['’]s$|-.*$", "", word.lower())
    return base in _NAMES or not (is_known(base) or base in _SMALL_WORDS) or _is_title(answer)


def _is_title(answer: str) -> bool:
    """Whether the answer is a name of two or more words, all capitalised except short ones."""
    content = [word for word in re.findall(r"[A-Za-z]+", answer) if len(word) > 3 or word[0].isupper()]
    return len(content) > 1 and all(word[0].isupper() for word in content)


_ADJECTIVE_ENDINGS = ("ic", "ary", "al", "ous", "ive", "ory", "able", "ible")
_OBJECT_PRONOUNS = words("me you him her it us them")
_PARTICLES = words("up out off away themselves himself yourself")
_QUESTION_WORDS = words("how what why where whether which who")
_NOUNS_BEFORE_TO = words("time need desire place plan chance right way")
_NOUN_PREPOSITIONS = words("in of from for")
_VERBS_ANYWAY = words("die go come stay sit")
_RARELY_NOUNS = words("think pretend concentrate kill flirt hide listen join")
_MODALS = words("may might can will would could should")


class Form(StrEnum):
    """The kind of phrase that an answer is."""

    NOUN = "noun"
    VERB = "verb"
    GERUND = "gerund"
    INFINITIVE = "infinitive"
    ADVERBIAL = "adverbial"
    ADJECTIVE = "adjective"
    CLAUSE = "clause"
    QUESTION = "question"


def form_of(text: str, alone: Doc, phrase: Span, *, ended: bool) -> Form:
    """The form of an answer, from its parse as a sentence and its span in "It is …"; `ended` if it had a period."""
    parts = text.lower().split()
    if parts[0] == "to" and len(parts) > 1 and may_be_base(parts[1]):
        return Form.INFINITIVE
    if parts[0] in _QUESTION_WORDS:
        return Form.NOUN
    tests = (
        (Form.CLAUSE, is_clause(alone, ended=ended)),
        (Form.ADVERBIAL, _is_adverbial(parts)),
        (Form.GERUND, _is_gerund(parts, alone, phrase)),
        (Form.VERB, _is_verb_with_word(parts) or _is_modal_phrase(parts)),
        (Form.ADJECTIVE, _is_adjective(parts, phrase)),
        (Form.VERB, _is_verb(parts, alone, phrase) or (ended and _is_command(alone))),
    )
    return next((form for form, holds in tests if holds), Form.NOUN)


def _is_adverbial(parts: list[str]) -> bool:
    if len(parts) == 1:
        return parts[0] in noun_list("adverbs") or (parts[0].endswith("ly") and "ADV" in parts_of_speech(parts[0]))
    opening = parts[0] in PREPOSITIONS | SUBORDINATORS and parts[0] not in {"past", "like"}
    return opening or parts[:2] == ["due", "to"]


def _is_gerund(parts: list[str], alone: Doc, phrase: Span) -> bool:
    first = parts[0]
    if not first.endswith("ing") or "VERB" not in parts_of_speech(first.rpartition("-")[2]):
        return False
    if first in NOUNS_IN_ING:
        described = first == "feeling" and len(parts) > 1 and "ADJ" in parts_of_speech(parts[1])
        return described or (len(parts) > 1 and (first == "being" or _follows_gerund(parts[1])))
    if len(parts) == 1:
        return True
    if len(parts) == 2:
        return parts[1] not in noun_list("after_gerund") and phrase[0].dep_ not in {"compound", "amod"}
    return not (phrase[0].dep_ in {"compound", "amod"} and alone[0].dep_ in {"compound", "amod"})


def _follows_gerund(word: str) -> bool:
    found = parts_of_speech(word)
    return ("ADJ" in found and "NOUN" not in found) or may_be_participle(word)


def _is_adjective(parts: list[str], phrase: Span) -> bool:
    last = parts[-1]
    if phrase.text[0].isupper():
        return False
    if len(parts) > 1 and (_opens_participle(parts) or _are_adjectives(parts)):
        return True
    if len(parts) <= 3 and is_adjective_only(last) and last not in noun_list("mass"):
        return True
    found = parts_of_speech(last)
    if len(parts) == 1 and not found and phrase.root.tag_ == "JJ" and last.endswith(_ADJECTIVE_ENDINGS):
        return True
    described = ("ADJ" in found and "NOUN" not in found) or may_be_participle(last)
    return len(parts) == 1 and phrase.root.tag_ in {"JJ", "JJR", "JJS", "VBN"} and described


def _are_adjectives(parts: list[str]) -> bool:
    """Whether these are only adjectives joined by a conjunction: "warm and wet"."""
    described = [part.strip(",") for part in parts if part not in {"and", "or", "but"}]
    return len(described) < len(parts) and all("ADJ" in parts_of_speech(part) for part in described)


def _opens_participle(parts: list[str]) -> bool:
    """Whether this is a participle with a preposition: "used to", "made of"."""
    return may_be_participle(parts[0]) and parts[1] in PREPOSITIONS and "NOUN" not in parts_of_speech(parts[0])


def _is_modal_phrase(parts: list[str]) -> bool:
    """Whether this is a modal and its verb: "may laugh"."""
    return len(parts) > 1 and parts[0] in _MODALS and may_be_base(parts[1]) and "VERB" in parts_of_speech(parts[1])


def _is_verb_with_word(parts: list[str]) -> bool:
    """Whether this is a verb with an adjective, an adverb or a particle: "fall asleep", "go down"."""
    found = parts_of_speech(parts[0])
    if len(parts) == 1 or not may_be_base(parts[0]) or "VERB" not in found:
        return False
    if "ADJ" in found:
        return parts[1] in {"off", "up", "out", "down"}
    following = set(parts_of_speech(parts[1]))
    descriptive = bool(following) and following <= {"ADJ", "ADV"} and parts[1] not in PREPOSITIONS
    return descriptive or parts[1] in _PARTICLES


def _is_verb(parts: list[str], alone: Doc, phrase: Span) -> bool:
    first = parts[0]
    found = parts_of_speech(first)
    if len(parts) == 1 and set(found) == {"VERB"} and first.endswith("s"):
        return True
    if len(parts) == 1:
        nominal = {"NOUN", "ADJ"} & set(found) and first not in _RARELY_NOUNS
        return may_be_base(first) and "VERB" in found and not nominal and first not in DETERMINERS
    if set(found) == {"VERB"} and not may_be_base(first) and not first.endswith("ing"):
        return phrase[0].tag_ in {"VBD", "VBN", "VBZ"} and alone[0].dep_ == "ROOT" and parts[1] not in PREPOSITIONS
    if not may_be_base(first) or "VERB" not in found or first in DETERMINERS or _is_noun_with_words(parts):
        return False
    if (
        first in verb_list("common")
        or not {"NOUN", "ADJ"} & set(found)
        or parts[1] in DETERMINERS - {"that", "which"} | _OBJECT_PRONOUNS
    ):
        return True
    return alone[0].tag_ in {"VB", "VBP"} and phrase[0].tag_ in {"VB", "VBP"}


def _is_command(alone: Doc) -> bool:
    """Whether an answer written as a sentence begins with a verb and its object: "Release sterile moths."."""
    first = alone[0]
    return first.tag_ == "VB" and first.dep_ == "ROOT" and any(child.dep_ == "dobj" for child in first.rights)


def _is_noun_with_words(parts: list[str]) -> bool:
    """Whether this is a noun that is spelled like a verb: "increase in", "time to"."""
    noun = "NOUN" in parts_of_speech(parts[0]) and parts[0] not in _VERBS_ANYWAY
    return (noun and parts[1] in _NOUN_PREPOSITIONS) or (parts[1] == "to" and parts[0] in _NOUNS_BEFORE_TO)


_SILENT_H = ("hour", "honest", "honor", "heir")
_LIKE_CONSONANTS = ("uni", "use", "usu", "euro", "one", "once", "ura", "uter", "ut", "ubiq", "eu")
_LETTERS_LIKE_VOWELS = frozenset("AEFHILMNORSX")
_ONE_OF_ITS_KIND = words("same second third last only next entire whole main")
_OPENS_CLAUSE = words("how why where who whether")
_PART_OF = re.compile(
    r"^((?:side|edge|end|middle|top|bottom|front|back|center|surface) of) "
    r"(?=(?:road|street|line|page|mountain|hill|sea|ocean|earth|lake|river|house|room|building|tree|closet|store|forest)$)"
)
KIN = words("brother sister aunt uncle grandma grandmother grandpa mother father mom dad boss")
_PLURAL_OWNERS = words("people children men women")
_ABSTRACT = tuple(
    "ness ism ology ography ics ship hood ction ation ition ution sion osis esis ware bility ality ivity".split()
)


def with_article(text: str, phrase: Span) -> str:
    """A noun phrase with the article it needs; `phrase` is its parse in the position of a noun.

    Example:
        "bank" becomes "a bank", "surface of earth" "the surface of earth", "water" stays.
    """
    text = _PART_OF.sub(r"\1 the ", text)
    article = _article(phrase)
    return f"{article} {text}" if article else text


def indefinite(text: str) -> str:
    """The indefinite article before a text: "a" or "an".

    Example:
        >>> indefinite("hour")
        'an'
    """
    word = text.lstrip("\"'“‘(").split(" ", 1)[0]
    lower = word.lower()
    if len(word) > 1 and word.isupper() and "." not in word:
        return "an" if word[0] in _LETTERS_LIKE_VOWELS else "a"
    if lower.startswith((*_SILENT_H, "8")) or lower in {"11", "18"}:
        return "an"
    if lower.startswith(_LIKE_CONSONANTS) and not lower.startswith("unin"):
        return "a"
    return "an" if lower[:1] in set("aeiou") else "a"


def _article(phrase: Span) -> str:
    head, first = _head(phrase), phrase[0]
    if len(phrase) == 1 and first.lower_ in noun_list("definite"):
        return "the"
    if len(phrase) == 2 and f"{first.lower_}-{head.lower_}" in noun_list("definite"):
        return "the"
    if _has_article(phrase, head):
        return ""
    if head.lower_ in {"sun", "moon"} and len(phrase) == 1:
        return "the"
    if _is_name(first, head):
        return "the" if _name_needs_the(phrase, head) and not _is_owned(phrase, head) else ""
    return _before_owner(phrase) if _is_owned(phrase, head) else _common_article(phrase, head)


def _has_article(phrase: Span, head: Token) -> bool:
    """Whether the phrase has a determiner, or is not a noun phrase that takes one."""
    first = phrase[0]
    only_noun = set(parts_of_speech(first.lower_)) == {"NOUN"}
    if first.lower_ in DETERMINERS | _OPENS_CLAUSE or first.tag_ == "PRP$" or not first.text[0].isalpha():
        return True
    nominal = head.pos_ == "NOUN" or set(parts_of_speech(head.lower_)) == {"NOUN"}
    adverb = first.pos_ == "ADV" and not (len(phrase) > 1 and nominal)
    if first.pos_ in {"DET", "PRON", "NUM"} or adverb:
        return not only_noun
    if first.pos_ == "ADJ" and any(token.lower_ == "to" for token in phrase[:3]):
        return True
    return head.pos_ not in {"NOUN", "PROPN", "ADJ", "VERB", "X"} and not only_noun


def _head(phrase: Span) -> Token:
    """The head: the last word before a preposition, a participle or a comma, whatever the parse says."""
    for token in phrase[1:]:
        if token.lower_ == "full" and phrase.doc[token.i - 1].pos_ == "NOUN":
            return phrase.doc[token.i - 1]
        participle = token.tag_ in {"VBG", "VBN"} and token.i + 1 < phrase.end
        opens = token.pos_ in {"ADP", "SCONJ", "PUNCT", "CCONJ"} and token.tag_ != "HYPH"
        if participle or opens or token.tag_ in {"WDT", "WP", "TO"}:
            previous = phrase.doc[token.i - 1]
            if previous.pos_ in {"NOUN", "PROPN"} or previous.lower_ in NOUNS_IN_ING:
                return previous
    return phrase[-1]


def _is_name(first: Token, head: Token) -> bool:
    named = first.text[:1].isupper() and first.pos_ == "PROPN" and head.lower_ in noun_list("geographic")
    return head.text[:1].isupper() or named


def _name_needs_the(phrase: Span, head: Token) -> bool:
    if head.lower_ in noun_list("definite") or _before_of(phrase, head):
        return True
    return head.lower_ in noun_list("definite_names") and len(phrase) > 1


def _is_owned(phrase: Span, head: Token) -> bool:
    return any(token.tag_ == "POS" for token in phrase.doc[phrase.start : head.i])


def _before_owner(phrase: Span) -> str:
    """The article before "friend's house"; none before "Earth's surface" or "people's homes"."""
    owner = next(token for token in phrase if token.tag_ == "POS").nbor(-1)
    if owner.lower_ in {"sun", "moon", "doctor", "dentist"} | noun_list("definite") and not is_plural_noun(owner.text):
        return "the"
    if owner.lower_ in KIN:
        return "one's"
    if owner.text[:1].isupper() or owner.lower_ in _PLURAL_OWNERS or is_plural_noun(owner.text):
        return ""
    return indefinite(phrase.text)


def _common_article(phrase: Span, head: Token) -> str:
    before = phrase.doc[phrase.start : head.i]
    if any(token.tag_ in {"JJS", "RBS"} or token.lower_ in _ONE_OF_ITS_KIND for token in before):
        return "the"
    if _before_of(phrase, head):
        return _article_before_of(phrase, head)
    if _is_definite(phrase, head):
        return "the"
    return "" if _is_uncounted(head) else indefinite(phrase.text)


def _before_of(phrase: Span, head: Token) -> bool:
    return bool(head.i + 1 < phrase.end and head.nbor().lower_ == "of")


def _article_before_of(phrase: Span, head: Token) -> str:
    if _is_plural_head(head):
        return ""
    return indefinite(phrase.text) if head.lower_ in noun_list("measure") else "the"


def _is_definite(phrase: Span, head: Token) -> bool:
    """Whether the noun is unique; rooms and organs are only if nothing describes them."""
    joined = len(phrase) > 1 and phrase[1].lower_ == "and"
    if head.i == phrase.start or joined:
        return phrase[0].lower_ in noun_list("definite")
    pair = f"{head.nbor(-1).lower_}-{head.lower_}"
    return head.lower_ in noun_list("always_definite") or pair in noun_list("definite")


def _is_plural_head(head: Token) -> bool:
    if parts_of_speech(head.lower_).get("NOUN"):
        return is_plural_noun(head.text)
    unknown = not parts_of_speech(head.lower_) and head.lower_.endswith("s")
    return head.tag_ in {"NNS", "NNPS"} or (unknown and not head.lower_.endswith(("ss", "us", "sis", "tis", "xis")))


def _is_uncounted(head: Token) -> bool:
    word = head.lower_
    described = head.i > 0 and head.nbor(-1).pos_ in {"NOUN", "ADJ", "PROPN", "VERB"} and head.nbor(-1).lower_ != "is"
    if word in noun_list("alone"):
        return not described
    if word == "time" and described:
        return bool(head.nbor(-1).pos_ == "NOUN" or head.nbor(-1).lower_ in {"free", "spare"})
    pair = f"{head.nbor(-1).lower_}-{word}" if described else ""
    if pair in noun_list("counted"):
        return False
    if _is_plural_head(head) or word in noun_list("mass") or pair in noun_list("mass") or _is_no_noun(word):
        return True
    if word.endswith("ing"):
        return word not in NOUNS_IN_ING
    return word.endswith(_ABSTRACT) and word not in noun_list("counted")


def _is_no_noun(word: str) -> bool:
    """Whether the dictionary has the word, but not as a noun; an unknown word counts as a noun."""
    found = parts_of_speech(word)
    return bool(found and "NOUN" not in found) or not word.isalpha()


_ONE_OF_SEVERAL = words(
    "a an one two three four five his her its their my our some this that these those another each several first second"
)
_FARTHEST = 3
_TELLING = re.compile(
    r"\b(?:he|she|his|her|him|I|my|was|were|had|did|went|got|said|took|wanted|needed|decided|saw|found|made|left|came"
    r"|put|gave|placed|observed|noticed|recorded|measured)\b",
    re.I,
)
_SAYS_WHICH = words("of in on at from that which who with for under near")
_KINDS = words("process population material organism animal plant substance")
_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]*")


def noun_lemmas(word: str) -> frozenset[str]:
    """The lower-case word and the nouns of which it may be a form."""
    return frozenset({word, *parts_of_speech(word).get("NOUN", ())})


def is_one_of_its_kind(noun: Token) -> bool:
    """Whether a noun is unique wherever it occurs: "the sky", "the solar system"."""
    pair = f"{noun.nbor(-1).lower_}-{noun.lower_}" if noun.i else ""
    plain = noun.i > 0 and noun.nbor(-1).lower_ == "the"
    return pair in noun_list("definite") or (plain and noun.lower_ in noun_list("definite") - {"population", "surface"})


def is_generic(noun: Token, context: Sequence[str]) -> bool:
    """Whether a noun stands for its kind: neither its sentence nor the previous ones single out one of several.

    Example:
        "the fox" after "The fur of the arctic fox is white." is generic, after "A fox ran away." it is not.
    """
    if any(token.tag_ == "VBD" for token in noun.doc) or any(map(_TELLING.search, context)):
        return False
    lemmas = noun_lemmas(noun.lower_)
    described = any(child.dep_ in {"amod", "compound"} for child in noun.lefts)
    if any(child.dep_ == "nummod" for child in noun.lefts) or any(_is_introduced(lemmas, text) for text in context):
        return False
    return described or any(_is_already_definite(lemmas, text) for text in context)


def is_named_kind(noun: Token) -> bool:
    """Whether the noun is a kind that a preceding word names: "the water treatment process"."""
    return noun.lower_ in _KINDS and any(child.dep_ == "compound" for child in noun.lefts)


def _is_introduced(lemmas: frozenset[str], text: str) -> bool:
    """Whether the text has the noun with "a", a number or an owner, or as part of a name."""
    found = _words(text)
    return any(found[place][0].isupper() or _is_counted(found, place) for place in _heads(found, lemmas) if place)


def _is_already_definite(lemmas: frozenset[str], text: str) -> bool:
    """Whether the text already has the noun with "the", and without words that say which one."""
    found = [*_words(text), ""]
    return any(
        "the" in _words_before(found, place) and found[place + 1].lower() not in _SAYS_WHICH
        for place in _heads(found[:-1], lemmas)
        if place
    )


def _words(text: str) -> list[str]:
    return [re.sub(r"['’]s?$", "", word) for word in _WORD.findall(text)]


def _heads(found: Sequence[str], lemmas: frozenset[str]) -> Iterator[int]:
    """The positions where the noun occurs and does not modify another noun."""
    for place, word in enumerate(found):
        following = found[place + 1].lower() if place + 1 < len(found) else ""
        describes = set(parts_of_speech(following)) == {"NOUN"} and following not in DETERMINERS | PREPOSITIONS
        if noun_lemmas(word.lower()) & lemmas and not describes:
            yield place


def _is_counted(found: Sequence[str], place: int) -> bool:
    """Whether the last determiner before the noun is one that counts or owns."""
    before = [word for word in _words_before(found, place) if word == "the" or word in _ONE_OF_SEVERAL]
    return bool(before) and before[-1] != "the"


def _words_before(found: Sequence[str], place: int) -> list[str]:
    return [word.lower() for word in found[max(place - _FARTHEST, 0) : place]]


_ARROW = re.compile(r"\s*(?:->|-->|→|=>)\s*")
_NOT_A_LIST = re.compile(r"\b(?:and|or|but|then|only|also|not)\b|[A-Z]")
_ABBREVIATION = re.compile(r"\b(?:[A-Z]\.[A-Z]|[ap]\.m|etc|D\.C)\.$")
_NUMBER = re.compile(r"^[\d.,°%$]+\S*(?:\s*(?:[xX×^°%]|[A-Z°]\b).*)?$")
_JOINED = re.compile(r"^(?:(?!\b(?:of|in|on|for|with|from|to|that|between|by|at)\b).)*\band\b")
_GERUNDS = re.compile(r"^\w+ing and \w+$")
_EVENT = re.compile(r"^\w+s \w+ing$")
_MANY = frozenset({"those", "these", "many", "several", "few", "both"})
_SINGULAR_NAMES = frozenset({"states", "netherlands", "philippines", "bahamas"})


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it appears inside a sentence.

    `noun` is the same with the article it needs; `may_be_verb` is true if its first word may be the base form of a
    verb, `adjectival` if it may describe a noun; `head` is its lower-case head noun; `clause` has the subject, verb and
    rest of a clause with a plain verb.
    """

    text: str
    form: Form
    noun: str
    plural: bool
    may_be_verb: bool
    head: str
    adjectival: bool
    clause: tuple[str, str, str] | None = None

    @property
    def is_name(self) -> bool:
        """Whether the answer begins with a capital."""
        return self.text[:1].isupper()

    @property
    def place(self) -> str:
        """The noun phrase if a place is asked for: "china" is then the country."""
        named = true_case(f"in {self.text}").removeprefix("in ")
        return self.noun if named == self.text else named


def understand(text: str, *, of_time: bool = False) -> Parsing[Answer]:
    """Analyse the answer from its parse alone and in frames; with `of_time`, "march" and "may" are months."""
    bare = _with_owner(inside(_join_list(_strip_final_mark(text))))
    is_month = of_time and bare.capitalize() in MONTHS
    if is_month:
        bare = bare.capitalize()
    ended = text.strip().endswith(".")
    frames = [as_sentence(bare), f"It is {bare}.", *([f"I know that {bare}."] if ended else [])]
    alone, framed, *known = yield frames
    phrase = framed[2 : _phrase_end(framed)]
    form = Form.QUESTION if text.strip().endswith("?") else form_of(bare, alone, phrase, ended=ended)
    if form is Form.NOUN and known and is_clause_framed(known[0]):
        form = Form.CLAUSE
    return _answer(bare, Form.NOUN if is_month else form, alone, phrase)


def _answer(bare: str, form: Form, alone: Doc, phrase: Span) -> Answer:
    first = bare.split(" ", 1)[0].lower()
    return Answer(
        text=bare,
        form=form,
        noun=with_article(bare, phrase) if form is Form.NOUN else bare,
        plural=_is_plural_phrase(phrase) and not _EVENT.match(bare)
        if form is Form.NOUN
        else bool(_GERUNDS.match(bare)),
        may_be_verb=may_be_base(first) and "VERB" in parts_of_speech(first) and first not in DETERMINERS,
        head=_head_noun(phrase),
        adjectival=form is Form.ADJECTIVE
        or _is_comparative(bare)
        or (phrase.root.tag_ in {"JJ", "JJR"} and "ADJ" in parts_of_speech(bare)),
        clause=clause_parts(alone) if form is Form.CLAUSE else None,
    )


def _is_comparative(text: str) -> bool:
    found = parts_of_speech(text)
    return text.endswith("er") and any(lemma != text for lemma in found.get("ADJ", ()))


def _join_list(text: str) -> str:
    """Spell out steps and lists: "a -> b -> c" becomes "a, then b, then c", and "a, b" becomes "a and b"."""
    steps = [step for step in _ARROW.split(text) if step]
    if len(steps) > 1:
        return " to ".join(steps) if len(steps) == 2 else ", then ".join(steps)
    pieces = text.split(", ")
    apposed = len(pieces) == 2 and pieces[1].startswith(("a ", "an ", "the "))
    if len(pieces) == 1 or apposed or _NOT_A_LIST.search(text) or any(len(piece.split()) > 3 for piece in pieces):
        return text
    return " and ".join(pieces) if len(pieces) == 2 else ", ".join(pieces[:-1]) + ", and " + pieces[-1]


def _strip_final_mark(text: str) -> str:
    """The answer without its final mark, except for the period of "U.S." and "p.m."."""
    bare = strip_final_mark(normalise_spaces(text))
    return bare if _ABBREVIATION.search(bare) else bare.rstrip(".")


def _with_owner(text: str) -> str:
    return f"one's {text}" if text.startswith("own ") else text


def _phrase_end(framed: Doc) -> int:
    return len(framed) - 1 if len(framed) > 3 and framed[-1].is_punct else len(framed)


def _head_noun(phrase: Span) -> str:
    """The lower-case noun before the first preposition, participle or relative."""
    for token in phrase[1:]:
        after = token.pos_ == "ADP" or token.tag_ in {"VBG", "VBN", "WDT", "WP", "WRB", "TO"}
        if after and phrase.doc[token.i - 1].pos_ in {"NOUN", "PROPN"}:
            return str(phrase.doc[token.i - 1].lower_)
    return str(phrase[-1].lower_)


def _is_plural_phrase(phrase: Span) -> bool:
    if (
        _NUMBER.match(phrase.text)
        or phrase[0].lower_ in {"how", "why", "what", "where"}
        or (phrase.text[0].isupper() and phrase[-1].lower_ in _SINGULAR_NAMES)
    ):
        return False
    if _JOINED.match(phrase.text) or phrase[0].lower_ in _MANY or is_plural_noun(_head_noun(phrase)):
        return True
    root = phrase.root
    head = next((token for token in phrase if token.lower_ == _head_noun(phrase)), root)
    if parts_of_speech(_head_noun(phrase)).get("NOUN"):
        return False
    return bool(is_plural(root if root.pos_ in {"NOUN", "PROPN", "PRON"} else head))
