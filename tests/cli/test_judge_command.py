"""The command `judge`: whose rows it reads, what it adds to them, how it scores a judge, and what it refuses."""

import json
import os
import re
import textwrap
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import cli_support
from chat_server import said, serving
from situatedgen.errors import ModelError, RecordError, SettingsError, SourceError
from situatedgen.models import registry
from situatedgen.pair_files import Scores, ask_judge, label, read_rows, score
from situatedgen.params import ModelParams
from situatedgen.progress import Silent
from situatedgen.records import Judgement
from situatedgen.runtime import Runtime

HOT, COLD = "It is hot in July.", "It is cold in January."
SNOW, RAIN = "It snows in Norway.", "It rains in Peru."
# Words in common, of all words: it, is, in of it, is, hot, in, july, cold, january; it, in of it, snows, in, norway, …
SEASONS, PLACES = round(3 / 7, 6), round(2 / 6, 6)


def answers(share: float, **names: str) -> dict[str, float]:
    """What the fake judge says: the same of every part."""
    parts = ("probability", "fluent", "antithesis", "dependent", "common")
    return {names.get(name, name): share for name in parts}


def save(path: Path, rows: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def load(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(path: Path, out: Path, *options: object, judge: str = "fake") -> str:
    return cli_support.run("judge", path, "--out", out, "--judge", judge, *options)


def test_rows_of_each_form_are_written_as_they_were_with_the_answers(tmp_path: Path) -> None:
    rows = [
        {"sentence_1": HOT, "sentence_2": COLD, "note": "日本", "n": [1, 2.5, None]},
        {"statements": [RAIN, SNOW], "statement": "something else"},
        {"statement": f"{COLD} {HOT}", "statements": None},
    ]
    out = tmp_path / "new" / "judged.jsonl"
    told = run(save(tmp_path / "pairs.jsonl", rows), out, "--threshold", "0.4")
    assert load(out) == [rows[0] | answers(SEASONS), rows[1] | answers(PLACES), rows[2] | answers(SEASONS)]
    assert told == f"{out}: 3 pairs, 2 with probability 0.4 or more\n"
    assert [path.name for path in out.parent.iterdir()] == [out.name]


def test_a_folder_of_the_authors_is_one_file_whose_rows_have_their_split(tmp_path: Path) -> None:
    """There is no dev; `statements.jsonl` is something else, and is left alone."""
    train, test = {"statement": f"{HOT} {COLD}", "ids": ["a", "b"]}, {"statements": [SNOW, RAIN], "split": "held out"}
    save(tmp_path / "release" / "train.jsonl", [train])
    save(tmp_path / "release" / "test.jsonl", [test])
    save(tmp_path / "release" / "statements.jsonl", [{"id": "a"}])
    run(tmp_path / "release", tmp_path / "judged.jsonl")
    assert load(tmp_path / "judged.jsonl") == [
        train | {"split": "train"} | answers(SEASONS),
        test | answers(PLACES),
    ]


def test_a_dataset_of_ours_keeps_its_own_probability(tiny: Any, tmp_path: Path) -> None:
    """The same judge as in the build says the same."""
    run(tiny.out, tmp_path / "judged.jsonl", "--preset", "tiny")
    judged = load(tmp_path / "judged.jsonl")
    examples = [
        row | {"split": split} for split in ("train", "dev", "test") for row in load(tiny.out / f"data/{split}.jsonl")
    ]
    assert judged == [
        row | answers(made["judge_probability"], probability="judge_probability")
        for row, made in zip(examples, judged, strict=True)
    ]
    assert [row["judge_probability"] for row in judged] == [row["probability"] for row in examples]


def test_a_name_that_any_row_has_is_changed_in_every_row(tmp_path: Path) -> None:
    rows = [{"statements": [HOT, COLD], "fluent": 1, "common": "yes"}, {"statements": [SNOW, RAIN]}]
    run(save(tmp_path / "pairs.jsonl", rows), tmp_path / "judged.jsonl")
    changed = {"fluent": "judge_fluent", "common": "judge_common"}
    assert load(tmp_path / "judged.jsonl") == [
        rows[0] | answers(SEASONS, **changed),
        rows[1] | answers(PLACES, **changed),
    ]
    again = tmp_path / "again.jsonl"
    with pytest.raises(
        RecordError,
        match=r"judged\.jsonl, line 1: the field judge_fluent, which the judge's answer needs, already exists",
    ):
        run(tmp_path / "judged.jsonl", again)
    assert not again.exists()


def test_a_text_is_cut_at_sentences_that_other_rows_have(tmp_path: Path) -> None:
    """After `U.S.` Punkt sees no end; the second row tells that there is one."""
    pony = "The Pony Express delivered mail in the U.S."
    path = save(tmp_path / "pairs.jsonl", [{"statement": f"{pony} {HOT}"}, {"statement": f"{HOT} {pony}"}])
    assert [row.pair for row in read_rows({"": path})] == [(pony, HOT), (HOT, pony)]


def test_blank_lines_a_mark_and_odd_characters_are_no_trouble(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    row = f'{{"statements": ["{HOT}", "{COLD}\u2028"], "half": "\\ud800"}}'
    path.write_bytes(f"\ufeff{row}\r\n\r\n{row}".encode())
    run(path, tmp_path / "judged.jsonl")
    judged = (tmp_path / "judged.jsonl").read_bytes().split(b"\n")
    assert judged[0] == judged[1]
    assert json.loads(judged[0]) == json.loads(row) | answers(SEASONS)


TWO = "expected sentence_1 and sentence_2, or statements (a list of two), or statement (two sentences in one text)"
TEXT = "expected non-empty, valid Unicode text in"


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("[1]", "expected a JSON object, found [1]"),
        ('{"statements": ', "expected JSON, found an error at column 16: expecting value"),
        ("{}", f"{TWO}, found no fields"),
        ('{"text": "It is hot.", "n": 1}', f"{TWO}, found the fields text, n"),
        ('{"sentence_1": "It is hot."}', f"{TEXT} sentence_2, found none"),
        ('{"sentence_1": "It is hot.", "sentence_2": 5}', f"{TEXT} sentence_2, found 5"),
        ('{"sentence_1": " ", "sentence_2": "It is hot."}', f'{TEXT} sentence_1, found " "'),
        ('{"statements": ["It is hot.", "\\ud800"]}', f'{TEXT} statements, found "\\ud800"'),
        ('{"statements": ["It is hot."]}', 'expected a list of two sentences in statements, found ["It is hot."]'),
        (
            '{"statement": "It is hot."}',
            'expected two sentences in statement, found 1 in "It is hot."; use statements, a list of two',
        ),
    ],
)
def test_a_bad_row_is_named_before_anybody_is_asked(row: str, fault: str, tmp_path: Path) -> None:
    """The judge cannot even be loaded, and what was written before stays."""
    path, out = tmp_path / "pairs.jsonl", save(tmp_path / "judged.jsonl", ["before"])
    path.write_text(f"{json.dumps({'statements': [HOT, COLD]})}\n\n{row}\n", encoding="utf-8")
    with pytest.raises(RecordError, match=f"^{re.escape(f'{path}, line 3: {fault}')}$"):
        run(path, out, judge="no:such")
    assert load(out) == ["before"]


def test_no_rows_and_no_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"expected rows with pairs of sentences, found none in .*empty\.jsonl$"):
        run(save(tmp_path / "empty.jsonl", []), tmp_path / "judged.jsonl")
    with pytest.raises(
        SettingsError, match=r"contains no pair files; expected at least one of train\.jsonl, .* data/test\.jsonl"
    ):
        run(tmp_path, tmp_path / "judged.jsonl")


