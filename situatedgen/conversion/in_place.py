"""Statements from questions whose wh-phrase is inside or at the end, and from stems that the answer completes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from situatedgen.conversion.adverbs import place_phrase, reason, time_phrase
from situatedgen.conversion.answer import Answer, Form
from situatedgen.conversion.clauses import kind_end, root_of
from situatedgen.conversion.draft import Draft
from situatedgen.conversion.fronted import state_identity
from situatedgen.conversion.gap import (
    gerund,
    infinitive,
    is_named_place,
    is_verbal,
    replace_tokens,
    slot_words,
    verb_phrase,
)
from situatedgen.conversion.lexicon import (
    DETERMINERS,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    SUBORDINATORS,
    noun_list,
    parts_of_speech,
    verb_lemma,
    verb_list,
    words,
)
from situatedgen.conversion.morphology import AuxiliaryKind, auxiliary, may_be_participle
from situatedgen.conversion.question import AskedNoun, read_kind

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

    from situatedgen.conversion.answer import Answer
    from situatedgen.conversion.question import Asked

_INTENSIFIERS = words("very so more too quite most less little")
_OWNERS = frozenset({"PRP$", "POS"})


def is_determined(before: Token) -> bool:
    """Whether the preceding words make an article superfluous: "the big", "a very", "his"."""
    if before.lower_ in DETERMINERS | {"'s", "’s"} or before.tag_ in _OWNERS:
        return True
    return (
        before.tag_ in {"JJ", "JJR"} or before.lower_ in _INTENSIFIERS or opens_determined(before) or _describes(before)
    )


def _describes(before: Token) -> bool:
    """Whether an adjective or participle follows a determiner, whatever the parse says: "a dwindling"."""
    place = before.i - 1
    while place > max(before.i - 3, 0) and before.doc[place].pos_ in {"ADJ", "ADV", "PROPN"}:
        place -= 1
    if place < 0 or before.pos_ in {"ADP", "AUX"}:
        return False
    if not (before.doc[place].lower_ in {"a", "an", "the"} or before.doc[place].tag_ in _OWNERS):
        return False
    return before.tag_ in {"VBG", "VBN", "VBD"} or "ADJ" in parts_of_speech(before.lower_)


def takes_verb(before: Token) -> bool:
    """Whether a verb may follow: after "to", a modal, a subject, or a conjunction."""
    if before.lower_ in SUBJECT_PRONOUNS | {"to"} or before.tag_ in {"MD", "RB"}:
        return True
    moved = auxiliary(before.text)
    return before.pos_ in {"NOUN", "PROPN", "CCONJ"} or (
        moved is not None and moved.kind in {AuxiliaryKind.DO, AuxiliaryKind.MODAL}
    )


def verb_tag(before: Token) -> str:
    """The Penn tag of a verb after a word: base form after "to" or a modal, else like the sentence's other verbs."""
    near = before.doc[max(before.i - 2, 0) : before.i + 1]
    if before.lower_ == "to":
        return "VB"
    if any(verb_lemma(word.text) == "be" for word in near) or _continues_gerund(before):
        return "VBG"
    if before.lower_ in {"and", "or", "just", "only"} or any(map(_asks_base, near)):
        return "VB"
    if any(token.tag_ == "VBD" for token in before.doc):
        return "VBD"
    return "VBZ" if before.lower_ in {"he", "she", "it"} or before.tag_ in {"NN", "NNP"} else "VB"


def _asks_base(word: Token) -> bool:
    return bool(word.tag_ == "MD" or word.lower_ in {"to", "n't", "not"})


def _continues_gerund(before: Token) -> bool:
    """Whether a conjunction follows a gerund and its words: "having fun and"."""
    gerunds = any(word.tag_ == "VBG" for word in before.doc[max(before.i - 4, 0) : before.i])
    return before.lower_ in {"and", "or"} and gerunds


def _takes_noun(opening: Token) -> bool:
    return bool(opening.tag_ == "PRP$" or opening.lower_ in {"a", "an"})


def opens_determined(before: Token) -> bool:
    """Whether this is an adjective or adverb after a determiner, or a noun after a possessive.

    For example "a very" and "her dream".
    """
    place = before.i
    while place and before.doc[place].pos_ in {"ADJ", "ADV", "PUNCT", "NOUN", "PROPN"} and place > before.i - 4:
        place -= 1
    opening = before.doc[place]
    determined = opening.lower_ in DETERMINERS or opening.tag_ in _OWNERS
    fitting = before.pos_ in {"ADJ", "ADV", "PROPN"} or (before.pos_ == "NOUN" and _takes_noun(opening))
    return place < before.i and determined and fitting


