"""`situatedgen oversample`: from sentences to endings and questions; how sentences are read, split and printed."""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli_support import run
from oversampling_support import TOY, toy_sentences
from situatedgen.errors import SettingsError, SourceError
from situatedgen.filtering.audit import JSON
from situatedgen.filtering.oversampling.corpus import Given, Word, fault, read_corpus, split, vocabulary
from situatedgen.filtering.oversampling.settings import oversample_settings
from situatedgen.filtering.pool import pool_of
from situatedgen.models.registry import load
from situatedgen.models.roles import Parser
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

QUICK = ("writer.size=16", "writer.epochs=12", "writer.learning_rate=0.02", "writer.pretraining=1", "audits=1")
SMALL = ("sampling.population=8", "sampling.rows=60", "filter.max_iterations=2", "filter.wrong=2")
COMMITTEE = ("size=8", "epochs=1", "language.size=8", "language.epochs=1")
FEW = (*QUICK, *SMALL, *(f"committee.{each}" for each in COMMITTEE))
NAMES = ("Anna", "A boy", "The farmer", "My uncle", "A girl", "The nurse")
VERBS = ("paints", "cleans", "sells", "repairs")
THINGS = ("the red boat", "an old bicycle", "the wooden door", "a kitchen table")
PLACES = ("near the harbour", "behind the school", "in the garden")


def options(settings: tuple[str, ...]) -> list[str]:
    return [f"--set={each}" for each in settings]


@pytest.fixture(scope="module")
def parser() -> Parser:
    found: Parser = load("parser", ModelParams(name="spacy"), Runtime())
    return found


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any], list[object]]:
    """The endings and questions of made-up sentences, and the words that asked for them."""
    folder = tmp_path_factory.mktemp("oversample")
    sentences = [
        f"{name} {verb} {thing} {place}." for name in NAMES for verb in VERBS for thing in THINGS for place in PLACES
    ]
    (folder / "corpus.txt").write_text("\n".join([*sentences, "A red boat in the garden."] * 2), encoding="utf-8")
    words = [folder / "corpus.txt", "--out", folder / "out", "--store", folder / "store", "--threads", 1, "--filter"]
    return folder / "out", json.loads(run("oversample", *words, "--json", *options(FEW))), words


@pytest.mark.weights
def test_every_row_has_its_folder_of_tables(command: Any) -> None:
    out, told, _ = command
    rows, endings = pl.read_parquet(out / "rows.parquet"), pl.read_parquet(out / "endings.parquet")
    assert told["rows"] == {"kept": 288, "repeated": 288, "no_clause": 2}
    assert dict(rows.group_by("verdict").len().iter_rows()) == told["rows"]
    kept = endings.filter(pl.col("verdict") == "kept")
    assert kept.height == sum(fold["fates"]["kept"] for fold in told["folds"])
    assert kept.group_by("row_id").len()["len"].max() <= 8
    assert sum(fold["rows"] for fold in told["folds"]) == 288
    assert json.loads((out / "oversampling.json").read_text(encoding="utf-8"))["folds"] == told["folds"]


@pytest.mark.weights
def test_questions_hold_the_real_ending_among_written_ones(command: Any) -> None:
    out, told, _ = command
    rows = {row["row_id"]: row for row in pl.read_parquet(out / "rows.parquet").iter_rows(named=True)}
    questions = pl.read_parquet(out / "questions.parquet")
    pool = pool_of(pl.read_parquet(out / "pools.parquet"), wrong=2, population=1023)
    assert questions["row_id"].to_list() == sorted(pool.item_ids)
    assert questions.height == told["questions"] > 20
    for question in questions.iter_rows(named=True):
        row = rows[question["row_id"]]
        assert len(set(question["choices"])) == 3
        assert question["choices"][question["label"]] == f"{row['noun_phrase']} {row['ending']}."
    curve = json.loads((out / JSON).read_text(encoding="utf-8"))
    assert [step["number"] for step in curve["steps"]] == [0, 1]
    assert list(told["after"]) == ["mlp", "bag", "cnn", "lstm", "ensemble"]


