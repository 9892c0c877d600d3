"""The five built-in readers: ids, fields, lines, and what becomes of bad records and bad files."""

import json
from pathlib import Path

import pytest

from situatedgen.errors import SourceError
from situatedgen.sources import sample_folder
from situatedgen.sources.builtin import COLLECTIONS
from situatedgen.sources.params import SourceParams
from situatedgen.sources.registry import find
from situatedgen.sources.source import ItemRow, read
from situatedgen.vocabulary import ItemKind, Verdict

CLAIMS = [
    {"ex_id": "t0", "sentence": "Soup is solid.", "label": "false"},
    {"ex_id": "t1", "sentence": "Paris lies in France.", "label": "true"},
]
YES_NO = [
    {"qid": "a", "question": "Is it cold in Norway?", "answer": True, "facts": [{"deep": [1]}]},
    {"qid": "b", "question": "Did Caesar see Peru?", "answer": False},
]
CHOICE = {
    "id": "x1",
    "question": {
        "stem": "Where is it warm in July?",
        "choices": [{"label": "1", "text": "Chile"}, {"label": "2", "text": "Spain"}],
    },
    "answerKey": "2",
}
LEVELS = [(level, split) for level in ("Easy", "Challenge") for split in ("Train", "Dev", "Test")]


def lines(*values: object) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def put(root: Path, file: str, text: str) -> None:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def add(root: Path, file: str, record: str) -> None:
    put(root, file, (root / file).read_text(encoding="utf-8") + record + "\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    put(tmp_path, "creak/train.json", lines(*CLAIMS))
    put(tmp_path, "creak/dev.json", lines(CLAIMS[1]))
    put(tmp_path, "strategyqa/strategyqa_train.json", json.dumps(YES_NO, indent=4))
    put(tmp_path, "strategyqa/strategyqa_train_filtered.json", json.dumps(YES_NO))
    put(tmp_path, "commonsenseqa/train_rand_split.jsonl", lines(CHOICE))
    put(tmp_path, "commonsenseqa/dev_rand_split.jsonl", lines(CHOICE, {**CHOICE, "id": "x2"}))
    for level, split in LEVELS:
        put(tmp_path, f"arc/ARC-{level}/ARC-{level}-{split}.jsonl", lines(CHOICE))
    put(tmp_path, "openbookqa/Additional/crowdsourced-facts.txt", "\nbees  fly\n")
    put(tmp_path, "openbookqa/Main/openbook.txt", '"a bee is an insect"\n"the moon has no air"\n')
    return tmp_path


def rows_of(name: str, root: Path) -> tuple[ItemRow, ...]:
    return read(find(SourceParams(name=name)), root).rows


def brief(row: ItemRow) -> tuple[object, ...]:
    return row.item_id, row.file, row.line, row.question, row.answer, row.statement, row.verdict


def test_creak_gives_its_true_claims_by_their_place_in_the_file(root: Path) -> None:
    claim, reading = CLAIMS[1]["sentence"], read(find(SourceParams(name="creak")), root)
    assert reading.unused == 1
    assert [brief(row) for row in reading.rows] == [
        ("creak::train::1", "creak/train.json", 2, None, None, claim, Verdict.KEPT),
        ("creak::dev::0", "creak/dev.json", 1, None, None, claim, Verdict.KEPT),
    ]


def test_strategyqa_gives_yes_and_no_with_the_line_of_each_opening_brace(root: Path) -> None:
    first, second = "strategyqa/strategyqa_train.json", "strategyqa/strategyqa_train_filtered.json"
    warm, peru = YES_NO[0]["question"], YES_NO[1]["question"]
    assert [brief(row) for row in rows_of("strategyqa", root)] == [
        ("strategyqa::train::0", first, 2, warm, "yes", None, Verdict.KEPT),
        ("strategyqa::train::1", first, 14, peru, "no", None, Verdict.KEPT),
        ("strategyqa::train_filtered::0", second, 1, warm, "yes", None, Verdict.KEPT),
        ("strategyqa::train_filtered::1", second, 1, peru, "no", None, Verdict.KEPT),
    ]


def test_commonsenseqa_gives_the_text_of_the_right_choice(root: Path) -> None:
    stem, file = "Where is it warm in July?", "commonsenseqa/dev_rand_split.jsonl"
    assert [brief(row) for row in rows_of("commonsenseqa", root)] == [
        ("commonsenseqa::train::0", RAND, 1, stem, "Spain", None, Verdict.KEPT),
        ("commonsenseqa::dev::0", file, 1, stem, "Spain", None, Verdict.KEPT),
        ("commonsenseqa::dev::1", file, 2, stem, "Spain", None, Verdict.KEPT),
    ]


def test_arc_ids_name_level_and_split(root: Path) -> None:
    assert [row.item_id for row in rows_of("arc", root)] == [f"arc::{level}::{split}::0" for level, split in LEVELS]


def test_openbookqa_keeps_the_place_of_a_blank_line_and_takes_facts_out_of_quotes(root: Path) -> None:
    extra, main = "openbookqa/Additional/crowdsourced-facts.txt", "openbookqa/Main/openbook.txt"
    assert [brief(row) for row in rows_of("openbookqa", root)] == [
        (f"openbookqa::{extra[11:]}::0", extra, 1, None, None, None, Verdict.BLANK),
        (f"openbookqa::{extra[11:]}::1", extra, 2, None, None, "bees  fly", Verdict.KEPT),
        (f"openbookqa::{main[11:]}::0", main, 1, None, None, "a bee is an insect", Verdict.KEPT),
        (f"openbookqa::{main[11:]}::1", main, 2, None, None, "the moon has no air", Verdict.KEPT),
    ]


def test_every_row_carries_licence_citation_and_kind(root: Path) -> None:
    found = {name: rows_of(name, root)[0] for name in COLLECTIONS}
    assert {name: (row.licence, row.kind) for name, row in found.items()} == {
        "arc": ("CC BY-SA 4.0", ItemKind.CHOICE),
        "commonsenseqa": ("MIT", ItemKind.CHOICE),
        "creak": ("MIT", ItemKind.CLAIM),
        "openbookqa": ("not stated", ItemKind.CLAIM),
        "strategyqa": ("MIT", ItemKind.YES_NO),
    }
    assert all(COLLECTIONS[name].citation == row.citation for name, row in found.items())


TRAIN, RAND = "creak/train.json", "commonsenseqa/train_rand_split.jsonl"
TEST = "arc/ARC-Easy/ARC-Easy-Test.jsonl"
TOO_MUCH = "expected JSON, found a value nested too deeply or a number too long"
NO_CHOICES = '{"question": {"stem": "Where?", "choices": []}, "answerKey": "A"}'
BAD = [
    # the file, a bad record at its end, and the reason
    (TRAIN, "{oops", "expected JSON, found an error at column 2"),
    (TRAIN, '{"label": "true"}', "expected the field 'sentence', found the fields label"),
    (TRAIN, '{"sentence": 3, "label": "true"}', "expected text in 'sentence', found a number: 3"),
    (TRAIN, '{"sentence": " ", "label": "true"}', "expected text in 'sentence', found a blank"),
    (TRAIN, '{"label": "maybe"}', "expected 'label' to be 'true' or 'false', found 'maybe'"),
    (TRAIN, "[1]", "expected an object with the field 'label', found a list"),
    (TRAIN, "null", "expected an object with the field 'label', found nothing"),
    (TRAIN, json.dumps(CLAIMS[1]), "expected an id of its own, found 't1', the id of line 2"),
    (TRAIN, '{"sentence": "\\ud800", "label": "true"}', "expected text in 'sentence', found half a surrogate"),
    (TRAIN, '{"\\ud800": 1}', "expected the field 'label', found the fields \\ud800"),
    (TRAIN, "[" * 100_000, TOO_MUCH),
    (TRAIN, "9" * 5_000, TOO_MUCH),
    (RAND, json.dumps({**CHOICE, "answerKey": "E"}), "expected 'answerKey' to be one of 1, 2, found 'E'"),
    (RAND, NO_CHOICES, "expected a list in 'question.choices', found an empty list"),
    (TEST, '{"question": 1, "answerKey": "A"}', "expected the field 'question.choices', found the fields"),
]


@pytest.mark.parametrize(("file", "record", "reason"), BAD)
def test_a_bad_record_is_set_aside_with_its_reason(root: Path, file: str, record: str, reason: str) -> None:
    name, line = file.partition("/")[0], 3 if file == TRAIN else 2
    before = rows_of(name, root)
    add(root, file, record)
    after = rows_of(name, root)
    [added] = [row for row in after if row not in before]
    assert (added.file, added.line, added.verdict) == (file, line, Verdict.MALFORMED)
    assert (added.question, added.answer, added.statement) == (None, None, None)
    assert added.reason is not None
    assert added.reason.startswith(f"{file}:{line}: {reason}")
    assert len(after) == len(before) + 1


def test_a_repeated_id_is_found_within_one_line(root: Path) -> None:
    put(root, "strategyqa/strategyqa_train_filtered.json", json.dumps([*YES_NO, YES_NO[0]]))
    last = rows_of("strategyqa", root)[-1]
    assert (last.item_id, last.verdict) == ("strategyqa::train_filtered::2", Verdict.MALFORMED)
    assert last.reason is not None
    assert last.reason.endswith(":1: expected an id of its own, found 'a', the id of line 1")


@pytest.mark.parametrize(
    ("file", "data", "problem"),
    [
        ("creak/dev.json", None, ": expected this file in {root}, found none"),
        # Latin-1
        (
            "creak/dev.json",
            b'{"a": 1}\n{"a": "caf\xe9"}\n',
            ":2: expected UTF-8, found 0xe9 at byte 19; save the file as UTF-8",
        ),
        (
            "creak/dev.json",
            "{}\n".encode("utf-16"),
            ":1: expected UTF-8, found UTF-16 at byte 0; save the file as UTF-8",
        ),
        ("creak/dev.json", b"", ": expected records, found an empty file"),
        ("strategyqa/strategyqa_train.json", b" \n", ": expected records, found an empty file"),
        ("strategyqa/strategyqa_train.json", b'{"a": 1}', ": expected a JSON array, found '{{\"a\": 1}}'"),
    ],
)
def test_a_file_that_holds_no_records_is_an_error(root: Path, file: str, data: bytes | None, problem: str) -> None:
    (root / file).unlink() if data is None else (root / file).write_bytes(data)
    with pytest.raises(SourceError) as stopped:
        rows_of(file.partition("/")[0], root)
    assert str(stopped.value) == file + problem.format(root=root)


def test_a_source_of_which_nothing_can_be_used_is_an_error(root: Path) -> None:
    put(root, "creak/train.json", lines(CLAIMS[0]))
    put(root, "creak/dev.json", lines({**CLAIMS[0]}))
    with pytest.raises(SourceError, match="no usable records; all were skipped on purpose"):
        rows_of("creak", root)
    put(root, "creak/dev.json", "oops\n")
    with pytest.raises(SourceError, match=r"first problem: creak/dev\.json:1: expected JSON"):
        rows_of("creak", root)


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter(root: Path) -> None:
    before = rows_of("creak", root)
    for file in ("creak/train.json", "creak/dev.json"):
        put(root, file, "\ufeff" + (root / file).read_text(encoding="utf-8").replace("\n", "\r\n"))
    assert rows_of("creak", root) == before


@pytest.mark.parametrize("name", COLLECTIONS)
def test_the_shipped_sample_reads_without_a_bad_record(name: str) -> None:
    assert {row.verdict for row in rows_of(name, sample_folder())} <= {Verdict.KEPT, Verdict.BLANK}