_TO_NOUN = words("lead refer devote due close similar prone attribute contribute adapt look")
_DO_TAGS = {"do": "VB", "does": "VBZ", "did": "VBD", "doing": "VBG", "done": "VBN"}
_RELATIVES = words("that which whose where")


def state_inside_what(token: Token, answer: Answer) -> Draft:
    """The sentence with the answer in place of "what" or "which" and its noun."""
    before = token.nbor(-1)
    if before.lower_ in _DO_TAGS and is_verbal(answer):
        return _fill_do(token, before, answer)
    if before.lower_ == "done" and may_be_participle(answer.text):
        return Draft(replace_tokens(token.doc, before.i, token.i + 1, answer.text), "inside_do")
    end = kind_end(token)
    kind = read_kind(token.doc[token.i + 1 : end].text)
    if _keeps_gerund(before, answer):
        return Draft(replace_tokens(token.doc, token.i, end, answer.text), "inside_what")
    if end == token.i + 1 and _asks_verb(before, answer):
        return Draft(replace_tokens(token.doc, token.i, end, verb_phrase(answer, verb_tag(before))), "inside_verb")
    if is_determined(before):
        phrase = _without_article(answer).removeprefix("one's own " if before.lower_ == "own" else "\0")
        return Draft(replace_tokens(token.doc, token.i, token.i + 1, phrase), "inside_noun")
    if before.lower_ == "because" and answer.form is Form.NOUN:
        return Draft(replace_tokens(token.doc, token.i, end, f"of {answer.noun}"), "inside_odd")
    if answer.form is Form.CLAUSE and before.pos_ == "ADP":
        return Draft(replace_tokens(token.doc, token.i, end, answer.text), "inside_odd")
    restricted = kind.restricts and not is_named_place(kind, answer)
    fits = answer.form is Form.NOUN and not restricted
    shape = (
        ("inside_kind" if fits else "inside_kind_odd")
        if kind.text
        else "inside_odd"
        if _is_stray_verb(before, answer)
        else "inside_what"
    )
    draft = Draft(replace_tokens(token.doc, token.i, end, _noun_words(token, end, kind, answer)), shape)
    strange = answer.form is Form.GERUND and verb_lemma(before.text) == "feel"
    return draft.doubted(0.6) if strange else draft


def _is_stray_verb(before: Token, answer: Answer) -> bool:
    """Whether a verb phrase fits nowhere ("should have what done"), or "do" lacks one."""
    if verb_lemma(before.text) == "do":
        return True
    return answer.form is Form.VERB and verb_lemma(before.text) in {"have", "be"}


def _fill_do(token: Token, before: Token, answer: Answer) -> Draft:
    """Replace "do what" by the answer; before "to" its verb rarely fits."""
    tag = "VBP" if before.tag_ == "VBP" and before.lower_ == "do" else _DO_TAGS[before.lower_]
    target = token.i + 1 < len(token.doc) and token.nbor().lower_ in {"to", "with", "about", "for"}
    listed = token.doc[token.i + 1 : token.i + 3].text.lower() in {"of the", "of these"}
    text = replace_tokens(token.doc, before.i, kind_end(token) if listed else token.i + 1, verb_phrase(answer, tag))
    return Draft(text, "inside_do_odd" if target else "inside_do")


def _keeps_gerund(before: Token, answer: Answer) -> bool:
    """Whether a gerund stays one: after "lead to", and after an adverb without a modal before it."""
    if answer.form is not Form.GERUND:
        return False
    if before.lower_ == "to":
        return verb_lemma(before.head.text) in _TO_NOUN
    if before.tag_ != "RB" or not before.i:
        return False
    earlier = before.nbor(-1)
    return earlier.tag_ != "MD" and earlier.lower_ not in SUBJECT_PRONOUNS - {"it"}


def _asks_verb(before: Token, answer: Answer) -> bool:
    infinitive = before.lower_ == "to" and verb_lemma(before.head.text) not in _TO_NOUN
    helped = _before_adverbs(before).tag_ == "MD" or (
        before.tag_ == "RB" and _before_adverbs(before).lower_ in _DO_TAGS
    )
    subject = infinitive or before.lower_ in SUBJECT_PRONOUNS - {"there"} or helped
    joined = before.lower_ in {"and", "or"} and before.i > 0 and before.nbor(-1).tag_ == "VB" and answer.may_be_verb
    return takes_verb(before) and is_verbal(answer) and (answer.form is not Form.NOUN or subject or joined)