@pytest.mark.weights
def test_a_second_run_writes_the_same_and_teaches_nothing(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    out, _, words = command
    before = {path.name: path.read_bytes() for path in out.glob("*.parquet")}
    monkeypatch.setattr("situatedgen.filtering.oversampling.language_models.train_language_model", None)
    monkeypatch.setattr("situatedgen.filtering.oversampling.endings.draw_endings", None)
    assert "texts of the corpus: kept 288, repeated 288, no clause 2" in run("oversample", *words, *options(FEW))
    assert {path.name: path.read_bytes() for path in out.glob("*.parquet")} == before


@pytest.mark.weights
@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("In the park, a man slowly eats a ball.", [("In the park ,", "a man", "slowly eats a ball .")]),
        ("The man in the red shirt is not reading", [("", "The man in the red shirt", "is not reading")]),
        ("A priest sings as he walks home.", [("A priest sings as", "he", "walks home .")]),
        ("The woman dries the dog. The dog walks away.", [("The woman dries the dog .", "The dog", "walks away .")]),
        ("The man says that the dog barks loudly.", [("", "The man", "says that the dog barks loudly .")]),
        ("There is a man.", []),
        ("two dogs in the snow", []),
        ("Throw the ball!", []),
    ],
)
def test_a_sentence_is_split_at_the_verb_phrase_of_its_last_clause(
    parser: Parser, text: str, parts: list[tuple[str, str, str]]
) -> None:
    (tokens,) = parser.parse([text])
    words = [text[token.start : token.end] for token in tokens]
    found = [(one.context, one.noun_phrase, one.ending, one.end) for one in split(tokens)]
    assert [tuple(" ".join(words[a:b]) for a, b in pairwise(one)) for one in found] == parts


@pytest.mark.weights
@pytest.mark.parametrize(
    ("noun_phrase", "ending", "fate"),
    [
        ("The old man", "throws the ball while a woman watches", "kept"),
        ("The old man", "will run away", "kept"),
        ("I", "am sitting on a bench", "kept"),
        ("I", "has a small garden", "no_agreement"),
        ("The old man", "of the house", "no_verb_phrase"),
        ("The old man", "sitting on a bench", "no_verb_phrase"),
        ("They", "is sitting on a bench", "no_agreement"),
        ("The dogs", "was sold in the city", "no_agreement"),
        ("A dog and a cat", "sleeps in the garden", "no_agreement"),
        ("The actor", "attends the premiere of", "dangling"),
        ("The actor", "sees the the premiere", "stuttering"),
        ("The house", "is the a lake", "stuttering"),
    ],
)
def test_an_ending_must_be_sound_english_to_the_parse(parser: Parser, noun_phrase: str, ending: str, fate: str) -> None:
    text = f"{noun_phrase} {ending}."
    (tokens,) = parser.parse([text])
    assert fault(text, tokens, len(noun_phrase) + 1) == fate


