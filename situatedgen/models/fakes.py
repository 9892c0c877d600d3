"""Rule-based stand-ins for every model, which need no weights and are good enough for the `tiny` preset."""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from situatedgen.params import ModelParams
from situatedgen.records import Conversion, Entity, Judgement, Lemma, Question, Span, Token
from situatedgen.resources import read_text
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind, Label, Verdict

CONFIDENCE = 0.5
DIMENSIONS = 64

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
CAPITALISED_RUN = re.compile(r"[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*")
MASKED_WORD = re.compile(r"\[\w+\]|\w+|[^\w\s]")
BLANK = re.compile(r"_{2,}")
WH_PHRASE = re.compile(r"\b(?:which of (?:the following|these)|what|which|who|where|when|why|how)\b", re.IGNORECASE)

PLACE_PREPOSITIONS = ("in ", "from ", "of ", "near ", "across ", "outside ")
VERB_ENDING = re.compile(r"(?:ed|ing|ly)$")
VERB_FORM = re.compile(r"(?:ed|ing)$")

WORDS = tomllib.loads(read_text("fakes.toml"))
AUXILIARIES, DETERMINERS = frozenset(WORDS["auxiliaries"]), frozenset(WORDS["determiners"])
NOT_NOUNS = frozenset(WORDS["not_nouns"])
LISTED = {Label(label): re.compile(rf"\b(?:{'|'.join(words)})\b") for label, words in WORDS["entities"].items()}


@dataclass(frozen=True, slots=True)
class FakeConverter:
    """Turns a question into a statement by moving words, without any grammar."""

    params: ModelParams
    runtime: Runtime

    def convert(self, questions: Sequence[Question]) -> list[Conversion]:
        """A conversion for each question, always with low confidence."""
        return [_conversion(question) for question in questions]


@dataclass(frozen=True, slots=True)
class FakeTagger:
    """Finds places, days, times and holidays in word lists, and other names by their capitals."""

    params: ModelParams
    runtime: Runtime

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text."""
        return [_entities(text) for text in texts]


@dataclass(frozen=True, slots=True)
class FakeNouns:
    """Treats every word of at least 4 letters as a noun, unless it is on a list or ends like a verb."""

    params: ModelParams
    runtime: Runtime

    def find(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The nouns of each text."""
        return [tuple(_span(match) for match in WORD.finditer(text) if _is_noun(match.group())) for text in texts]


@dataclass(frozen=True, slots=True)
class FakeParser:
    """Makes the first listed non-noun that is not a determiner the root, and all other words its dependents."""

    params: ModelParams
    runtime: Runtime

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """The words of each text."""
        return [_parse(text) for text in texts]


@dataclass(frozen=True, slots=True)
class FakeLemmas:
    """Nouns as in `FakeNouns` without a final s; verbs are longer words that end like one."""

    params: ModelParams
    runtime: Runtime

    def lemmatise(self, texts: Sequence[str]) -> list[tuple[Lemma, ...]]:
        """The nouns and verbs of each text."""
        return [tuple(_lemmas(text)) for text in texts]


