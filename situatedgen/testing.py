"""Test helpers for code that builds on situatedgen: small tables, and checks that a model fulfils its role."""

from collections.abc import Iterable, Sequence
from dataclasses import astuple
from itertools import accumulate, pairwise
from typing import TypeVar

import numpy as np
import polars as pl

from situatedgen import schemas
from situatedgen.models.roles import Converter, Detector, Encoder, Judge, Lemmatiser, NounFinder, Parser, Tagger
from situatedgen.records import Entity, Question, Span
from situatedgen.vocabulary import Context, ItemKind, KeywordKind, Label, Verdict

AnySpan = TypeVar("AnySpan", Entity, Span)


def items(*rows: tuple[str, str], kind: ItemKind = ItemKind.CLAIM) -> pl.DataFrame:
    """Items from (id, statement) rows, as a source of claims would produce them."""
    return schemas.ITEMS.frame(
        [
            (
                id_,
                id_.partition("::")[0],
                "train",
                "claims.txt",
                line,
                kind,
                "",
                "",
                text,
                "",
                "",
                Verdict.KEPT,
                "",
            )
            for line, (id_, text) in enumerate(rows, start=1)
        ]
    )


def statements(*rows: tuple[str, str]) -> pl.DataFrame:
    """Kept statements from (id, text) rows."""
    return schemas.STATEMENTS.frame(
        [(id_, id_.partition("::")[0], text, "claim", 1.0, Verdict.KEPT) for id_, text in rows]
    )


def entities(statements: pl.DataFrame, *rows: tuple[str, str, Label]) -> pl.DataFrame:
    """Entities from (statement id, text, label) rows, each at the first occurrence of its text in the statement."""
    texts = dict(statements.select("statement_id", "text").iter_rows())
    return schemas.ENTITIES.frame([(id_, *_place(texts[id_], text), text, label) for id_, text, label in rows])


def keywords(statements: pl.DataFrame, *rows: tuple[str, str, Label | None]) -> pl.DataFrame:
    """Keywords from (statement id, text, label) rows: entities if they have a label, otherwise nouns."""
    texts = dict(statements.select("statement_id", "text").iter_rows())
    return schemas.KEYWORDS.frame(
        [
            (id_, *_place(texts[id_], text), text, KeywordKind.ENTITY if label else KeywordKind.NOUN, label)
            for id_, text, label in rows
        ]
    )


def masks(*rows: tuple[str, str, Context], mask: str = "[UNK]") -> pl.DataFrame:
    """Kept masks from (statement id, masked text, context) rows; the mask count is computed."""
    return schemas.MASKS.frame([(id_, text, text.count(mask), context, Verdict.KEPT) for id_, text, context in rows])


def pairs(*rows: tuple[str, str]) -> pl.DataFrame:
    """Kept pairs from (statement id, statement id) rows, with similarity 0.9 and the context GEO."""
    ordered = [tuple(sorted(row)) for row in rows]
    return schemas.PAIRS.frame(
        [(f"{left}|{right}", left, right, 0.9, Context.GEO, Verdict.KEPT) for left, right in ordered]
    )


def judged(*rows: tuple[str, str], probability: float | None = None) -> pl.DataFrame:
    """Kept pairs that all have the same probabilities; None means that no judge was asked."""
    known = (pl.lit(probability, pl.Float32).alias(name) for name in schemas.PROBABILITIES)
    return pairs(*rows).with_columns(known)


def similarities(values: Iterable[float]) -> pl.Series:
    """A column of pair similarities, in order."""
    return pl.Series("similarity", list(values), pl.Float32)


def parses(*rows: tuple[str, Sequence[str]]) -> pl.DataFrame:
    """Parses from (statement id, words) rows: words are one space apart, and all depend on the first."""
    found = []
    for id_, words in rows:
        ends = list(accumulate(len(word) + 1 for word in words))
        for word, end in zip(words, ends, strict=True):
            found.append((id_, end - 1 - len(word), end - 1, word.lower(), "NN", "NOUN", "dep", 0, ""))
    return schemas.PARSES.frame(found)


def unjudged(splits: pl.DataFrame) -> pl.DataFrame:
    """Judgements for splits without any annotator decisions."""
    nobody = pl.lit(0, pl.UInt32).alias("people"), pl.lit(value=False).alias("is_tied")
    faults = pl.lit([], pl.List(pl.String)).alias("faults")
    return splits.drop_nulls("split").with_columns(faults, *nobody)


def _place(text: str, part: str) -> tuple[int, int]:
    start = text.index(part)
    return start, start + len(part)


