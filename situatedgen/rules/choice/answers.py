"""What an answer is: its form, its noun phrase with the article it needs, its number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from situatedgen.rules.casing import true_case
from situatedgen.rules.choice.articles import with_article
from situatedgen.rules.choice.casing import inside
from situatedgen.rules.choice.lexicon import (
    DETERMINERS,
    NOUNS_IN_ING,
    PREPOSITIONS,
    SUBORDINATORS,
    is_adjective_only,
    is_plural_noun,
    noun_list,
    parts_of_speech,
)
from situatedgen.rules.clauses.auxiliaries import auxiliary
from situatedgen.rules.clauses.inversion import as_sentence
from situatedgen.rules.clauses.lexicon import words as words_of
from situatedgen.rules.clauses.morphology import is_plural, may_be_base, may_be_participle
from situatedgen.rules.clauses.tidying import spaced, unmarked

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

    from situatedgen.rules.clauses.work import Parsing

_FRAME = "It is "
_KNOWN = "I know that "
_ARROW = re.compile(r"\s*(?:->|-->|→|=>)\s*")
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})


_COMMON_VERBS = words_of("feel get be have make go take become look stay keep find see do give say eat buy")
_OBJECT_PRONOUNS = words_of("me you him her it us them")
_COMPOUND_HEADS = words_of(
    "thing things event events room rooms bag bags pool alley mall malls center centre area store lot rink machine desk table cabinet"
    " board boat line track ground garage place site facility home house car cart gum light lights water equipment creature being"
    " band book books shop team partner material materials party stick pad pot wall door bell organism organisms school club range field yard goods utensil glass oven contest lane star waters"
)


class Form(StrEnum):
    """What kind of phrase an answer is."""

    NOUN = "noun"
    VERB = "verb"
    GERUND = "gerund"
    INFINITIVE = "infinitive"
    ADVERBIAL = "adverbial"
    ADJECTIVE = "adjective"
    CLAUSE = "clause"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer as it stands inside a sentence.

    `noun` is the same with the article it needs; `may_be_verb` says that its first word may be the base of a verb;
    `head` is its head noun in small letters, `is_name` says that it begins with a capital, `adjectival` that it may
    describe a noun. `clause` holds subject, verb and the rest of a clause with a plain verb.
    """

    text: str
    form: Form
    noun: str
    plural: bool
    may_be_verb: bool
    head: str
    is_name: bool
    adjectival: bool
    clause: tuple[str, str, str] | None = None

    @property
    def place(self) -> str:
        """The noun phrase where a place is asked for: "china" is the country there."""
        named = true_case(f"in {self.text}").removeprefix("in ")
        return self.noun if named == self.text else named


def understand(text: str) -> Parsing[Answer]:
    """The answer, its form judged from its parse alone and in a frame."""
    bare = _owned(inside(_listed(_unended(text))))
    ended = text.strip().endswith(".")
    alone, framed, *known = yield [as_sentence(bare), f"{_FRAME}{bare}.", *([f"{_KNOWN}{bare}."] if ended else [])]
    phrase = framed[2 : _last(framed)]
    form = Form.QUESTION if text.strip().endswith("?") else _form(bare, alone, phrase, ended=ended)
    if form is Form.NOUN and known and _is_known(known[0]):
        form = Form.CLAUSE
    head = _head_noun(phrase)
    noun = with_article(bare, phrase) if form is Form.NOUN else bare
    first = bare.split(" ", 1)[0].lower()
    verbal = may_be_base(first) and "VERB" in parts_of_speech(first) and first not in DETERMINERS
    adjectival = form is Form.ADJECTIVE or (phrase.root.tag_ == "JJ" and "ADJ" in parts_of_speech(bare))
    clause = _clause_parts(alone) if form is Form.CLAUSE else None
    return Answer(bare, form, noun, _is_plural(phrase, form), verbal, head, bare[:1].isupper(), adjectival, clause)


def _is_known(known: Doc) -> bool:
    """A text with a period that "I know that …" shows to be a clause."""
    clause = next((child for child in known[1].rights if child.dep_ == "ccomp"), None)
    if known[1].dep_ != "ROOT" or clause is None:
        return False
    subject = any(child.dep_ in {"nsubj", "nsubjpass", "expl"} and child.i > 2 for child in clause.lefts)
    finite = clause.tag_ in _FINITE or any(child.tag_ in _FINITE for child in clause.lefts)
    return subject and finite and "VERB" in parts_of_speech(clause.lower_)


