"""Whether a statement stands by itself as good English: whole, no question, and nothing that points at nothing."""

import re

from situatedgen.records import Token
from situatedgen.rules.casing import MONTHS
from situatedgen.rules.naming import name_form
from situatedgen.screening.clauses import Clause
from situatedgen.screening.kinds import kind_at
from situatedgen.screening.regions import is_turned_round
from situatedgen.screening.sums import is_wrong_sum

ASKING = frozenset("how what which who whom whose where when why".split())
INVERTED = frozenset("is are was were do does did can could will would has have had should".split())
POINTING = frozenset("he she him her his hers they them their theirs this these those it its such".split())
SPEAKERS = frozenset("i my me we our us your".split())
SOMEONE = frozenset({"someone", "somebody", "something"})
SUBORDINATE = frozenset("because although though whereas unless until that".split())
TOLD_OF = frozenset({"work", "person", "event", "organisation", "team", "building"})
"""Kinds of things of which there are many: "the movie" alone is none in particular."""
UNIQUE = frozenset("war internet world sun government public army church people media press bible".split())
REBUTS = re.compile(
    r"\b(?:actually|in fact|indeed|rather than|instead|whereas|sentence|claim|statement)\b"
    r"|, not\b|\bnot (?:in |on |the |an? )*[A-Z]"
)
"""What answers a claim that is not there: "is actually in Italy, not Africa"."""
ALSO = frozenset({"also", "too", "however", "therefore", "instead", "then", "otherwise"})
TRANSITIVE = frozenset("create found find celebrate release bear hold locate publish build invent establish".split())
"""Verbs that in the past, without an object and without "was", are a broken passive: "X born in Y"."""
FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
MANY = frozenset("many several few these those both various most million thousand hundred dozen billion".split())
MONTH = "|".join(MONTHS)
SLIPS = re.compile(
    rf"""(?:^|\s)['’`](?:\s|$)
    |\b[Ii]n\s(?:{MONTH})\s\d{{1,2}}(?:st|nd|rd|th)?\b
    |\b[Oo]n\s(?:{MONTH}),?\s\d{{4}}\b
    |\b(?:many|some|several|few|most)\sof\s(?!(?:the|these|those|his|her|its|their|our|my|your|them|us|which|whom|all)\b)[a-z]
    |\b(?:occurred|happened|took\splace|held)\s\d{{4}}\b
    |\bamong\sothers\b|\b[Aa]n\s(?:[bcdfgjklmnpqrstvwz]|[BCDFGJKLMNPQRSTVWZ][a-z])
    |\bthe\s\d{{2}}\sand\s\d{{4}}|\bone\stimes\b|\b[Aa]\smillennia\b
    |\b(?:for|as)\s(?:Prime\s)?(?:President|Minister|Governor|Senator|Mayor|King|Queen)s\b""",
    re.VERBOSE,
)
"""Small slips: a stray quote, "in May 5", "on May 1941", "many of dogs", "ran for Presidents"."""
SHOUTED = re.compile(r"\b[A-Z]{2,}(?:\s+[A-Z]{2,}){2,}\b")
TWICE = re.compile(r"\b(\w+) \1\b", re.IGNORECASE)
MARKS = re.compile(r"[;:“”\"()\[\]/…]|--|\.\w|\bit's (?:\w+ )?\w+(?: \w+)?[.,]?$")


def is_question(clause: Clause) -> bool:
    """The statement asks, with a question mark or without."""
    words, text = clause.words, clause.reading.text
    first = text[words[0].start : words[0].end].lower()
    is_inverted = first in INVERTED and len(words) > 1
    return text.rstrip("\"'”’ ").endswith("?") or first in ASKING or is_inverted


def is_dangling(clause: Clause) -> bool:
    """The statement points at something or someone that it does not name."""
    written = [clause.reading.written(word).lower() for word in clause.words]
    if written[0] in POINTING - {"it"} or any(each in ("he", "she", "him") for each in written):
        return True
    if REBUTS.search(clause.reading.text) or any(
        _is_bare(clause, each) for each in (clause.subject, clause.complement)
    ):
        return True
    is_said = clause.subject is not None and written[clause.subject] in (POINTING - {"it"}) | SOMEONE
    before = ["", *written]
    adds = (
        each in ALSO and word.role == "advmod" and before[number] not in ("and", "but")
        for number, (each, word) in enumerate(zip(written, clause.words, strict=True))
    )
    return is_said or any(adds)


