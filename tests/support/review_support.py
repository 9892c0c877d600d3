"""Decisions, pairs, rankings and ballots made by hand, and small datasets, for tests of the annotation tool."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl
from hypothesis import strategies as st

from situatedgen.dataset.folder import FORMAT, MANIFEST
from situatedgen.review.ballots import Ballot, Candidates, Likelihood, Ranking, Task, candidates
from situatedgen.review.criteria import QUESTIONNAIRES
from situatedgen.review.decisions import Content, Decision
from situatedgen.review.queue import Pair
from situatedgen.vocabulary import Context, Mode, Split

WHEN = "2024-05-01T09:30:00Z"


def content(name: str) -> Content:
    """Two sentences that a name tells apart from those of any other name."""
    return Content((f"July is summer in {name}.", f"July is winter south of {name}."), Context.GEO.value)


def answers(mode: Mode = Mode.FILTER, faults: Iterable[str] = ()) -> dict[str, str]:
    """Yes to every question of a mode, but for those that the pair fails."""
    wrong = set(faults)
    return {name: "no" if name in wrong else "yes" for name in QUESTIONNAIRES[mode].names}


def decision(
    annotator: str,
    name: str,
    *faults: str,
    mode: Mode = Mode.FILTER,
    settles: Mode | None = None,
    at: str = WHEN,
    token: str = "",
    note: str = "",
    seconds: float = 5.0,
) -> Decision:
    """What a person decided about the pair of a name: valid, but for the criteria it fails.

    An adjudication `settles` a mode. Without a token of its own, the same decision has always the same one.
    """
    settled = settles or (Mode.FILTER if mode is Mode.ADJUDICATE else mode)
    told = "\x1f".join([annotator, name, mode, settled, at, *faults])
    return Decision(
        decision_id=token or hashlib.sha256(told.encode()).hexdigest()[:16],
        annotator=annotator,
        mode=mode,
        content=content(name),
        answers=answers(settled, faults),
        at=at,
        note=note,
        seconds=seconds,
    )


TEXTS = st.text(min_size=1, max_size=40).filter(lambda text: text.split() and text.isprintable())
NOTES = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40),
    st.sampled_from(["=1+1", "'=1+1", "@me", "-", "''+x", 'say "so"', "a,b\r\nc\n\nd", "'", " = 1"]),
)


@st.composite
def decisions(draw: st.DrawFn) -> Decision:
    """Any decision that can be made."""
    mode = draw(st.sampled_from(list(Mode)))
    asked = draw(st.sampled_from(list(QUESTIONNAIRES))) if mode is Mode.ADJUDICATE else mode
    return Decision(
        decision_id=draw(st.from_regex(r"\A[a-z0-9\-]{8,20}\Z")),
        annotator=draw(st.from_regex(r"\A[a-z0-9é_][a-z0-9_.\-]{0,20}\Z")),
        mode=mode,
        content=Content((draw(TEXTS), draw(TEXTS)), draw(st.sampled_from(list(Context))).value),
        answers={name: draw(st.sampled_from(["yes", "no"])) for name in QUESTIONNAIRES[asked].names},
        at=WHEN,
        note=draw(NOTES),
        seconds=draw(st.floats(min_value=0, max_value=1e6)),
    )


def pair(name: str, *, probability: float | None = None, example_id: str = "") -> Pair:
    """The pair of a name, as it is shown."""
    return Pair(example_id or f"example {name}", Split.TEST.value, (name, "July", "summer"), content(name), probability)


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


PLACES = (
    *("Japan", "Brazil", "Norway", "Kenya", "Peru", "Italy", "Nepal", "Chile", "Spain", "Egypt"),
    *("Canada", "Mexico", "Greece", "Cuba", "Iran", "Ghana", "Poland", "Fiji", "Oman", "Laos"),
)
COLUMNS = {
    "example_id": pl.String(),
    "keywords": pl.List(pl.String),
    "keywords_pos": pl.List(pl.Int64),
    "ids": pl.List(pl.String),
    "statements": pl.List(pl.String),
    "context": pl.String(),
    "probability": pl.Float32(),
}


def place_pairs(count: int) -> list[tuple[str, str]]:
    """So many pairs of sentences, each of two places."""
    couples = zip(PLACES, (*PLACES[1:], PLACES[0]), strict=True)
    pairs = [(f"It is summer in {left} in July.", f"It is winter in {right} in July.") for left, right in couples]
    return pairs[:count]


def write_dataset(folder: Path, pairs: Sequence[tuple[str, str]], *, split: Split = Split.TEST) -> Path:
    """A dataset folder whose one split holds some pairs, as far as whoever judges them needs it."""
    (folder / "data").mkdir(parents=True)
    (folder / MANIFEST).write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
    for each in Split:
        rows = [_row(number, pair) for number, pair in enumerate(pairs)] if each is split else []
        table = pl.DataFrame(rows, schema=COLUMNS, orient="row")
        table.write_parquet(folder / "data" / f"{each.value}.parquet")
    return folder


def _row(number: int, pair: tuple[str, str]) -> tuple[object, ...]:
    ids = [f"own::train::{2 * number + side}" for side in (0, 1)]
    words = [(word.strip("."), side) for side in (1, 0) for word in pair[side].split() if word[0].isupper()]
    places = {word: side for word, side in words if word != "It"}
    keywords = sorted(places, key=lambda word: (places[word], pair[places[word]].find(word)))
    told = list(keywords), [places[word] for word in keywords], ids, list(pair)
    return "|".join(ids), *told, Context.GEO.value, 0.4321
