"""What a parse tells against an ending: whoever writes it, a model or a person."""

from collections.abc import Sequence
from itertools import pairwise

from situatedgen.filtering.oversampling.fates import EndingFate
from situatedgen.filtering.oversampling.splitting import FINITE, clauses, sentences
from situatedgen.records import Token

PLURAL_TAGS, SINGULAR_TAGS = frozenset({"NNS", "NNPS"}), frozenset({"NN", "NNP"})
PLURAL = frozenset({"they", "we", "you", "these", "those", "i"})
"""Words that take the form of a verb without s, but for "I was" and never "I are"."""
SINGULAR = frozenset({"he", "she", "it", "this", "that", "someone", "somebody", "everyone", "everybody", "nobody"})
FORMS = {"is": "s", "was": "s", "has": "s", "does": "s", "are": "p", "were": "p", "have": "p", "do": "p"}
OPEN = frozenset({"IN", "DT", "CC", "PRP$", "TO", "MD", "WDT", "WP$"})
"""Tags of words that want another after them."""


def fault(text: str, tokens: Sequence[Token], at: int) -> EndingFate:
    """The first that speaks against the ending of a sentence, which begins at that character, or that it is kept."""
    subject = next((found for _, ending, found in clauses(tokens, 0, len(tokens)) if tokens[ending].start == at), None)
    if subject is None or len(sentences(tokens)) > 1:
        return EndingFate.NO_VERB_PHRASE
    if not agrees(text, tokens, subject):
        return EndingFate.NO_AGREEMENT
    own = [token for token in tokens if token.start >= at]
    if dangles(own):
        return EndingFate.DANGLING
    return EndingFate.STUTTERING if stutters(text, own) else EndingFate.KEPT


def agrees(text: str, tokens: Sequence[Token], subject: int) -> bool:
    """Whether a subject and its finite verb are both singular or both plural, as far as their forms tell."""
    verb = tokens[subject].head
    finite = next(
        (word for word in tokens[subject:verb] if word.head == verb and word.tag in FINITE and word.role[:3] == "aux"),
        tokens[verb],
    )
    word, wanted = text[finite.start : finite.end].lower(), _number(tokens, subject)
    if tokens[subject].lemma == "i" and word in ("was", "are"):
        return word == "was"
    said = _form(word, finite.tag)
    return not said or not wanted or said == wanted


def _form(word: str, tag: str) -> str:
    return FORMS.get(word, {"VBZ": "s", "VBP": "p"}.get(tag, ""))


def _number(tokens: Sequence[Token], subject: int) -> str:
    """`s` for one, `p` for several, nothing where it cannot be told."""
    word = tokens[subject]
    is_joined = any(other.head == subject and other.role == "conj" for other in tokens)
    if is_joined or word.tag in PLURAL_TAGS or word.lemma in PLURAL:
        return "p"
    return "s" if word.tag in SINGULAR_TAGS or word.lemma in SINGULAR else ""


def dangles(ending: Sequence[Token]) -> bool:
    """Whether the last word wants another after it: "attends the premiere of"."""
    words = [token for token in ending if token.part != "PUNCT"]
    return not words or words[-1].tag in OPEN


def stutters(text: str, ending: Sequence[Token]) -> bool:
    """Whether a word or mark stands twice in a row, or two articles do: "is the a lake"."""
    words = [(text[token.start : token.end].lower(), token.tag) for token in ending]
    return any(word == after or (tag == after_tag == "DT") for (word, tag), (after, after_tag) in pairwise(words))