def _noun_words(token: Token, end: int, kind: AskedNoun, answer: Answer) -> str:
    before = token.nbor(-1)
    if not kind.text and (_takes_adjective(before, answer) or _names_kind(before)):
        return answer.text
    if kind.text and answer.place[:1].isupper() and _is_restricted_after(token.doc, end):
        return f"{slot_words(kind, answer)},"
    if before.lower_ == "by" and before.head.tag_ != "VBN" and " " in answer.text and answer.may_be_verb:
        return verb_phrase(answer, "VBG")
    if not kind.text and answer.form is Form.VERB and before.pos_ == "VERB":
        return _after_verb(verb_lemma(before.text), answer)
    if before.pos_ == "ADP" and not kind.text and answer.form is not Form.ADJECTIVE:
        return gerund(answer)
    return slot_words(kind, answer)


def _takes_adjective(before: Token, answer: Answer) -> bool:
    """Whether the answer is a predicate: after a linking verb, "as", or an adjective joined to it."""
    links = before.lower_ == "as" or verb_lemma(_before_adverbs(before).text) in verb_list("linking")
    joined = before.lower_ in {"and", "or", "yet", "but"} and before.i > 0 and before.nbor(-1).pos_ == "ADJ"
    described = "ADJ" in parts_of_speech(answer.text) or answer.form is Form.ADJECTIVE
    return (answer.adjectival and links) or (joined and described)


def _names_kind(before: Token) -> bool:
    """Whether the word before names a kind: "a type of"."""
    return before.lower_ == "of" and before.i > 0 and before.nbor(-1).lower_ in {"type", "kind", "sort", "form"}


def _after_verb(verb: str, answer: Answer) -> str:
    """A verb phrase after another verb: "avoid getting wet", "need to have rest", "make him feel safe"."""
    if verb in verb_list("to_infinitive"):
        return infinitive(answer)
    return verb_phrase(answer, "VBG") if verb in verb_list("to_gerund") else answer.text


def _before_adverbs(token: Token) -> Token:
    """The word itself, or the one before it and other adverbs: "was" for "was always"."""
    while token.i and token.tag_ == "RB":
        token = token.nbor(-1)
    return token


def _is_restricted_after(doc: Doc, end: int) -> bool:
    """Whether a participle or a relative clause follows the noun that was asked about."""
    return end < len(doc) and (doc[end].tag_ == "VBN" or doc[end].lower_ in _RELATIVES)


def _without_article(answer: Answer) -> str:
    first, _, rest = answer.text.partition(" ")
    return rest if first.lower() in {"a", "an", "the"} and rest else answer.text


_ARTICLES = words("a an the this that some any no each every another")
_ADVERBS = words("up down out over off")
_MEASURED = words("long many much far often")


def state_inside(doc: Doc, asked: Asked, answer: Answer) -> Draft:
    """The sentence with the answer in place of its question phrase.

    Example:
        "…when large amounts of people moved where?" + "suburbs" gives "…moved to the suburbs".
    """
    token = doc[asked.word]
    rules = {"where": _fill_where, "when": _fill_when, "why": _fill_why, "how": _fill_how}
    return rules.get(token.lower_, state_inside_what)(token, answer)


def _fill_where(token: Token, answer: Answer) -> Draft:
    before = token.nbor(-1) if token.i else token
    last = token.i + 1 == len(token.doc) or token.nbor().is_punct
    shape = "inside_where_end" if last else "inside_where"
    if _is_inside_noun(before):
        phrase = answer.text
    elif before.lower_ in PREPOSITIONS - _ADVERBS:
        phrase = answer.noun
    else:
        phrase = place_phrase(answer, _verb_before(token))
    return Draft(replace_tokens(token.doc, token.i, token.i + 1, phrase), shape)


def _is_inside_noun(before: Token) -> bool:
    """Whether the question word continues a noun phrase: "the where", "in rural where"."""
    if (
        before.lower_ in _ARTICLES
        or before.tag_ == "PRP$"
        or (before.pos_ in {"ADJ", "ADV"} and opens_determined(before))
    ):
        return True
    return bool(before.pos_ == "ADJ" and before.i and before.nbor(-1).pos_ == "ADP")


def _verb_before(token: Token) -> str:
    """The verb whose place is asked for, if only a particle stands in between."""
    before = token.nbor(-1) if token.i else token
    if before.tag_ == "RP" and before.i:
        before = before.nbor(-1)
    if before.pos_ in {"VERB", "AUX"}:
        return verb_lemma(before.text)
    if before.lower_ in noun_list("taken"):
        return ""
    lemma = verb_lemma(token.head.text) if token.head.pos_ == "VERB" and token.head.i < token.i else ""
    return "" if lemma == "get" and any(child.dep_ == "dobj" for child in token.head.rights) else lemma


