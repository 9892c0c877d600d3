"""Drafts of a statement with their confidence, and the agreement of verb and subject."""

import re
from dataclasses import dataclass, replace

from situatedgen.conversion.answer import KIN, indefinite
from situatedgen.conversion.lexicon import DEGREE_WORDS, is_known, parts_of_speech, verb_lemma
from situatedgen.conversion.morphology import inflect

LOWEST = 0.25
"""Minimum confidence of a statement that is kept."""

SURENESS = {
    "open_stem": 0.95,
    "open_question": 0.45,
    "pointed": 0.62,
    "blank": 0.9,
    "where": 0.85,
    "where_stranded": 0.75,
    "where_odd": 0.2,
    "when": 0.7,
    "when_during": 0.4,
    "why": 0.7,
    "why_verb": 0.48,
    "why_noun": 0.45,
    "how": 0.8,
    "how_by": 0.48,
    "how_clause": 0.45,
    "how_linking": 0.48,
    "how_odd": 0.3,
    "preposition": 0.62,
    "preposition_odd": 0.45,
    "subject": 0.75,
    "subject_kind": 0.75,
    "subject_place": 0.8,
    "subject_restricted": 0.7,
    "subject_modified": 0.48,
    "subject_group": 0.6,
    "subject_aside": 0.65,
    "subject_done": 0.45,
    "subject_odd": 0.2,
    "which_of": 0.85,
    "identity": 0.8,
    "called": 0.7,
    "is_a": 0.8,
    "is_a_odd": 0.4,
    "object_do": 0.7,
    "object_preposition": 0.48,
    "object_preposition_plain": 0.62,
    "object_complement": 0.48,
    "object_object": 0.48,
    "object_object_plain": 0.62,
    "object_subject": 0.6,
    "object_place": 0.6,
    "object_time": 0.65,
    "object_end": 0.2,
    "object_clause": 0.35,
    "object_odd": 0.3,
    "amount_takes": 0.9,
    "amount_there": 0.8,
    "amount_subject": 0.75,
    "amount_object": 0.6,
    "amount_be": 0.65,
    "amount_adverb": 0.7,
    "clause_which": 0.6,
    "clause_which_odd": 0.35,
    "clause_because": 0.7,
    "clause_that": 0.7,
    "clause_quoted": 0.6,
    "clause_true": 0.6,
    "clause_happens": 0.6,
    "happens_to": 0.55,
    "inside_where_end": 0.85,
    "inside_where": 0.6,
    "inside_when": 0.55,
    "inside_why": 0.4,
    "inside_how": 0.4,
    "inside_amount": 0.7,
    "inside_odd": 0.3,
    "inside_do": 0.8,
    "inside_do_odd": 0.45,
    "inside_verb": 0.75,
    "inside_noun": 0.85,
    "inside_what": 0.8,
    "inside_kind": 0.65,
    "inside_kind_odd": 0.45,
    "late_place": 0.7,
    "late_place_odd": 0.45,
}

LEADS = {"late_lead": 0.95, "late_clause": 0.85, "late_joined": 0.85}
"""Factors on the confidence of a question after a lead-in."""

TOGETHER = {"late_clause.identity": 0.45}
"""Confidence of shapes that fit a lead-in badly: "…, and it is no consciousness"."""


def sureness(shape: str) -> float:
    """The confidence of a shape; a shape after a lead-in is written `late_lead.where`.

    Example:
        >>> sureness("where")
        0.85
    """
    lead, _, inner = shape.rpartition(".")
    return TOGETHER.get(shape, SURENESS[inner] * LEADS.get(lead, 1.0))


_PLURALS = {"is": "are", "was": "were", "has": "have", "does": "do", "isn't": "aren't", "doesn't": "don't"}
_SINGULARS = {plural: singular for singular, plural in _PLURALS.items()}
_MODALS = frozenset("can could may might must shall should will would did had".split())


def agree(clause: str, *, plural: bool, was_plural: bool) -> str:
    """The clause with its verb, which may follow adverbs at its beginning, in the subject's number.

    Example:
        >>> agree("provides evidence", plural=True, was_plural=False)
        'provide evidence'
    """
    words = clause.split(" ")
    place = next((place for place, word in enumerate(words) if word.lower() not in DEGREE_WORDS), 0)
    words[place] = _inflect_verb(words[place], plural=plural, was_plural=was_plural)
    return " ".join(words)


