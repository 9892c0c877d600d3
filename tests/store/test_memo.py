"""Laws of the row memo: answers are the model's own, and no text is asked twice."""

import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event, Thread
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from situatedgen.errors import ModelError
from situatedgen.models import registry
from situatedgen.models.batches import answer_rows
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind
from storage import memo as memos
from storage.batches import ModelLoader
from storage.builds import Outcome, read_build_table
from storage.memo import CallCount, Memo
from storage.store import Store, file_digest
from store_support import built

ROLES = ("converter", "tagger", "nouns", "parser", "encoder")
WORDS = st.sampled_from(["Paris", "in May", "tall", "A river", "?", "Is it", "é\x00", "東京", " ", ""])
TEXTS = st.lists(WORDS, max_size=4).map(" ".join)
BATCHES = st.lists(st.lists(TEXTS, max_size=6), max_size=5)
HARMS: dict[str, Callable[[bytes], bytes | None]] = {
    "deleted": lambda content: None,
    "emptied": lambda content: b"",
    "truncated": lambda content: content[:-5],
    "flipped": lambda content: content[:99] + bytes([content[99] ^ 4]) + content[100:],
}


def ask(model: object, role: str, texts: Sequence[str]) -> list[object]:
    """The answers, in a form in which equal means equal in every bit."""
    yes_no = {"answer": pl.lit("yes"), "kind": pl.lit(ItemKind.YES_NO.value)}
    name = "question" if role == "converter" else "text"
    asked = pl.DataFrame({name: texts}, schema={name: pl.String}).with_columns(**yes_no if role == "converter" else {})
    answers = answer_rows(role, model, asked)
    return [vector.tobytes() for vector in answers["vector"].to_numpy()] if role == "encoder" else answers.rows()


def fake(role: str) -> object:
    model: object = registry.load(role, ModelParams(name="fake"), Runtime())
    return model


def remembering(root: Path, role: str, *, calls: CallCount | None = None, revision: str = "") -> Any:
    params = ModelParams(name=f"counted:{role.capitalize()}", revision=revision)
    return ModelLoader(Store(root), Runtime(), calls or CallCount()).model(role, params)


def memo_of(model: Any) -> Memo:
    memo: Memo = model.cache.memo
    return memo


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memos, "BATCH", 2)
    monkeypatch.setattr(memos, "FEW_PARTS", 3)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("role", ROLES)