def _fill_when(token: Token, answer: Answer) -> Draft:
    after_preposition = token.i and token.nbor(-1).lower_ in PREPOSITIONS
    phrase = answer.noun if after_preposition else time_phrase(answer)
    return Draft(replace_tokens(token.doc, token.i, token.i + 1, phrase), "inside_when")


def _fill_why(token: Token, answer: Answer) -> Draft:
    return Draft(replace_tokens(token.doc, token.i, token.i + 1, reason(answer)), "inside_why")


def _fill_how(token: Token, answer: Answer) -> Draft:
    end = kind_end(token)
    degree = token.i + 1 < len(token.doc) and token.nbor().lower_ in _MEASURED
    if end > token.i + 1 or degree:
        return Draft(replace_tokens(token.doc, token.i, max(end, token.i + 2), answer.text), "inside_amount")
    return Draft(replace_tokens(token.doc, token.i, token.i + 1, answer.text), "inside_how")


_CONJUNCTION = re.compile(r"[\s,;]*\b(?P<word>so|but|and|then|yet)$", re.I)
_LEAD_WORDS = SUBORDINATORS | words(
    "in on at during of by with from to for under until upon within among despite compared based given instead due"
    " according without besides like"
)
_ENDS_IN_LEAD = re.compile(
    r"(?:,\s*|\b(?:but|and|so)\s+)(?:when|if|after|while|once|as|because|since|to)\b[^,]*$", re.I
)
_WHERE_IS = re.compile(
    r"^(?:where|(?P<noun>(?:in )?(?:what|which) (?:state|country|city|place|town|region|continent)))\s+"
    r"(?:is|are|was|were|am)\s+"
    r"(?:most )?(?P<hedge>likely |probably )?"
    r"(?P<who>i|you|he|she|it|we|they|this|that|(?:the|this|that|a|an) \w+|[A-Z]\w+)"
    r"(?P<after> most likely| likely| probably)?(?P<verb> located| found| at| in| situated| \w+(?:ed|t|n))?\??$",
    re.I,
)


def join_lead(lead: Span, draft: Draft) -> Draft:
    """Join the lead-in and the statement made from the question after it.

    Example:
        "The king needed to feel safe" + "he went to a castle" gives "The king needed to feel safe, and he went to a
        castle".
    """
    text = lead.text.rstrip(" ,;:-")
    conjunction = _CONJUNCTION.search(text)
    if conjunction:
        start = text[: conjunction.start()].rstrip(" ,;")
        return _with_lead(f"{start}, {conjunction['word'].lower()} {draft.text}", "late_joined", draft)
    if is_full(lead):
        return _with_lead(f"{text}, and {draft.text}", "late_clause", draft)
    return _with_lead(f"{text}, {draft.text}", "late_lead", draft)


def place_lead(lead: Span, clause: str, answer: Answer) -> Draft | None:
    """The lead-in with the answer as its place, if the question only asks where its subject is; else None.

    Example:
        "The ranch house was built outside of Butte", "where was it located?", "Montana" gives "The ranch house was
        built outside of Butte in Montana".
    """
    found = _WHERE_IS.match(clause)
    if found is None or not is_full(lead) or _CONJUNCTION.search(lead.text):
        return None
    if found["noun"] and not (found["noun"].lower().startswith("in ") or (found["verb"] or "").strip() in {"in", "at"}):
        return None
    if not _is_of_lead(found["who"], lead) or not _repeats_verb(found["verb"] or "", lead):
        return None
    hedge = (found["hedge"] or found["after"] or "").strip()
    glue = f", {hedge} " if hedge else " "
    shape = "late_place" if answer.place[:1].isupper() else "late_place_odd"
    return Draft(f"{lead.text.rstrip(' ,;:-')}{glue}{place_phrase(answer)}", shape)


def _repeats_verb(verb: str, lead: Span) -> bool:
    """Whether the question's verb adds nothing to "is there" or to the lead-in."""
    word = verb.strip().lower()
    return word in {"", "located", "found", "at", "in", "situated"} or word in {token.lower_ for token in lead}


def _is_of_lead(who: str, lead: Span) -> bool:
    """Whether the subject asked about is a pronoun, or a noun of the lead-in."""
    last = who.lower().split()[-1]
    return last in SUBJECT_PRONOUNS | {"this", "that"} or last in {token.lower_ for token in lead}


def _with_lead(text: str, lead: str, draft: Draft) -> Draft:
    return Draft(text, f"{lead}.{draft.shape}", draft.doubt)