def test_a_corpus_is_read_from_lines_lists_and_rows(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A  dog runs.\n\nA cat sleeps.\n", encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"scene": ["A dog runs.", "It barks."]}\n{"scene": []}\n', encoding="utf-8")
    (tmp_path / "c.csv").write_text("context,noun_phrase,ending\nIt rains.,The dog,runs\n,It,\n", encoding="utf-8")
    assert read_corpus(tmp_path / "a.txt", column="sentence") == (
        Given("0-0", "0", "A dog runs."),
        Given("2-0", "2", "A cat sleeps."),
    )
    assert read_corpus(tmp_path / "b.jsonl", column="scene") == (
        Given("0-0", "0", "A dog runs."),
        Given("0-1", "0", "It barks."),
    )
    assert read_corpus(tmp_path / "c.csv", column="") == (Given("0", "0", "It rains. The dog runs", (10, 18)),)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.doc", "A dog runs.", "expected a file that ends in one of"),
        ("a.txt", "\n", "contains no text"),
        ("a.jsonl", '{"text": "A dog runs."}\n', "--column"),
        ("a.parquet", "A dog runs.", "cannot be read"),
    ],
)
def test_what_is_no_corpus_is_refused(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(SourceError, match=said):
        read_corpus(tmp_path / name, column="sentence")


def test_a_folder_that_is_none_of_ours_and_bad_settings_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A dog runs.\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="was not written by `situatedgen oversample`"):
        run("oversample", tmp_path / "a.txt", "--out", tmp_path, "--store", tmp_path / "store")
    with pytest.raises(SettingsError, match="top_q"):
        oversample_settings(None, ("sampling.top_q=3",))
    with pytest.raises(SettingsError, match=r"writer\.size"):
        oversample_settings(None, ("writer.size=0",))
    (tmp_path / "a.toml").write_text("[writer]\nsize = 9\nepochs = 2\n", encoding="utf-8")
    found = oversample_settings(tmp_path / "a.toml", ("writer.epochs=3", "committee.size=8"))
    assert (found.writer.size, found.writer.epochs, found.writer.batch_size) == (9, 3, 64)
    assert (found.committee.size, found.committee.reads) == (8, "second")


def printed(text: str) -> list[Word]:
    """The words of a text whose parts are set off by bars, with a space where there was one before."""
    parts = text.replace(" ", " |").split("|")
    return [
        Word(part.strip(), is_apart=number > 0 and parts[number - 1].endswith(" "), is_first=number == 0)
        for number, part in enumerate(parts)
    ]


def test_words_are_printed_as_the_corpus_prints_them() -> None:
    texts = [printed("The dog|'s bone|, in well|-|known Paris"), printed("the cat in Paris|, well|-|fed")]
    words = vocabulary(texts, min_count=1, size=99)
    numbers = words.numbers(["The", "CAT", "'s", "well", "-", "known", "bone", ",", "paris", "unheard"])
    assert words.text(numbers) == "the cat's well-known bone, Paris [rare]"


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1, max_size=20))
def test_rare_words_are_unknown_and_others_come_back(texts: list[list[str]]) -> None:
    told = [[Word(word, is_apart=True, is_first=number == 0) for number, word in enumerate(text)] for text in texts]
    words = vocabulary(told, min_count=3, size=99)
    counts = {word: sum(text.count(word) for text in texts) for word in "abcdef"}
    assert set(words.words) == {word for word, count in counts.items() if count >= 3}
    assert words.text(words.numbers(words.words)) == " ".join(words.words)


FLOW = """
import sys
from pathlib import Path
from flows.oversample_endings import oversample_endings
from situatedgen.filtering.oversampling.settings import OversampleSettings
from situatedgen.runtime import Runtime

settings, folder = OversampleSettings.model_validate_json(sys.argv[1]), Path(sys.argv[2])
runtime = Runtime(device="cpu", threads=1)
oversample_endings(folder / "toy.txt", sys.argv[2] + "/store", folder / "out", settings=settings, runtime=runtime)
"""


@pytest.mark.prefect
def test_the_flow_writes_endings_and_shows_folds(
    run_flow: Callable[..., None], read_artifacts: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    (tmp_path / "toy.txt").write_text("\n".join(toy_sentences()[:200]), encoding="utf-8")
    settings = oversample_settings(None, (*QUICK, *SMALL, f"rows.parser.name={TOY.name}")).model_dump_json()
    run_flow(FLOW, settings, tmp_path)
    shown = json.loads(read_artifacts("oversampling")["oversampling"])
    summary = json.loads((tmp_path / "out" / "oversampling.json").read_text(encoding="utf-8"))
    assert [row["kept"] for row in shown] == [fold["fates"]["kept"] for fold in summary["folds"]]