def _is_bare(clause: Clause, number: int | None) -> bool:
    """Whether a word means one of many without saying which: "the movie", "the book"."""
    if number is None or clause.words[number].tag != "NN" or clause.words[number].lemma in UNIQUE:
        return False
    below = [clause.words[each] for each in clause.below[number]]
    return [word.lemma for word in below] == ["the"] and kind_at(clause, number) in TOLD_OF


def is_fragment(clause: Clause) -> bool:
    """The statement has no subject, no verb that could be its predicate, or is a part of another: "because …"."""
    if clause.words[0].lemma.lower() in SUBORDINATE and clause.words[0].head in (clause.root, clause.predicate):
        return True
    around = [clause.words[clause.root], *(clause.words[each] for each in clause.arguments("aux", "auxpass", "cop"))]
    return clause.subject is None or not any(word.tag in FINITE for word in around)


def is_broken(clause: Clause) -> bool:
    """The statement is not well-formed: no "was" in a passive, a plural that is none, slips, or several sentences."""
    text = clause.reading.text
    if any(pattern.search(text) for pattern in (SHOUTED, TWICE, MARKS, SLIPS)):
        return True
    if sum(word.role == "ROOT" for word in clause.words) > 1:
        return True
    if is_turned_round(clause.reading) or _repeats(clause) or is_wrong_sum(text):
        return True
    return _disagrees(clause) or _lacks_auxiliary(clause) or _mismatches(clause) or _is_reflexive(clause)


def _repeats(clause: Clause) -> bool:
    """A place or time is named twice: "the President of India lives in India"."""
    named = [each for each in clause.reading.keywords if each.is_place or each.is_time]
    return len({name_form(clause.reading.written(each)) for each in named}) < len(named)


def _disagrees(clause: Clause) -> bool:
    """One thing with a name has a verb in the plural: "Fort Lauderdale are in Florida"."""
    if clause.subject is None or clause.words[clause.subject].tag != "NNP":
        return False
    is_one = not clause.reading.written(clause.words[clause.subject]).endswith("s")
    joined = list(clause.under(clause.subject, "conj", "nmod"))
    is_bare = clause.words[clause.root].tag in ("VBP", "VB") and not clause.arguments("aux", "auxpass")
    return is_one and not joined and is_bare


def _lacks_auxiliary(clause: Clause) -> bool:
    word = clause.words[clause.root]
    helped = clause.arguments("aux", "auxpass")
    active = clause.complement is None and not helped
    return (active and word.lemma in TRANSITIVE) or (word.tag == "VBN" and not helped)


def _mismatches(clause: Clause) -> bool:
    """Many of a thing in the singular, or one of a thing in the plural: "millions of apple tree", "a dogs"."""
    return any(_mismatches_at(clause, number, word) for number, word in enumerate(clause.words))


def _mismatches_at(clause: Clause, number: int, word: Token) -> bool:
    if word.tag == "NNS":
        return any(clause.words[each].lemma in ("a", "an") for each in clause.under(number, "det"))
    if word.tag != "NN" or word.part != "NOUN":
        return False
    before = [clause.words[each] for each in clause.under(number, "amod", "nummod", "det")]
    if any(each.lemma in MANY and each.lemma != "most" for each in before):
        return True
    above = clause.words[word.head]
    counted = word.role == "pobj" and above.lemma == "of" and clause.words[above.head].lemma in MANY
    return counted and clause.words[above.head].tag == "NNS"


def _is_reflexive(clause: Clause) -> bool:
    """A place that "locates itself", or "locates in" another."""
    return clause.phrase in ("locate", "situate") and not clause.is_passive


def is_long_winded(clause: Clause, most: int) -> bool:
    """The statement is more than one plain clause, or longer than so many words."""
    said = [word for word in clause.words if word.part != "PUNCT"]
    clauses = any(word.role in ("advcl", "ccomp", "csubj", "parataxis", "relcl") for word in clause.words)
    joined = any(word.role == "conj" and word.part in ("VERB", "AUX") for word in clause.words)
    return len(said) > most or clauses or joined
