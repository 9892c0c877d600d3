"""Models that only recall: what they were told before they say again, and nothing else is asked."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

import polars as pl

from storage.digests import file_digest
from storage.filesystem import Readable, readable
from storage.memo import Memo, together
from storage.recalling import Compute, Recall
from storage.remembered import QUESTION, REMEMBERED, Lazy, Rows
from storage.store import Store

TEXT = {"text": pl.String}


class Overheard(Exception):  # noqa: N818 (not an error: where a stage is stopped)
    """A stage asked its model something; here is what."""

    def __init__(self, questions: pl.DataFrame) -> None:
        super().__init__(f"{questions.height} questions")
        self.questions = questions


def no_questions(role: str) -> pl.DataFrame:
    """The questions of a role, when there are none."""
    return pl.DataFrame(schema=QUESTION if role == "converter" else TEXT)


@dataclass(frozen=True)
class Overhear(Recall):
    """A memory that answers nothing, and stops the stage where it asks."""

    def answered(self, asked: pl.DataFrame, compute: Compute) -> pl.DataFrame:  # noqa: ARG002
        """Never anything: what was asked is raised."""
        raise Overheard(asked.unique(maintain_order=True))


@dataclass(frozen=True)
class RecallOnly(Recall):
    """A memory that answers what it knows, and writes nothing."""

    def answered(self, asked: pl.DataFrame, compute: Compute) -> pl.DataFrame:  # noqa: ARG002
        """The questions with their answers; raises what was asked where one is not known."""
        questions = asked.columns
        wanted = asked.unique()
        found = [rows.join(wanted, on=questions, how="semi") for rows in together(list(whole_parts(self.memo)))]
        answers = pl.concat([asked.clear(), *found], how="diagonal").unique(subset=questions, keep="first")
        if answers.height < asked.n_unique():
            raise Overheard(asked)
        return asked.join(answers, on=questions, how="left", maintain_order="left")


def unknown(memo: Memo, questions: pl.DataFrame) -> pl.DataFrame:
    """Those of some distinct questions whose answers are not remembered."""
    for known in together(list(whole_parts(memo)), questions.columns):
        return questions.join(known, on=questions.columns, how="anti")
    return questions


def whole_parts(memo: Memo) -> Iterator[Readable]:
    """The files of a memo that are as they were written; the others will be asked again."""
    for path in memo.paths():
        with suppress(OSError):
            content = readable(path)
            if file_digest(content) == path.stem:
                yield content


def forgetful(store: Store, identities: Mapping[str, Mapping[str, object]], recall: type[Recall]) -> dict[str, object]:
    """The models of a stage whose answers are remembered, by role, with one kind of memory and nothing behind it."""
    return {
        role: REMEMBERED[role](Rows(recall(Memo(store, role, identity)), Lazy(role, partial(_absent, role))))
        for role, identity in identities.items()
        if role in REMEMBERED
    }


def _absent(role: str) -> NoReturn:
    """A model is asked even when there are no texts, for how wide no vectors are."""
    raise Overheard(no_questions(role))