def _inflect_verb(word: str, *, plural: bool, was_plural: bool) -> str:
    forms = _PLURALS if plural else _SINGULARS
    if word in forms:
        return forms[word]
    if word in _MODALS or word in _PLURALS or word in _SINGULARS:
        return word
    if plural and word.endswith("s") and verb_lemma(word) != word:
        return verb_lemma(word)
    if not plural and was_plural and word in parts_of_speech(word).get("VERB", ()):
        return inflect(word, "VBZ")
    return word


_DOUBLED = re.compile(r"\b(in|on|at|to|of|for|from|with|by|a|an|the|into|as|about) \1\b", re.I)
_TWO_ARTICLES = re.compile(r"\b(a|an|the) (?:a|an|the) (?=\w)", re.I)
_ARTICLE = re.compile(r"(?:\ba|\ban|^An?|(?<=[.“] )An?) (?=([\w\"'“]+))")
_SHOUTED = re.compile(r"\bNOT\b|\b[A-Z]{4,}\b")
_ACRONYMS = frozenset({"AIDS", "NASA", "LASER", "SCUBA"})
_OWNERS = {
    "your": "you your you're",
    "my": "i my",
    "our": "we our",
    "his": "he his",
    "her": "she",
    "its": "it its",
    "their": "someone somebody everyone people person they their children kids students parents",
}
_OWNER_OF = {word: owner for owner, group in _OWNERS.items() for word in group.split()}
_ONES = re.compile(
    r"\bone's(?= (?:own|mouth|head|eyes?|hands?|teeth|face|nose|arms?|legs?|heart|feet|foot|lips|mind|breath|hair"
    rf"|(?:{'|'.join(sorted(KIN))})['’]s)\b)"
)
_ANY_WORD = re.compile(r"[A-Za-z]+(?:'re)?")
_SPACE_BEFORE_MARK = re.compile(r" +(?=[,.;:?!])")
_MARKS_MET = re.compile(r",(?:\s*,)+|,\s*(?=[.;])")
_NO_SPACE_BEFORE = frozenset(",.;:?!'’\"”")


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft of a statement, without its final mark; `doubt` is a factor on the confidence of its shape."""

    text: str
    shape: str
    doubt: float = 1.0

    @property
    def confidence(self) -> float:
        """The confidence of the draft, from 0 to 1."""
        return sureness(self.shape) * self.doubt

    def doubted(self, factor: float) -> "Draft":
        """The draft with its confidence reduced by a factor."""
        return replace(self, doubt=self.doubt * factor)


def splice(text: str, start: int, end: int, words: str) -> str:
    """Replace the text between two offsets by the words, with single spaces around them.

    Example:
        >>> splice("He is here.", 6, 10, "there")
        'He is there.'
    """
    before, after = text[:start].rstrip(), text[end:].lstrip()
    glue = "" if not after or after[0] in _NO_SPACE_BEFORE else " "
    return f"{before} {words}{glue}{after}".strip()


def smooth(text: str) -> str:
    """Correct "a" and "an", lower words in capitals, and remove words doubled where phrases meet.

    Example:
        >>> smooth("Light passes through a a apple , .")
        'Light passes through an apple.'
    """
    text = _resolve_ones(_DOUBLED.sub(r"\1", re.sub(r"\s+", " ", text)))
    text = _SHOUTED.sub(_lower_shouted, text)
    text = _ARTICLE.sub(_article_by_sound, _TWO_ARTICLES.sub(r"\1 ", text))
    return _MARKS_MET.sub(_merge_marks, _SPACE_BEFORE_MARK.sub("", text))


def _resolve_ones(text: str) -> str:
    """Replace "one's own" and "one's head" by the possessive of the subject: "your own" after "you"."""
    found = _ONES.search(text)
    if found is None or re.search(r"\bone\b(?!['’])", text):
        return text
    before = [_OWNER_OF[word] for word in _lower_words(text[: found.start()]) if word in _OWNER_OF]
    after = [_OWNER_OF[word] for word in _lower_words(text[found.end() :]) if word in _OWNER_OF and word != "it"]
    return _ONES.sub([*after[:1], *before][-1] if before or after else "one's", text)


def _lower_words(text: str) -> list[str]:
    return [word.lower() for word in _ANY_WORD.findall(text)]


def _lower_shouted(match: re.Match[str]) -> str:
    """A word in capitals that the dictionary has, in lower case; acronyms stay."""
    word = match[0].lower()
    return word if is_known(word) and match[0] not in _ACRONYMS else match[0]


def _article_by_sound(match: re.Match[str]) -> str:
    if match[1][:1].isupper() and len(match[1]) == 1:
        return match[0]
    return f"{match[0][0]}{indefinite(match[1])[1:]} "


def _merge_marks(match: re.Match[str]) -> str:
    return "," if match[0].count(",") > 1 else ""