def is_full(lead: Span) -> bool:
    """Whether the lead-in is a complete clause: a finite verb with its subject, and no initial subordinator."""
    root, first = root_of(lead), lead[0]
    subject = next((child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass", "expl", "csubj"}), None)
    subordinate = any(child.dep_ == "mark" or child.tag_ == "WRB" for child in root.lefts)
    if len(lead) == 1 or subject is None or subordinate or _ENDS_IN_LEAD.search(lead.text):
        return False
    if first.pos_ == "ADP" and first.dep_ == "prep" and first.head.i == root.i:
        return True
    participle = first.tag_ == "VBG" and first.dep_ not in {"csubj", "amod", "compound"}
    after_comma = any(token.lower_ == "," and token.i < subject.left_edge.i for token in lead)
    return after_comma or not (participle or first.lower_ in _LEAD_WORDS)


_BLANK = re.compile(r"_{2,}(?:\s*,?\s*_{2,})*|\.{4,}|…")
_OPEN_END = re.compile(r"[\s:\-–—.…]+$")
_ENDED = re.compile(r"[.!?]$")


def has_blank(text: str) -> bool:
    """Whether the text has a blank to fill."""
    return bool(_BLANK.search(text))


def fill_blank(text: str, answer: Answer) -> Draft:
    """The text with the answer in its blank.

    Example:
        "The ____ is the closest star." + "Sun" gives "The Sun is the closest star".
    """
    blanks = _BLANK.findall(text)
    before = text[: _BLANK.search(text).start()].split()  # type: ignore[union-attr]
    words = answer.text if before and before[-1].lower() in DETERMINERS else answer.noun
    return Draft(_BLANK.sub(lambda _: words, text, count=1), "blank").doubted(1.0 if len(blanks) == 1 else 0.1)


def is_open(text: str) -> bool:
    """Whether the text is unfinished, so that the answer continues it."""
    return not _ENDED.search(text.rstrip())


def complete(text: str, answer: Answer) -> Draft:
    """The text followed by the answer that completes it.

    Example:
        "A seed grows into a" + "plant." gives "A seed grows into a plant".
    """
    stem = _OPEN_END.sub("", text)
    return Draft(f"{stem} {answer.text}", "open_stem")


_DOES_THIS = re.compile(r" (?:do|doing) this[?.]?$", re.I)
_ENDS_IN_THIS = re.compile(r" this[?.]?$", re.I)
_NAME_IT = re.compile(r"^(?:name|identify) (?P<noun>(?:an?|one|something|the|another) .+?)[.?]?$", re.I)
_THIS_PLACE = re.compile(
    r"\bthis (?:place|state|country|city|region|area|town|store|building|room|appointment)\b"
    r"(?P<related> (?:whose|where|that|which)\b)?"
)
_HERE = re.compile(r" here[?.]$", re.I)
_ONE_OF_THESE = re.compile(r" one of these[?.]$", re.I)


def _replace_place(match: re.Match[str], answer: Answer) -> str:
    """Replace "this state" by the answer; a name before a relative clause takes a comma."""
    related = match["related"] or ""
    if not (answer.place[:1].isupper() and related):
        return f"{answer.place}{related}"
    return f"{answer.place}, {'which' if related == ' that' else related.strip()}"


def point(text: str, answer: Answer) -> Draft | None:
    """The stem with the answer in place of the last word that points at it ("here", "this"); None without one.

    Example:
        "You can buy a pen here." + "office supply store" gives "You can buy a pen at an office supply store".
    """
    if named := _NAME_IT.match(text):
        return replace(state_identity(named["noun"], "is", answer, read_kind("")), shape="pointed")
    if len(_THIS_PLACE.findall(text)) == 1 and not text.endswith("?"):
        return Draft(_THIS_PLACE.sub(lambda match: _replace_place(match, answer), text), "pointed")
    if _HERE.search(text):
        return Draft(_HERE.sub(f" {place_phrase(answer)}", text), "pointed")
    if _ONE_OF_THESE.search(text):
        return Draft(_ONE_OF_THESE.sub(f" {answer.noun}", text), "pointed")
    if _DOES_THIS.search(text) and is_verbal(answer):
        tag = "VBG" if text.lower().rstrip("?.").endswith("doing this") else "VB"
        return Draft(_DOES_THIS.sub(f" {verb_phrase(answer, tag)}", text), "open_question")
    if _ENDS_IN_THIS.search(text):
        return replace(complete(_ENDS_IN_THIS.sub("", text), answer), shape="open_question")
    return None