def test_the_input_is_not_written_over(tmp_path: Path) -> None:
    path = save(tmp_path / "data" / "dev.jsonl", [{"statements": [HOT, COLD]}])
    (tmp_path / "link.jsonl").symlink_to(path)
    before = path.read_bytes()
    for given, out in ((path, path), (path, tmp_path / "link.jsonl"), (tmp_path, path)):
        with pytest.raises(SettingsError, match="is an input file; choose another file for the answers"):
            run(given, out)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (
            ("--judge", "fkae"),
            "unknown judge 'fkae'; known: cross-encoder, embedded, fake, llm, none; did you mean 'fake'",
        ),
        (
            ("--judge", "none"),
            "no judge is configured; choose one with --judge: embedded, cross-encoder, llm, fake",
        ),
        (("--preset", "paper"), "no judge is configured"),
        (("--set", "pairs.min_similarity=0.9"), "--set pairs.min_similarity=0.9: expected a param of the stage judged"),
        (("--set", "judged.judge.revision=main"), "judged.judge.revision is 'main', which can change"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(options: tuple[str, ...], fault: str, tmp_path: Path) -> None:
    path = save(tmp_path / "pairs.jsonl", [{"statements": [HOT, COLD]}])
    with pytest.raises(SettingsError, match=re.escape(fault)):
        cli_support.run("judge", path, "--out", tmp_path / "judged.jsonl", *options)


@pytest.mark.parametrize(
    ("fields", "valid"),
    [
        ({"valid": True, "fluent": 0}, True),
        ({"valid": 0}, False),
        ({"fluent": 1, "antithesis": True, "dependent": 1, "common": 0}, True),  # need not be common
        ({"fluent": 1, "antithesis": False, "dependent": 1}, False),
        ({"fluent": 1, "antithesis": 1}, None),
        ({"fluent": 1.0, "antithesis": 1.0, "dependent": 1.0}, None),  # what a judge said
        ({"valid": "yes"}, None),
        ({"valid": 2}, None),
        ({}, None),
    ],
)
def test_labels_are_true_false_or_0_and_1(fields: dict[str, object], valid: bool | None) -> None:
    assert label(fields) is valid


def test_labelled_rows_tell_how_well_the_judge_does(tmp_path: Path) -> None:
    """By hand: of the four pairs of a valid and another, the judge ranks three right and ties one: 3.5 of 4."""
    rows = [
        {"statements": [HOT, HOT], "valid": 1},
        {"statements": [SNOW, RAIN], "valid": 1},
        {"statements": [RAIN, SNOW], "fluent": 1, "antithesis": 0, "dependent": 1},
        {"statements": ["Rome.", "Peru."], "valid": False},
        {"statements": [HOT, COLD], "valid": None},
    ]
    path, out = save(tmp_path / "pairs.jsonl", rows), tmp_path / "judged.jsonl"
    assert run(path, out, "--threshold", "0.3") == (
        f"{out}: 5 pairs, 4 with probability 0.3 or more\n"
        "4 labelled pairs, 50.0% of them valid\n"
        "area under the ROC curve: 0.875\n"
        "precision at 0.3: 66.7% of 3 labelled pairs, recall 100.0%\n"
    )
    assert run(save(path, rows[:2]), out, "--set", "judged.min_probability=1") == (
        f"{out}: 2 pairs, 1 with probability 1 or more\n"
        "2 labelled pairs, 100.0% of them valid\n"
        "area under the ROC curve: undefined, because all labels are the same\n"
        "precision at 1: 100.0% of 1 labelled pair, recall 50.0%\n"
    )
    assert run(save(path, rows[3:]), out, "--threshold", "0.55") == (
        f"{out}: 2 pairs, 0 with probability 0.55 or more\n"
        "1 labelled pair, 0.0% of them valid\n"
        "area under the ROC curve: undefined, because all labels are the same\n"
        "precision at 0.55: undefined, because no labelled pair reaches it\n"
    )


def test_rows_without_labels_have_no_scores(tmp_path: Path) -> None:
    rows = read_rows({"": save(tmp_path / "pairs.jsonl", [{"statements": [HOT, COLD]}] * 2)})
    judgements = [Judgement(0.5, 0.5, 0.5, 0.5, 0.5)] * 2
    assert score(rows, judgements, threshold=0.5) is None
    rows[0].fields["valid"] = True
    assert score(rows, judgements, threshold=0.5) == Scores(labelled=1, valid=1, area=None, chosen=1, right=1)


class Steps(Silent):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[object, ...]] = []

    def start(self, name: str, total: int | None, done: int = 0) -> None:
        self.told.append(("start", total))

    def advance(self, name: str, steps: int, note: str = "") -> None:
        self.told.append(("advance", steps))

    def finish(self, name: str) -> None:
        self.told.append(("finish",))


