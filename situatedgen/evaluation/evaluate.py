"""Evaluate several systems together: scores, intervals, groups, significance tests, and sample cases."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from itertools import combinations, groupby
from pathlib import Path
from typing import Literal

import numpy as np

from situatedgen.dataset.folder import read_manifest
from situatedgen.errors import PredictionError
from situatedgen.evaluation.keywords import Keyword, keywords_of, sentences
from situatedgen.evaluation.metrics import FAST, Scores, Settings, scores
from situatedgen.evaluation.predictions import Example, Predictions, examples_of, read_predictions
from situatedgen.evaluation.preferences import COVERAGE, preferences
from situatedgen.evaluation.results import (
    REFERENCE,
    AbsentScore,
    Case,
    CaseText,
    DatasetScored,
    Evaluation,
    GroupScores,
    PairedTest,
    Part,
    SystemScore,
    SystemScores,
)
from situatedgen.models.lemmas import Lemmas, Lemmatiser
from situatedgen.resampling import RESAMPLES, interval, p_value
from situatedgen.review.ballots import Ballot
from situatedgen.seeds import generator


def case(example: Example, systems: Sequence[Predictions], lemmatiser: Lemmatiser) -> Case:
    """The texts of the reference and of each system that answered the example, with keywords marked."""
    keywords = keywords_of(example, lemmatiser)
    texts = [(REFERENCE, example.reference)]
    for system in systems:
        answers = {each.example_id: text for each, text in zip(system.examples, system.texts, strict=True)}
        if example.example_id in answers:
            texts.append((system.system, answers[example.example_id]))
    marked = tuple(CaseText(system=name, parts=_parts(text, example, keywords, lemmatiser)) for name, text in texts)
    return Case(example_id=example.example_id, keywords=example.keywords, texts=marked)


def _parts(text: str, example: Example, keywords: Sequence[Keyword], lemmatiser: Lemmatiser) -> tuple[Part, ...]:
    found: list[Part] = []
    for sentence in sentences(text, example.statements):
        if found:
            found.append(Part(text=" "))
        found.extend(_sentence_parts(lemmatiser[sentence], keywords))
    return tuple(found)


def _sentence_parts(sentence: Lemmas, keywords: Sequence[Keyword]) -> list[Part]:
    marks = [False] * len(sentence.text)
    for keyword in keywords:
        for start, end in keyword.spans(sentence):
            last = sentence.starts[end - 1] + len(sentence.words[end - 1])
            marks[sentence.starts[start] : last] = [True] * (last - sentence.starts[start])
    runs = groupby(zip(sentence.text, marks, strict=False), key=lambda pair: pair[1])
    return [Part(text="".join(letter for letter, _ in run), is_keyword=mark) for mark, run in runs]


GROUPS: dict[Literal["context", "source", "keywords"], Callable[[Example], tuple[str, ...]]] = {
    "context": lambda example: (example.context,),
    "source": lambda example: example.sources,
    "keywords": lambda example: (str(len(example.keywords)),),
}


@dataclass(frozen=True)
class Request:
    """What to evaluate, and how."""

    dataset: Path
    predictions: tuple[Path, ...]
    split: str = "test"
    metrics: tuple[str, ...] = FAST
    settings: Settings = field(default_factory=Settings)
    partial: bool = False
    seed: int = 0
    resamples: int = RESAMPLES
    cases: tuple[str, ...] = ()
    case_count: int = 1
    ballots: tuple[Ballot, ...] = ()


def evaluate(request: Request) -> Evaluation:
    """Evaluate the predictions of all systems.

    Raises:
        PredictionError: a predictions file cannot be scored; the message names the file and the line.
        SettingsError: the dataset, the split or a metric is unknown.
    """
    examples = examples_of(request.dataset, request.split)
    systems = _require_unique_names(
        [read_predictions(path, examples, partial=request.partial) for path in request.predictions]
    )
    lemmatiser = Lemmatiser()
    measured = [_scores(system, request, lemmatiser) for system in systems]
    paths = zip(request.predictions, systems, measured, strict=True)
    covers = {
        system.system: found.found[COVERAGE].value
        for system, found in zip(systems, measured, strict=True)
        if COVERAGE in found.found
    }
    preferred = preferences(request.ballots, examples, systems, covers, lemmatiser) if request.ballots else None
    return Evaluation(
        situatedgen=version("situatedgen"),
        dataset=_dataset(request, examples),
        metrics=request.metrics,
        seed=request.seed,
        resamples=request.resamples,
        systems=tuple(_system(path, system, found, request) for path, system, found in paths),
        tests=tuple(_tests(list(zip(systems, measured, strict=True)), request, lemmatiser)),
        cases=tuple(_cases(examples, systems, request, lemmatiser)),
        preferences=preferred,
    )


def _require_unique_names(systems: list[Predictions]) -> list[Predictions]:
    names = [system.system for system in systems]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise PredictionError(f"two files are named {twice[0]!r}; systems are named after their files, so rename one")
    return systems


def _scores(system: Predictions, request: Request, lemmatiser: Lemmatiser) -> Scores:
    return scores(system.texts, system.examples, request.metrics, settings=request.settings, lemmatiser=lemmatiser)


def _dataset(request: Request, examples: Sequence[Example]) -> DatasetScored:
    content = str(read_manifest(request.dataset).get("content", ""))
    return DatasetScored(
        folder=request.dataset.resolve().name, content=content, split=request.split, examples=len(examples)
    )


def _system(path: Path, system: Predictions, found: Scores, request: Request) -> SystemScores:
    return SystemScores(
        system=system.system,
        predictions=path.name,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        examples=len(system.examples),
        scores=tuple(_system_scores(found, request)),
        absent=tuple(AbsentScore(metric=each.metric, reason=each.reason) for each in found.absent),
        groups=tuple(_groups(system.examples, found)),
    )


def _system_scores(found: Scores, request: Request) -> Iterator[SystemScore]:
    for score in found.found.values():
        low, high = interval(score.statistics, seed=request.seed, resamples=request.resamples)
        yield SystemScore(metric=score.metric, value=score.value, low=low, high=high, signature=score.signature)


def _groups(examples: Sequence[Example], found: Scores) -> Iterator[GroupScores]:
    for by, groups_of in GROUPS.items():
        memberships = [groups_of(example) for example in examples]
        for group in sorted({name for names in memberships for name in names}, key=_order):
            chosen = np.array([group in names for names in memberships])
            values = {name: score.statistics.score(chosen) for name, score in found.found.items()}
            yield GroupScores(by=by, group=group, examples=int(chosen.sum()), values=values)


def _order(group: str) -> tuple[int, str]:
    return (int(group), "") if group.isdecimal() else (0, group)


def _tests(
    systems: Sequence[tuple[Predictions, Scores]], request: Request, lemmatiser: Lemmatiser
) -> Iterator[PairedTest]:
    for left, right in combinations(systems, 2):
        yield from _tests_of_two(left, right, request, lemmatiser)


def _tests_of_two(
    left: tuple[Predictions, Scores], right: tuple[Predictions, Scores], request: Request, lemmatiser: Lemmatiser
) -> Iterator[PairedTest]:
    shared = frozenset(each.example_id for each in left[0].examples) & {each.example_id for each in right[0].examples}
    if not shared:
        return
    one, two = (_scores_on_shared(shared, *side, request, lemmatiser) for side in (left, right))
    for metric in one.found:
        first, second = one[metric].statistics, two[metric].statistics
        yield PairedTest(
            metric=metric,
            left=left[0].system,
            right=right[0].system,
            examples=len(shared),
            difference=one[metric].value - two[metric].value,
            p_value=p_value(first, second, seed=request.seed, resamples=request.resamples),
        )


def _scores_on_shared(
    shared: frozenset[str], system: Predictions, found: Scores, request: Request, lemmatiser: Lemmatiser
) -> Scores:
    return found if len(shared) == len(system.examples) else _scores(system.of(shared), request, lemmatiser)


def _cases(
    examples: Sequence[Example], systems: Sequence[Predictions], request: Request, lemmatiser: Lemmatiser
) -> Iterator[Case]:
    known = {example.example_id: example for example in examples}
    answered = [{example.example_id for example in system.examples} for system in systems]
    by_all = [example_id for example_id in known if all(example_id in ids for ids in answered)]
    chosen = request.cases or _draw_cases(by_all or list(known), request)
    for example_id in chosen:
        if example_id not in known:
            raise PredictionError(f"no example of the {request.split} split has the id {example_id!r}")
        yield case(known[example_id], systems, lemmatiser)


def _draw_cases(ids: Sequence[str], request: Request) -> list[str]:
    return generator(request.seed, "cases").sample(sorted(ids), min(request.case_count, len(ids)))