def converter_faults(converter: Converter, questions: Sequence[Question]) -> list[str]:
    """Violations of the converter role; empty if there are none."""
    together = converter.convert(questions)
    alone = [answer for question in questions for answer in converter.convert([question])]
    faults = _answer_faults(together, alone, len(questions))
    faults += [f"confidence {made.confidence}" for made in together if not 0 <= made.confidence <= 1]
    return faults + [
        f"kept without text: {made}" for made in together if made.verdict is Verdict.KEPT and not made.text
    ]


def tagger_faults(tagger: Tagger, texts: Sequence[str]) -> list[str]:
    """Violations of the tagger role; empty if there are none."""
    together = tagger.tag(texts)
    alone = [answer for text in texts for answer in tagger.tag([text])]
    faults = _answer_faults(together, alone, len(texts))
    return faults + [fault for text, found in zip(texts, together, strict=False) for fault in _span_faults(text, found)]


def noun_faults(nouns: NounFinder, texts: Sequence[str]) -> list[str]:
    """Violations of the noun finder role; empty if there are none."""
    together = nouns.find(texts)
    alone = [answer for text in texts for answer in nouns.find([text])]
    faults = _answer_faults(together, alone, len(texts))
    return faults + [fault for text, found in zip(texts, together, strict=False) for fault in _span_faults(text, found)]


def parser_faults(parser: Parser, texts: Sequence[str]) -> list[str]:
    """Violations of the parser role; empty if there are none."""
    together = parser.parse(texts)
    alone = [answer for text in texts for answer in parser.parse([text])]
    faults = _answer_faults(together, alone, len(texts))
    for text, words in zip(texts, together, strict=False):
        faults += _span_faults(text, [Span(word.start, word.end) for word in words])
        faults += [f"{word} depends on a word outside {text!r}" for word in words if word.head >= len(words)]
    return faults


def lemma_faults(lemmatiser: Lemmatiser, texts: Sequence[str]) -> list[str]:
    """Violations of the lemmatiser role; empty if there are none."""
    together = lemmatiser.lemmatise(texts)
    alone = [answer for text in texts for answer in lemmatiser.lemmatise([text])]
    wrong = (lemma for found in together for lemma in found if lemma.part not in ("N", "V") or not lemma.text)
    return _answer_faults(together, alone, len(texts)) + [f"{lemma} is neither a noun nor a verb" for lemma in wrong]


def encoder_faults(encoder: Encoder, texts: Sequence[str]) -> list[str]:
    """Violations of the encoder role; empty if there are none."""
    together = encoder.encode(texts)
    if together.dtype != np.float32 or together.ndim != 2 or len(together) != len(texts):
        return [f"{together.dtype} of shape {together.shape} for {len(texts)} texts"]
    lengths = np.linalg.norm(together.astype(np.float64), axis=1)
    faults = [
        f"length {length} for {text!r}" for text, length in zip(texts, lengths, strict=True) if abs(length - 1) > 1e-5
    ]
    alone = [encoder.encode([text])[0] for text in texts]
    return faults + [
        f"{text!r} depends on its batch"
        for text, vector, single in zip(texts, together, alone, strict=True)
        if not np.array_equal(vector, single)
    ]


def judge_faults(judge: Judge, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Violations of the judge role; empty if there are none."""
    together = judge.judge(pairs)
    alone = [answer for pair in pairs for answer in judge.judge([pair])]
    faults = _answer_faults(together, alone, len(pairs))
    faults += [f"not probabilities: {made}" for made in together if not all(0 <= value <= 1 for value in astuple(made))]
    swapped = judge.judge([(right, left) for left, right in pairs])
    return faults + [f"{one}, swapped {two}" for one, two in zip(together, swapped, strict=False) if one != two]


def detector_faults(detector: Detector, node_count: int, edges: Sequence[tuple[int, int]]) -> list[str]:
    """Violations of the detector role; empty if there are none."""
    found = detector.detect(node_count, edges, seed=0)
    faults = [] if len(found) == node_count else [f"{len(found)} labels for {node_count} nodes"]
    return (
        faults
        if detector.detect(node_count, edges, seed=0) == found
        else [*faults, "different labels for the same seed"]
    )


def _answer_faults(together: Sequence[object], alone: Sequence[object], expected: int) -> list[str]:
    if len(together) != expected:
        return [f"{len(together)} answers for {expected}"]
    return [
        f"{answer} in a batch, {single} alone"
        for answer, single in zip(together, alone, strict=True)
        if answer != single
    ]


def _span_faults(text: str, found: Iterable[AnySpan]) -> list[str]:
    spans = tuple(found)
    faults = [f"{span} outside {text!r}" for span in spans if not 0 <= span.start < span.end <= len(text)]
    return faults + [f"{one} before {two}" for one, two in pairwise(spans) if one.end > two.start]