def test_progress_counts_pairs_that_differ() -> None:
    texts = [f"It is {word}." for word in ("hot", "cold", "wet", "dry")]
    steps, fake = Steps(), registry.load("judge", ModelParams(name="fake"), Runtime())
    found = ask_judge([*pairwise(texts), (texts[1], texts[0])], fake, step=2, progress=steps)
    assert found == [Judgement(0.5, 0.5, 0.5, 0.5, 0.5)] * 4
    assert steps.told == [("start", 3), ("advance", 2), ("advance", 1), ("finish",)]


COUNTING = """
    from pathlib import Path

    from situatedgen.records import Judgement


    class Judge:
        def __init__(self, params, runtime):
            self.log = Path(params.weights)

        def judge(self, pairs):
            with self.log.open("a") as log:
                log.writelines(f"{left} {right}\\n" for left, right in pairs)
            return [Judgement(1 / 3, 0.1, 0.2, 0.3, 0.4) for _ in pairs]
"""


def test_a_judge_of_ones_own_is_asked_each_pair_once_and_a_store_remembers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "counting_judge.py").write_text(textwrap.dedent(COUNTING), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    pairs = [(HOT, COLD), (COLD, HOT), (SNOW, RAIN)]
    path = save(tmp_path / "pairs.jsonl", [{"sentence_1": left, "sentence_2": right} for left, right in pairs])
    log, out, store = tmp_path / "log.txt", tmp_path / "judged.jsonl", tmp_path / "store"
    own = ("--set", f"judged.judge.weights={log}", "--set", "judged.judge.revision=1")
    once = [f"{COLD} {HOT}", f"{RAIN} {SNOW}"]

    run(path, out, *own, judge="counting_judge:Judge")
    first = load(out)
    assert log.read_text(encoding="utf-8").splitlines() == once
    assert [row["probability"] for row in first] == [0.333333] * 3
    log.unlink()
    run(path, out, *own, "--store", store, judge="counting_judge:Judge")
    assert load(out) == first
    assert log.read_text(encoding="utf-8").splitlines() == once
    # A file at the path of the weights is part of what a judge is known by.
    log.unlink()
    run(path, out, *own, "--store", store, judge="counting_judge:Judge")
    assert load(out) == first
    assert not log.exists()


def test_an_answer_of_a_language_model_is_paid_for_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first run breaks off at its second question; the next asks for the other alone, the third for nothing."""
    for name in [name for name in os.environ if name.startswith(("SITUATEDGEN_LLM_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SITUATEDGEN_LLM_ANSWERS", str(tmp_path / "answers"))
    monkeypatch.setenv("SITUATEDGEN_LLM_MAX_CALLS", "1")
    path, out = save(tmp_path / "pairs.jsonl", [{"statements": [HOT, COLD]}]), tmp_path / "judged.jsonl"
    reading = {"fluent": True, "antithesis": True, "dependent": False, "common": True}
    with serving(lambda *_: said(json.dumps(reading))) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        weights = ("--set", "judged.judge.weights=tiny")
        with pytest.raises(ModelError, match=r"the budget of 1 call is spent.*run the same command again"):
            run(path, out, *weights, judge="llm")
        assert (len(server.asked), out.exists()) == (1, False)
        for _ in range(2):
            run(path, out, *weights, judge="llm")
            assert len(server.asked) == len(set(server.asked)) == 2
    assert load(out) == [
        {"statements": [HOT, COLD], "probability": 0.0, **{name: float(value) for name, value in reading.items()}}
    ]


@pytest.mark.weights
def test_the_default_judge_is_that_of_the_default_preset(tmp_path: Path) -> None:
    capitals = ["Paris is the capital of France.", "Tokyo is the capital of Japan."]
    unrelated = ["Clay can most likely expect rain in the morning.", "The moon of Saturn was seen by a man in 1655."]
    rows = [{"statements": capitals, "valid": True}, {"statements": unrelated, "valid": False}]
    path, out = save(tmp_path / "pairs.jsonl", rows), tmp_path / "judged.jsonl"
    assert cli_support.run("judge", path, "--out", out, "--device", "cpu") == (
        f"{out}: 2 pairs, 1 with probability 0.42 or more\n"
        "2 labelled pairs, 50.0% of them valid\n"
        "area under the ROC curve: 1.000\n"
        "precision at 0.42: 100.0% of 1 labelled pair, recall 100.0%\n"
    )
    parts = ["probability", "fluent", "antithesis", "dependent", "common"]
    assert [list(row) for row in load(out)] == [["statements", "valid", *parts]] * 2
