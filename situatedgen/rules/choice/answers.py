"""What an answer is: its form, its noun phrase with the article it needs, its number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.rules.casing import MONTHS, true_case
from situatedgen.rules.choice.articles import with_article
from situatedgen.rules.choice.casing import inside
from situatedgen.rules.choice.forms import Form, form_of
from situatedgen.rules.choice.lexicon import DETERMINERS, is_plural_noun, parts_of_speech
from situatedgen.rules.choice.sentences import clause_parts, is_clause_framed
from situatedgen.rules.clauses.inversion import as_sentence
from situatedgen.rules.clauses.morphology import is_plural, may_be_base
from situatedgen.rules.clauses.tidying import spaced, unmarked

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

    from situatedgen.rules.clauses.work import Parsing

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
    """An answer as it stands inside a sentence.

    `noun` is the same with the article it needs; `may_be_verb` says that its first word may be the base of a
    verb, `adjectival` that it may describe a noun; `head` is its head noun in small letters; `clause` holds
    subject, verb and the rest of a clause with a plain verb.
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
        """The answer begins with a capital."""
        return self.text[:1].isupper()

    @property
    def place(self) -> str:
        """The noun phrase where a place is asked for: "china" is the country there."""
        named = true_case(f"in {self.text}").removeprefix("in ")
        return self.noun if named == self.text else named


def understand(text: str, *, of_time: bool = False) -> Parsing[Answer]:
    """The answer, its form judged from its parse alone and in frames; of a time, "march" and "may" are months."""
    bare = _owned(inside(_listed(_unended(text))))
    is_month = of_time and bare.capitalize() in MONTHS
    if is_month:
        bare = bare.capitalize()
    ended = text.strip().endswith(".")
    frames = [as_sentence(bare), f"It is {bare}.", *([f"I know that {bare}."] if ended else [])]
    alone, framed, *known = yield frames
    phrase = framed[2 : _last(framed)]
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
        plural=_is_plural(phrase) and not _EVENT.match(bare) if form is Form.NOUN else bool(_GERUNDS.match(bare)),
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


def _listed(text: str) -> str:
    """Steps and lists as they are spoken: "a -> b -> c" as "a, then b, then c", "a, b" as "a and b"."""
    steps = [step for step in _ARROW.split(text) if step]
    if len(steps) > 1:
        return " to ".join(steps) if len(steps) == 2 else ", then ".join(steps)
    pieces = text.split(", ")
    apposed = len(pieces) == 2 and pieces[1].startswith(("a ", "an ", "the "))
    if len(pieces) == 1 or apposed or _NOT_A_LIST.search(text) or any(len(piece.split()) > 3 for piece in pieces):
        return text
    return " and ".join(pieces) if len(pieces) == 2 else ", ".join(pieces[:-1]) + ", and " + pieces[-1]


def _unended(text: str) -> str:
    """The answer without its final mark, but for the period of "U.S." and "p.m."."""
    bare = unmarked(spaced(text))
    return bare if _ABBREVIATION.search(bare) else bare.rstrip(".")


def _owned(text: str) -> str:
    return f"one's {text}" if text.startswith("own ") else text


def _last(framed: Doc) -> int:
    return len(framed) - 1 if len(framed) > 3 and framed[-1].is_punct else len(framed)


def _head_noun(phrase: Span) -> str:
    """The noun before the first preposition, participle or relative, in small letters."""
    for token in phrase[1:]:
        after = token.pos_ == "ADP" or token.tag_ in {"VBG", "VBN", "WDT", "WP", "WRB", "TO"}
        if after and phrase.doc[token.i - 1].pos_ in {"NOUN", "PROPN"}:
            return str(phrase.doc[token.i - 1].lower_)
    return str(phrase[-1].lower_)


def _is_plural(phrase: Span) -> bool:
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
