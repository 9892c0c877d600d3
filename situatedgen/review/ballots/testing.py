"""Candidates, rankings and ballots made by hand, and folders of questions, for tests of ranking and comparing."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

from situatedgen.review.ballots.ballots import Ballot, Candidates, candidates
from situatedgen.review.ballots.rankings import Ranking
from situatedgen.review.ballots.tasks import Likelihood, Task
from situatedgen.review.testing import WHEN
from situatedgen.vocabulary import Context, Split

LETTERS = {"l": Likelihood.LIKELY, "u": Likelihood.UNLIKELY, "g": Likelihood.GIBBERISH}


def asked(name: str, texts: int = 4) -> Candidates:
    """So many texts that a name tells apart from those of any other name, the first of the alphabet first."""
    return candidates(f"In {name} somebody", (), tuple(f"does {number} in {name}." for number in range(1, texts + 1)))


def ranked(best: int, second: int, likelihoods: str) -> Ranking:
    """A ranking, likelihoods by their first letters."""
    return Ranking(best, second, tuple(LETTERS[letter] for letter in likelihoods))


def ranking_answers(best: int, second: int, likelihoods: str) -> dict[str, str]:
    """The answers that say a ranking; texts are counted from 1."""
    told = {str(number): LETTERS[letter].value for number, letter in enumerate(likelihoods, start=1)}
    return {"best": str(best), "second": str(second), **told}


def ballot(
    annotator: str,
    name: str,
    answers: Mapping[str, str],
    *,
    task: Task = Task.RANK,
    content: Candidates | None = None,
    order: Sequence[int] = (),
    token: str = "",
    note: str = "",
    seconds: float = 5.0,
) -> Ballot:
    """What a person said of the texts of a name."""
    shown = content or asked(name, len(answers) - 2 if task is Task.RANK else 2)
    told = "\x1f".join([annotator, name, task, *(f"{key}={value}" for key, value in sorted(answers.items()))])
    return Ballot(
        decision_id=token or hashlib.sha256(told.encode()).hexdigest()[:16],
        annotator=annotator,
        task=task,
        content=shown,
        order=tuple(order) or tuple(range(1, len(shown.texts) + 1)),
        answers=answers,
        at=WHEN,
        note=note,
        seconds=seconds,
    )


def write_questions(
    folder: Path, texts: Sequence[Sequence[str]], *, split: Split = Split.TEST, keywords: Sequence[Sequence[str]] = ()
) -> Path:
    """A folder of questions as `situatedgen filter` writes it: in each, the first text is the right one.

    The texts stand in it from the last to the first.
    """
    (folder / "choice").mkdir(parents=True, exist_ok=True)
    rows = {
        "example_id": [f"example {number:02d}" for number in range(len(texts))],
        "keywords": [list(each) for each in keywords] or [["Spain"]] * len(texts),
        "choices": [list(reversed(each)) for each in texts],
        "label": [len(each) - 1 for each in texts],
        "context": [Context.GEO.value] * len(texts),
        "ids": [[f"own::train::{number}", f"own::train::{number + 100}"] for number in range(len(texts))],
    }
    pl.DataFrame(rows).write_parquet(folder / "choice" / f"{split.value}.parquet")
    return folder