def _clause_parts(alone: Doc) -> tuple[str, str, str] | None:
    """Subject, verb and rest of a clause whose verb has no auxiliary before it."""
    root = next(token for token in alone if token.dep_ == "ROOT")
    subject = next((child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass"}), None)
    if subject is None or root.pos_ != "VERB" or subject.right_edge.i + 1 != root.i:
        return None
    return alone[: root.i].text, root.text, unmarked(alone[root.i + 1 :].text)


def _listed(text: str) -> str:
    """Steps and enumerations as they are spoken: "a -> b -> c" and "a, b" as "a, b, and c" and "a and b"."""
    parts = [part for part in _ARROW.split(text) if part]
    if len(parts) > 1:
        return " to ".join(parts) if len(parts) == 2 else ", then ".join(parts)
    pieces = text.split(", ")
    short = all(len(piece.split()) <= 3 for piece in pieces)
    if len(pieces) > 1 and short and not re.search(r"\b(?:and|or|but|then|only|also|not)\b|[A-Z]", text):
        return " and ".join(pieces) if len(pieces) == 2 else ", ".join(pieces[:-1]) + ", and " + pieces[-1]
    return text


def _unended(text: str) -> str:
    """The answer without its final mark, but for the period of "U.S." and "p.m."."""
    bare = unmarked(spaced(text))
    return bare if re.search(r"\b(?:[A-Z]\.[A-Z]|[ap]\.m|etc|D\.C)\.$", bare) else bare.rstrip(".")


def _owned(text: str) -> str:
    return f"one's {text}" if text.startswith("own ") else text


def _last(framed: Doc) -> int:
    return len(framed) - 1 if len(framed) > 3 and framed[-1].is_punct else len(framed)


def _form(text: str, alone: Doc, phrase: Span, *, ended: bool) -> Form:
    words = text.lower().split()
    if words[0] == "to" and len(words) > 1 and may_be_base(words[1]):
        return Form.INFINITIVE
    if words[0] in {"how", "what", "why", "where", "whether", "which", "who"}:
        return Form.NOUN
    if _is_clause(alone, ended=ended):
        return Form.CLAUSE
    if _is_adverbial(words):
        return Form.ADVERBIAL
    if _is_gerund(words, alone, phrase):
        return Form.GERUND
    if len(words) > 1 and _is_verb_with_word(words):
        return Form.VERB
    if _is_adjective(words, phrase):
        return Form.ADJECTIVE
    return Form.VERB if _is_verb(words, alone, phrase) else Form.NOUN


def _is_clause(alone: Doc, *, ended: bool) -> bool:
    root = next(token for token in alone if token.dep_ == "ROOT")
    subjects = [child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass", "expl", "csubj"}]
    finite = root.tag_ in _FINITE or any(
        child.dep_ in {"aux", "auxpass"} and child.tag_ in _FINITE for child in root.lefts
    )
    if (ended and _ends_in_verb(alone)) or _hides_verb(alone):
        return True
    if not subjects or not finite or auxiliary(alone[0].text) is not None:
        return False
    if (
        root.tag_ == "VBD"
        and may_be_participle(root.lower_)
        and not ended
        and not any(child.dep_ in {"dobj", "aux"} for child in root.children)
    ):
        return False
    first = alone[0].lower_
    if not ended and (", then " in alone.text or (len(alone) <= 4 and is_plural_noun(root.text))):
        return False
    if len(alone) <= 3 and may_be_base(first) and "VERB" in parts_of_speech(first) and not ended:
        return False
    return root.pos_ in {"VERB", "AUX"} and subjects[0].i < root.i and alone[0].lower_ not in SUBORDINATORS


def _ends_in_verb(alone: Doc) -> bool:
    """A sentence whose last word, read as a noun, may be its verb: "The height increases."."""
    last = alone[-2] if alone[-1].is_punct and len(alone) > 2 else alone[-1]
    verbal = "VERB" in parts_of_speech(last.lower_) and last.lower_.endswith("s")
    return alone[0].lower_ in {"the", "a", "an", "its", "their"} and last.tag_ == "NNS" and verbal


def _hides_verb(alone: Doc) -> bool:
    """ "A hurricane moves …" read as a noun phrase: a plural head under "a" is the verb."""
    root = next(token for token in alone if token.dep_ == "ROOT")
    verbal = root.tag_ == "NNS" and "VERB" in parts_of_speech(root.lower_) and root.i > 1
    return alone[0].lower_ in {"a", "an"} and alone[0].head.i == root.i and verbal and root.i + 1 < len(alone) - 1


def _is_adverbial(words: list[str]) -> bool:
    if len(words) == 1:
        return words[0] in noun_list("adverbs") or (words[0].endswith("ly") and "ADV" in parts_of_speech(words[0]))
    return words[0] in PREPOSITIONS | SUBORDINATORS and words[0] not in {"past", "like"} or words[:2] == ["due", "to"]


def _is_gerund(words: list[str], alone: Doc, phrase: Span) -> bool:
    first = words[0]
    if not first.endswith("ing") or "VERB" not in parts_of_speech(first):
        return False
    if first == "being" and len(words) > 1:
        return True
    if first in NOUNS_IN_ING:
        following = parts_of_speech(words[1]) if len(words) > 1 else {}
        return "ADJ" in following and "NOUN" not in following or bool(words[1:]) and may_be_participle(words[1])
    if len(words) == 1:
        return True
    if words[-1] in _COMPOUND_HEADS and len(words) == 2:
        return False
    compound = phrase[0].dep_ in {"compound", "amod"} and alone[0].dep_ in {"compound", "amod"}
    return not compound and not (len(words) == 2 and phrase[0].dep_ in {"compound", "amod"})


def _is_adjective(words: list[str], phrase: Span) -> bool:
    last = words[-1]
    if phrase.text[0].isupper():
        return False
    if (
        len(words) > 1
        and may_be_participle(words[0])
        and words[1] in PREPOSITIONS
        and "NOUN" not in parts_of_speech(words[0])
    ):
        return True
    if len(words) <= 3 and is_adjective_only(last) and last not in noun_list("mass"):
        return True
    root = phrase.root
    return len(words) == 1 and (
        root.tag_ in {"JJ", "JJR", "JJS", "VBN"}
        and (("ADJ" in parts_of_speech(last) and "NOUN" not in parts_of_speech(last)) or may_be_participle(last))
    )


def _is_verb_with_word(words: list[str]) -> bool:
    """A verb with an adjective, an adverb or a particle: "fall asleep", "go down"."""
    found = parts_of_speech(words[0])
    return may_be_base(words[0]) and "VERB" in found and "ADJ" not in found and _follows_verb(words[1])


def _is_verb(words: list[str], alone: Doc, phrase: Span) -> bool:
    first = words[0]
    found = parts_of_speech(first)
    if len(words) > 1 and set(found) == {"VERB"} and not may_be_base(first) and not first.endswith("ing"):
        return phrase[0].tag_ in {"VBD", "VBN", "VBZ"} and alone[0].dep_ == "ROOT" and words[1] not in PREPOSITIONS
    if not may_be_base(first) or "VERB" not in found or first in DETERMINERS:
        return False
    if len(words) > 1 and words[1] in {"in", "of", "from", "for"} and "NOUN" in found:
        return False
    if (
        len(words) > 2
        and words[1] == "to"
        and first in {"time", "need", "desire", "place", "plan", "chance", "right", "way"}
    ):
        return False
    if len(words) > 1 and first in _COMMON_VERBS:
        return True
    if not {"NOUN", "ADJ"} & set(found) or (len(words) > 1 and words[1] in DETERMINERS | _OBJECT_PRONOUNS):
        return True
    return len(words) > 1 and alone[0].tag_ in {"VB", "VBP"} and phrase[0].tag_ in {"VB", "VBP"}


def _follows_verb(word: str) -> bool:
    """A word that follows verbs and not nouns: an adjective, an adverb, a particle."""
    found = set(parts_of_speech(word))
    return (
        bool(found)
        and found <= {"ADJ", "ADV"}
        and word not in PREPOSITIONS
        or word in {"up", "out", "off", "away", "themselves", "himself", "yourself"}
    )


def _head_noun(phrase: Span) -> str:
    for token in phrase[1:]:
        after = token.pos_ == "ADP" or token.tag_ in {"VBG", "VBN", "WDT", "WP", "TO"}
        if after and phrase.doc[token.i - 1].pos_ in {"NOUN", "PROPN"}:
            return str(phrase.doc[token.i - 1].lower_)
    return str(phrase[-1].lower_)


def _is_plural(phrase: Span, form: Form) -> bool:
    if form is not Form.NOUN or re.match(r"^[\d.,°%$]+\S*(?:\s*(?:[xX×^°%]|[A-Z°]\b).*)?$", phrase.text):
        return False
    if re.match(r"^(?:(?!\b(?:of|in|on|for|with|from|to|that|between|by|at)\b).)*\band\b", phrase.text):
        return True
    if phrase.text[0].isupper() and phrase[-1].lower_ in {"states", "netherlands", "philippines", "bahamas"}:
        return False
    if is_plural_noun(_head_noun(phrase)):
        return True
    root = phrase.root
    head = next((token for token in phrase if token.lower_ == _head_noun(phrase)), root)
    found = is_plural(root if root.pos_ in {"NOUN", "PROPN", "PRON"} else head)
    return bool(found)