@dataclass(frozen=True, slots=True)
class FakeEncoder:
    """Sums a fixed pseudo-random vector for each word and each pair of neighbours; masks weigh less."""

    params: ModelParams
    runtime: Runtime

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A vector of unit length for each text."""
        vectors = [_vector(text) for text in texts]
        return np.array(vectors, dtype=np.float32).reshape(len(texts), DIMENSIONS)


@dataclass(frozen=True, slots=True)
class FakeJudge:
    """Scores a pair by word overlap: the share of the words of both sentences that they have in common."""

    params: ModelParams
    runtime: Runtime

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        """A judgement for each pair, with the same score for every part."""
        words = [tuple(set(WORD.findall(text.lower())) for text in pair) for pair in pairs]
        shares = [len(left & right) / max(len(left | right), 1) for left, right in words]
        return [Judgement(share, share, share, share, share) for share in shares]


@dataclass(frozen=True, slots=True)
class FakeDetector:
    """Makes each connected component a community."""

    params: ModelParams
    runtime: Runtime

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:  # noqa: ARG002
        """The component of each node, numbered in the order of their first nodes; the seed is not used."""
        first = list(range(node_count))
        for left, right in edges:
            low, high = sorted((_root(first, left), _root(first, right)))
            first[high] = low
        roots = [_root(first, node) for node in range(node_count)]
        numbers = {root: number for number, root in enumerate(sorted(set(roots)))}
        return [numbers[root] for root in roots]


def _root(first: list[int], node: int) -> int:
    while first[node] != node:
        node = first[node]
    return node


def _conversion(question: Question) -> Conversion:
    text = _sentence(_state(question))
    verdict = Verdict.KEPT if text else Verdict.NO_RULE
    return Conversion(text, f"fake_{question.kind.value}", CONFIDENCE if text else 0.0, verdict)


def _state(question: Question) -> str:
    stem = question.text.strip().rstrip("?:. ")
    if question.kind is ItemKind.CLAIM:
        return stem
    if question.kind is ItemKind.YES_NO:
        return _uninvert(stem, negated=question.answer.strip().lower() in {"no", "false"})
    return _insert_answer(stem, question.answer.strip().rstrip("."))


def _insert_answer(stem: str, answer: str) -> str:
    if BLANK.search(stem):
        return BLANK.sub(lambda _: answer, stem, count=1)
    wh_phrase = WH_PHRASE.search(stem)
    if wh_phrase is None:
        return f"{stem} {answer}"
    rest = stem[wh_phrase.end() :].strip()
    if rest.split(" ")[0].lower() in AUXILIARIES - {"is", "are", "was", "were"}:
        return f"{stem[: wh_phrase.start()]}{_uninvert(rest, negated=False)} {answer}"
    return f"{stem[: wh_phrase.start()]}{answer} {rest}"


def _uninvert(stem: str, *, negated: bool) -> str:
    """Move the initial auxiliary behind the subject, which is guessed: determiners plus one word or name."""
    auxiliary, _, rest = stem.partition(" ")
    words = rest.split()
    if auxiliary.lower() not in AUXILIARIES or not words:
        return stem
    end = _subject_end(words)
    moved = [auxiliary.lower(), "not"] if negated else [auxiliary.lower()]
    return " ".join([*words[:end], *moved, *words[end:]])


def _subject_end(words: Sequence[str]) -> int:
    end = 0
    while end < len(words) - 1 and words[end].lower() in DETERMINERS:
        end += 1
    end += 1
    while end < len(words) and words[end - 1][0].isupper() and words[end][0].isupper():
        end += 1
    return end


def _sentence(text: str) -> str:
    text = " ".join(text.split())
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _entities(text: str) -> tuple[Entity, ...]:
    listed = [
        Entity(match.start(), match.end(), label)
        for label, pattern in LISTED.items()
        for match in pattern.finditer(text)
    ]
    names = [
        Entity(match.start(), match.end(), _name_label(text[: match.start()]))
        for match in CAPITALISED_RUN.finditer(text, _first_word_end(text))
        if len(match.group()) > 1
    ]
    return _drop_overlaps([*listed, *names])


def _first_word_end(text: str) -> int:
    first = WORD.search(text)
    return first.end() if first else len(text)


def _name_label(before: str) -> Label:
    return Label.GPE if before.lower().removesuffix("the ").endswith(PLACE_PREPOSITIONS) else Label.PERSON


def _drop_overlaps(entities: Iterable[Entity]) -> tuple[Entity, ...]:
    """Drop entities that overlap an earlier one; of those with the same start the longest stays."""
    kept: list[Entity] = []
    for entity in sorted(entities, key=lambda entity: (entity.start, -entity.end)):
        if not kept or kept[-1].end <= entity.start:
            kept.append(entity)
    return tuple(kept)


def _is_noun(word: str) -> bool:
    lowered = word.lower()
    return len(word) >= 4 and lowered not in NOT_NOUNS and VERB_ENDING.search(lowered) is None


def _parse(text: str) -> tuple[Token, ...]:
    """Attach every word to the first possible verb: nouns before it as subjects, all others as plain dependents."""
    words = list(MASKED_WORD.finditer(text))
    nouns = [_is_noun(word.group()) or word.group()[0].isupper() for word in words]
    root = next((index for index, word in enumerate(words) if _is_verb(word.group(), noun=nouns[index])), 0)
    return tuple(_token(word, index, root, noun=nouns[index]) for index, word in enumerate(words))


def _is_verb(word: str, *, noun: bool) -> bool:
    lowered = word.lower()
    return not noun and lowered not in DETERMINERS and (lowered in AUXILIARIES or lowered in NOT_NOUNS)


def _token(word: re.Match[str], index: int, root: int, *, noun: bool) -> Token:
    role = "ROOT" if index == root else "nsubj" if noun and index < root else "dep"
    part = "VERB" if index == root else "NOUN" if noun else "X"
    tag = "." if not word.group()[-1].isalnum() else part
    return Token(word.start(), word.end(), word.group().lower(), tag, part, role, root)


def _lemmas(text: str) -> Iterable[Lemma]:
    for word in (match.group().lower() for match in WORD.finditer(text)):
        if VERB_FORM.search(word) and len(word) >= 5:
            yield Lemma(VERB_FORM.sub("", word), "V")
        elif _is_noun(word):
            yield Lemma(word.removesuffix("s"), "N")


def _span(match: re.Match[str]) -> Span:
    return Span(match.start(), match.end())


def _vector(text: str) -> NDArray[np.float64]:
    words = MASKED_WORD.findall(text.lower()) or [""]
    unmasked = [word for word in words if not word.startswith("[")]
    neighbours = [f"{left} {right}" for left, right in pairwise(words)]
    # Words count twice, masks once: templates differ in their unmasked words. Sums of halves are
    # exact in float64, so the order of the words' vectors cannot change a bit.
    total = np.sum([_word_vector(word) for word in [*words, *unmasked, *neighbours, *neighbours]], axis=0)
    return np.asarray(total / np.sqrt(np.sum(total * total)))


def _word_vector(word: str) -> NDArray[np.float64]:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=DIMENSIONS).digest()
    return np.frombuffer(digest, dtype=np.uint8).astype(np.float64) - 127.5
