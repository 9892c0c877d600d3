"""The keywords and masks of a statement: its entities and nouns, and the context they give it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from situatedgen.params import MaskParams
from situatedgen.records import Entity, Span
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context, KeywordKind, Label, Verdict

NOUNS = frozenset({"NOUN", "PROPN"})
_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_DO = frozenset({"do", "does", "did"})
_DIRECTIONS = frozenset({"north", "south", "east", "west"})


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence with its part of speech and its Penn Treebank tag."""

    text: str
    pos: str
    tag: str


def nouns_of(words: Sequence[Word]) -> tuple[bool, ...]:
    """Whether each word of a sentence is a noun; a noun has at least one letter.

    Corrects four tagging errors: the only verb of a sentence tagged as a plural ("Lima identifies as the capital"), a
    subject in -ing tagged as a verb ("Surfing is popular"), the object of "does" tagged as its verb ("Scotland Yard
    does police work"), and a direction before "of" tagged as an adjective ("south of the river").
    """
    verbless = not any(word.tag in _FINITE for word in words)
    verb = _missed_verb(words) if verbless else -1
    return tuple(_is_noun(words, index) and index != verb for index in range(len(words)))


def _is_noun(words: Sequence[Word], index: int) -> bool:
    word = words[index]
    if word.pos in NOUNS:
        return any(letter.isalpha() for letter in word.text)
    return _is_gerund_subject(words, index) or _is_object_of_do(words, index) or _is_direction(words, index)


def _missed_verb(words: Sequence[Word]) -> int:
    """Index of the first plural right after a proper noun and before an article or preposition, or -1."""
    for index in range(1, len(words) - 1):
        before, word, after = words[index - 1 : index + 2]
        if word.tag == "NNS" and word.text.islower() and before.pos == "PROPN" and after.pos in ("DET", "ADP"):
            return index
    return -1


def _is_gerund_subject(words: Sequence[Word], index: int) -> bool:
    return index == 0 and words[0].tag == "VBG" and words[1:2] != [] and words[1].tag in _FINITE


def _is_object_of_do(words: Sequence[Word], index: int) -> bool:
    if index < 3 or words[index].tag != "VB" or words[index - 1].pos != "NOUN":
        return False
    return words[index - 2].text in _DO and words[index - 3].pos in NOUNS


def _is_direction(words: Sequence[Word], index: int) -> bool:
    after = words[index + 1 : index + 2]
    return words[index].text.lower() in _DIRECTIONS and bool(after) and after[0].text == "of"


def context_of(labels: Iterable[Label]) -> Context:
    """The context that entities of these labels give a statement (§3.1): place, time, both or none.

    Example:
        >>> context_of([Label.GPE, Label.PERSON])
        <Context.GEO: 'GEO'>
    """
    found = set(labels)
    geo, temp = not GEO_LABELS.isdisjoint(found), not TEMP_LABELS.isdisjoint(found)
    if geo and temp:
        return Context.BOTH
    if geo:
        return Context.GEO
    return Context.TEMP if temp else Context.NONE


def situating_labels() -> frozenset[Label]:
    """The labels that give a statement a context (§3.1): those of places and times."""
    return frozenset(label for label in Label if context_of([label]) is not Context.NONE)


@dataclass(frozen=True, slots=True)
class Keyword:
    """A keyword of a text: half-open character offsets, its origin, and its label if it has one."""

    start: int
    end: int
    kind: KeywordKind
    label: Label | None


def keywords_of(entities: Iterable[Entity], nouns: Iterable[Span]) -> tuple[Keyword, ...]:
    """The entities, whatever their label, and the nouns that overlap none of them, in order (§A.2).

    Where an entity and a noun overlap, the entity wins: "a lunar month", not "month". The released keywords show that
    entities of every label are kept whole, including names of people and numbers.
    """
    named = tuple(entities)
    apart = (noun for noun in nouns if not any(_overlap(noun, entity) for entity in named))
    found = [
        *(Keyword(entity.start, entity.end, KeywordKind.ENTITY, entity.label) for entity in named),
        *(Keyword(noun.start, noun.end, KeywordKind.NOUN, None) for noun in apart),
    ]
    return tuple(sorted(found, key=lambda keyword: keyword.start))


def _overlap(noun: Span, entity: Entity) -> bool:
    return noun.start < entity.end and entity.start < noun.end


def mask(text: str, spans: Sequence[Span], mask: str) -> str:
    """The text with each span replaced by the mask; the spans are sorted and do not overlap (§4.3).

    Example:
        >>> mask("July is summer in China.", [Span(0, 4), Span(8, 14), Span(18, 23)], "[UNK]")
        '[UNK] is [UNK] in [UNK].'
    """
    starts = [0, *(span.end for span in spans)]
    ends = [*(span.start for span in spans), len(text)]
    return mask.join(text[start:end] for start, end in zip(starts, ends, strict=True))


def mask_verdict(context: Context, mask_count: int, params: MaskParams) -> Verdict:
    """Whether a statement has a context and an acceptable number of masks (§A.2), or why not."""
    if context is Context.NONE:
        return Verdict.NO_CONTEXT
    if mask_count < params.min_masks:
        return Verdict.TOO_FEW_MASKS
    return Verdict.TOO_MANY_MASKS if mask_count > params.max_masks else Verdict.KEPT


Order = Callable[[int], Sequence[int]]


def merge_keywords(left: Sequence[str], right: Sequence[str], *, order: Order) -> tuple[list[str], list[int]]:
    """The keywords of both statements in one shuffled list, and the statement (0 or 1) of each.

    Each statement contributes each of its keywords once; a keyword of both statements occurs twice (§4.3).
    """
    first, second = dict.fromkeys(left), dict.fromkeys(right)
    keywords = [*first, *second]
    places = order(len(keywords))
    return [keywords[place] for place in places], [int(place >= len(first)) for place in places]