@settings(max_examples=12, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(BATCHES)
def test_answers_are_the_models_own_and_no_text_is_asked_twice(
    counted: Any, role: str, batches: list[list[str]]
) -> None:
    counted.asked()
    with tempfile.TemporaryDirectory() as folder:
        for batch in batches:
            assert ask(remembering(Path(folder), role), role, batch) == ask(fake(role), role, batch)
    asked = [text.removesuffix(" yes") if role == "converter" else text for _, text in counted.asked()]
    assert asked == list(dict.fromkeys(text for batch in batches for text in batch))


@pytest.mark.parametrize("role", ROLES)
def test_what_was_computed_and_what_was_recalled_is_counted(counted: Any, root: Path, role: str) -> None:
    calls = CallCount()
    ask(remembering(root, role, calls=calls), role, ["a", "b", "a", "b"])
    ask(remembering(root, role, calls=calls), role, ["b", "c"])
    assert calls.computed == 3


def test_vectors_come_back_bit_for_bit(counted: Any, root: Path) -> None:
    texts = [f"text {number}" for number in range(50)]
    own = fake("encoder").encode(texts)  # type: ignore[attr-defined]
    first, again = (remembering(root, "encoder").encode(texts) for _ in range(2))
    assert (first.dtype, first.shape, first.tobytes()) == (own.dtype, own.shape, own.tobytes())
    assert (again.dtype, again.shape, again.tobytes()) == (own.dtype, own.shape, own.tobytes())


@pytest.mark.parametrize("role", ROLES)
def test_each_batch_is_a_part_named_by_its_bytes(
    counted: Any, root: Path, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memos, "BATCH", 3)
    model = remembering(root, role)
    ask(model, role, [f"text {number}" for number in range(8)])
    parts = memo_of(model).paths()
    assert sorted(pl.read_parquet(path).height for path in parts) == [2, 3, 3]
    assert [path.stem for path in parts] == [file_digest(path) for path in parts]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("role", ROLES)
def test_of_a_harmed_part_only_its_rows_are_asked_again(
    counted: Any, root: Path, role: str, harm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memos, "BATCH", 4)
    texts = [f"text {number}" for number in range(20)]
    own = ask(remembering(root, role), role, texts)
    victim = memo_of(remembering(root, role)).paths()[2]
    lost = pl.read_parquet(victim)[:, 0].to_list()
    damage(victim, HARMS[harm])
    counted.asked()
    assert ask(remembering(root, role), role, texts) == own
    assert sorted(text.removesuffix(" yes") for _, text in counted.asked()) == sorted(lost)
    assert ask(remembering(root, role), role, texts) == own
    assert counted.asked() == []


def damage(path: Path, harm: Callable[[bytes], bytes | None]) -> None:
    content = harm(path.read_bytes())
    path.unlink() if content is None else path.write_bytes(content)


def test_when_every_part_of_many_is_harmed_all_is_asked_again(
    counted: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memos, "BATCH", 1)
    texts = [f"text {number}" for number in range(30)]
    own = ask(remembering(root, "tagger"), "tagger", texts)
    for path in memo_of(remembering(root, "tagger")).paths():
        damage(path, HARMS["emptied"])
    memo_of(remembering(root, "tagger")).compact()
    counted.asked()
    assert ask(remembering(root, "tagger"), "tagger", texts) == own
    assert len(counted.asked()) == 30


@pytest.mark.parametrize("role", ROLES)
def test_putting_parts_together_loses_nothing(
    counted: Any, root: Path, role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memos, "BATCH", 1)
    texts = [f"text {number}" for number in range(80)]
    own = ask(remembering(root, role), role, texts)
    memo = memo_of(remembering(root, role))
    memo.compact()
    assert [pl.read_parquet(path).height for path in memo.paths()] == [80]
    counted.asked()
    assert ask(remembering(root, role), role, texts) == own
    assert counted.asked() == []


def test_a_reader_misses_nothing_while_parts_are_put_together(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two writers append and put together, as two processes would; whoever reads sees all that was there before."""
    monkeypatch.setattr(memos, "FEW_PARTS", 4)
    memo, stop, written = Memo(Store(root), "tagger", {"name": "m"}), Event(), [0, 0]
    writers = [Thread(target=append_and_compact, args=(memo, writer, written, stop)) for writer in (0, 1)]
    for thread in writers:
        thread.start()
    try:
        misses = [missed(memo, list(written)) for _ in range(60)]
    finally:
        stop.set()
        for thread in writers:
            thread.join()
    assert sum(written) > 0
    assert misses == [set()] * 60
    assert missed(memo, written) == set()


def append_and_compact(memo: Memo, writer: int, written: list[int], stop: Event) -> None:
    while not stop.is_set():
        memo.append(pl.DataFrame({"text": [f"{writer}-{written[writer]}"]}))
        written[writer] += 1
        memo.compact()


def missed(memo: Memo, written: list[int]) -> set[str]:
    found = {text for part in memo.read() for text in part["text"]}
    return {f"{writer}-{number}" for writer in (0, 1) for number in range(written[writer])} - found


BAD = """
import os

import numpy as np

from situatedgen.models import fakes


class Tagger(fakes.FakeTagger):
    def tag(self, texts):
        return spoilt(super().tag(texts))


class Nouns(fakes.FakeNouns):
    def find(self, texts):
        return spoilt(super().find(texts))


class Converter(fakes.FakeConverter):
    def convert(self, questions):
        return spoilt(super().convert(questions))


class Encoder(fakes.FakeEncoder):
    def encode(self, texts):
        return spoilt(super().encode(texts))


SPOILT = {
    "none": lambda answers: answers,
    "few": lambda answers: answers[:-1],
    "many": lambda answers: [*answers, answers[0]],
    "long": lambda vectors: vectors * np.float32(2),
    "nan": lambda vectors: vectors * np.float32("nan"),
    "double": lambda vectors: vectors.astype(np.float64),
    "flat": lambda vectors: vectors.ravel(),
    "narrow": lambda vectors: np.eye(len(vectors), 7, dtype=np.float32),
}


def spoilt(answers):
    return SPOILT[os.environ["FAULT"]](answers)
"""


@pytest.mark.parametrize(
    ("role", "fault", "said"),
    [
        ("tagger", "few", "returned 2 answers, expected 3"),
        ("tagger", "many", "returned 4 answers, expected 3"),
        ("nouns", "few", "returned 2 answers, expected 3"),
        ("converter", "few", "returned 2 answers, expected 3"),
        ("encoder", "few", r"shape \(2, 64\)"),
        ("encoder", "flat", r"shape \(192,\)"),
        ("encoder", "long", "has length [12]"),
        ("encoder", "nan", "has length nan"),
        ("encoder", "double", "float64"),
    ],
)
def test_a_bad_answer_is_refused_and_not_remembered(
    counted: Any, root: Path, role: str, fault: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted.write(BAD)
    monkeypatch.setenv("FAULT", fault)
    with pytest.raises(ModelError, match=said):
        ask(remembering(root, role), role, ["a", "b", "c"])
    assert memo_of(remembering(root, role)).read() == ()
    monkeypatch.setenv("FAULT", "none")
    assert ask(remembering(root, role), role, ["a", "b", "c"]) == ask(fake(role), role, ["a", "b", "c"])


def test_a_vector_of_another_width_is_refused_and_not_remembered(
    counted: Any, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted.write(BAD)
    monkeypatch.setenv("FAULT", "none")
    ask(remembering(root, "encoder"), "encoder", ["a"])
    monkeypatch.setenv("FAULT", "narrow")
    with pytest.raises(ModelError, match="7"):
        ask(remembering(root, "encoder"), "encoder", ["a", "b"])
    monkeypatch.setenv("FAULT", "none")
    assert ask(remembering(root, "encoder"), "encoder", ["b", "a"]) == ask(fake("encoder"), "encoder", ["b", "a"])


@pytest.mark.parametrize(
    ("old", "new", "asked_again"),
    [
        ("time.sleep(float(", "time.sleep(0 + float(", True),  # other code, far from the model itself
        ("def note(role", "# A comment says more.\ndef note(role", False),  # no code at all
        ("    texts = [", '    """A docstring."""\n    texts = [', False),  # no code at all
        ("import json\n", "import json\n\n\nUNUSED = 1\n", False),  # code that the model does not reach
    ],
)
@pytest.mark.parametrize("role", ROLES)
def test_other_code_asks_all_again_and_other_words_nothing(
    counted: Any, root: Path, role: str, old: str, new: str, *, asked_again: bool
) -> None:
    own = ask(remembering(root, role), role, ["a", "b"])
    counted.asked()
    text = (counted.folder / "counted.py").read_text()
    assert old in text
    counted.write(text.replace(old, new, 1))
    assert ask(remembering(root, role), role, ["a", "b"]) == own
    assert len(counted.asked()) == (2 if asked_again else 0)


@pytest.mark.parametrize("role", ROLES)
def test_another_revision_asks_all_again(counted: Any, root: Path, role: str) -> None:
    for revision, expected in [("1", 2), ("2", 2), ("1", 0)]:
        ask(remembering(root, role, revision=revision), role, ["a", "b"])
        assert len(counted.asked()) == expected


def test_models_of_ones_own_remember_like_ours(counted: Any, root: Path, few: Path, tmp_path: Path) -> None:
    own, ours = (built(Store(root), few, *overrides) for overrides in (counted.OVERRIDES, ()))
    assert read_build_table(Store(root), own, "examples").equals(read_build_table(Store(root), ours, "examples"))
    asked = counted.asked()
    assert len(asked) == len(set(asked)) == sum(outcome.computed for outcome in own.outcomes if model_of(outcome))
    grown = tmp_path / "grown"
    shutil.copytree(few, grown)
    with (grown / "creak" / "dev.json").open("a") as stream:
        stream.write('{"sentence": "Egypt has many tall mountains.", "label": "true"}\n')
    built(Store(root), grown, *counted.OVERRIDES)
    assert counted.asked() == [
        ("tagger", "Egypt has many tall mountains."),
        ("nouns", "Egypt has many tall mountains."),
        ("parser", "Egypt has many tall mountains."),
    ]


def model_of(outcome: Outcome) -> bool:
    return outcome.ref.stage in {"statements", "entities", "keywords", "parses", "embeddings"}
