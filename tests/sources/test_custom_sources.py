"""Sources of one's own: described in a preset, read from CSV, TSV, JSON, Parquet, text, or by a function."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from pydantic import ValidationError

from situatedgen.errors import SettingsError, SourceError
from situatedgen.sources.params import SourceParams
from situatedgen.sources.registry import find
from situatedgen.sources.source import ItemRow, read
from situatedgen.vocabulary import Verdict

QUESTIONS = {"kind": "choice", "question": "question", "answer": "answer"}
LABELS = {"kind": "choice", "question": "question", "choices": "options", "label": "gold"}
RECORDS = [
    {"question": "Where is it cold?", "answer": "Oslo", "options": ["Oslo", "Cairo"], "gold": "A"},
    {"question": "Where is it hot?", "answer": "Cairo", "options": ["Oslo", "Cairo"], "gold": "B"},
]
SAID = [("Where is it cold?", "Oslo"), ("Where is it hot?", "Cairo")]


def source(files: str = "mine/*", **settings: Any) -> SourceParams:
    return SourceParams.model_validate({"name": "mine", "files": [files], **settings})


def put(root: Path, file: str, text: str) -> None:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")


def rows_of(params: SourceParams, root: Path) -> tuple[ItemRow, ...]:
    return read(find(params), root).rows


def write(root: Path, file: str) -> None:
    """The records in the format of the file's ending."""
    (root / "mine").mkdir(exist_ok=True)
    table = pl.DataFrame(RECORDS)
    flat = table.with_columns(pl.col("options").list.join("|"))
    writers = {
        ".csv": lambda: flat.write_csv(root / file),
        ".tsv": lambda: flat.write_csv(root / file, separator="\t"),
        ".jsonl": lambda: table.write_ndjson(root / file),
        ".json": lambda: put(root, file, json.dumps(RECORDS, indent=2)),
        ".parquet": lambda: table.write_parquet(root / file),
    }
    writers[Path(file).suffix]()


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize("settings", [QUESTIONS, LABELS], ids=["answer", "label"])
def test_every_format_gives_the_same_items(tmp_path: Path, ending: str, settings: dict[str, str]) -> None:
    write(tmp_path, f"mine/train.{ending}")
    rows = rows_of(source(licence="CC0-1.0", citation="Me (2024)", **settings), tmp_path)
    assert [row.item_id for row in rows] == ["mine::train::0", "mine::train::1"]
    assert [(row.question, row.answer) for row in rows] == SAID
    assert {(row.file, row.licence, row.citation, row.verdict) for row in rows} == {
        (f"mine/train.{ending}", "CC0-1.0", "Me (2024)", Verdict.KEPT)
    }


@pytest.mark.parametrize(
    ("file", "text", "lines"),
    [
        ("mine/a.csv", 'text,n\n"one\ntwo",1\n\nthree,3\n', [2, 4, 5]),  # a cell of two lines, then a blank line
        ("mine/a.jsonl", '{"text": "one"}\n\n{"text": "three"}\n', [1, 2, 3]),
        ("mine/a.json", '[\n {"text":\n "one"},\n {"text": "three"}\n]', [2, 4]),
        ("mine/a.txt", "one\n\nthree\n", [1, 2, 3]),  # the one column of a text file is `text`
    ],
)
def test_a_row_knows_the_line_on_which_it_begins(tmp_path: Path, file: str, text: str, lines: list[int]) -> None:
    put(tmp_path, file, text)
    rows = rows_of(source(kind="claim", statement="text"), tmp_path)
    assert [row.line for row in rows] == lines
    assert [row.statement for row in rows if row.verdict == Verdict.KEPT][-1] == "three"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("yes", "yes"), ("TRUE", "yes"), (True, "yes"), (1, "yes"), ("no", "no"), (False, "no"), ("0", "no")],
)
def test_yes_and_no_may_be_written_in_many_ways(tmp_path: Path, answer: object, expected: str) -> None:
    put(tmp_path, "mine/a.jsonl", json.dumps({"q": "Is it cold?", "a": answer}))
    [row] = rows_of(source(kind="yes_no", question="q", answer="a"), tmp_path)
    assert (row.question, row.answer) == ("Is it cold?", expected)


def test_fields_within_fields_are_named_with_dots(tmp_path: Path) -> None:
    record = {"question": {"stem": "Where?", "choices": {"text": ["Oslo", "Cairo"]}}, "key": 1}
    put(tmp_path, "mine/a.jsonl", json.dumps(record))
    settings = {"question": "question.stem", "choices": "question.choices.text", "label": "key"}
    [row] = rows_of(source(kind="choice", **settings), tmp_path)
    assert (row.question, row.answer) == ("Where?", "Cairo")


def test_keep_leaves_the_other_records_and_counts_them(tmp_path: Path) -> None:
    put(tmp_path, "mine/a.csv", "text,label\nSnow is cold,true\nFire is cold,false\n")
    params = source(kind="claim", statement="text", keep={"column": "label", "equals": True})
    reading = read(find(params), tmp_path)
    assert [row.item_id for row in reading.rows] == ["mine::a::0"]
    assert reading.unused == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("d\n", "expected 2 columns, found 1"),
        (",2\n", "expected text in 'text', found a blank"),
        ('"d"e,2\n', "expected a row of cells, found an error: ',' expected after '\"'"),
    ],
)
def test_a_bad_row_of_a_table_is_set_aside(tmp_path: Path, row: str, reason: str) -> None:
    put(tmp_path, "mine/a.csv", f"text,n\na b c,1\n{row}")
    params = source(kind="claim", statement="text")
    kept, bad = rows_of(params, tmp_path)
    assert (kept.statement, bad.verdict) == ("a b c", Verdict.MALFORMED)
    assert bad.reason == f"mine/a.csv:3: {reason}"


def test_ids_of_ones_own_may_not_repeat(tmp_path: Path) -> None:
    put(tmp_path, "mine/a.csv", "key,text\nk1,Snow is cold\nk1,Fire is hot\n")
    first, second = rows_of(source(kind="claim", statement="text", id="key"), tmp_path)
    assert first.verdict == Verdict.KEPT
    assert second.reason == "mine/a.csv:3: expected an id of its own, found 'k1', the id of line 2"


def test_an_unknown_column_is_refused_with_the_columns_found(tmp_path: Path) -> None:
    put(tmp_path, "mine/a.jsonl", '{"question": {"stem": "Where?"}, "answer": "Oslo"}\n')
    with pytest.raises(SettingsError) as refused:
        rows_of(source(kind="choice", question="question.stm", answer="answer"), tmp_path)
    assert str(refused.value) == (
        "unknown column of mine/a.jsonl 'question.stm'; known: answer, question.stem; did you mean 'question.stem'?"
    )


@pytest.mark.parametrize(
    ("files", "settings", "problem"),
    [
        (["mine/a.txt"], {"files": "mine/*.csv"}, "source 'mine': expected files that match mine/*.csv in"),
        (["mine/a.txt", "mine/b.txt"], {"split": "train"}, "mine/a.txt and mine/b.txt would both get ids"),
        (["mine/a.txt", "mine/x/a.txt"], {"files": "**/*.txt"}, "both get ids with the split 'a'"),
    ],
)
def test_files_that_cannot_give_ids_are_refused(
    tmp_path: Path, files: list[str], settings: dict[str, str], problem: str
) -> None:
    for file in files:
        put(tmp_path, file, "Snow is cold\n")
    with pytest.raises(SourceError) as refused:
        rows_of(source(kind="claim", statement="text", **settings), tmp_path)
    assert problem in str(refused.value)


def test_files_come_in_the_order_of_their_names_once_each(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        put(tmp_path, f"mine/{name}.txt", f"Snow is {name}\n")
    params = source(kind="claim", statement="text").model_copy(update={"files": ("mine/c.txt", "mine/*.txt")})
    assert [row.item_id for row in rows_of(params, tmp_path)] == ["mine::a::0", "mine::b::0", "mine::c::0"]


@pytest.mark.parametrize(
    ("file", "data", "problem"),
    [
        ("mine/a.parquet", b"not parquet", "mine/a.parquet: expected a Parquet file, found something else"),
        ("mine/a.xml", b"<text>", "mine/a.xml: expected a file that ends in one of .csv, .json"),
        ("mine/a.csv", b"text,text\na,b\n", "mine/a.csv:1: expected unique column names, found text more than once"),
        ("mine/a.csv", b"text\n", "mine/a.csv: expected records, found an empty file"),
        ("mine/a.csv", b"text\n\xff\n", "mine/a.csv:2: expected UTF-8, found 0xff at byte 5"),
        ("mine/a.csv", b'"te\n', "mine/a.csv:1: expected a header, found an error: unexpected end of data"),
    ],
)
def test_a_file_that_is_not_what_its_ending_says_is_refused(
    tmp_path: Path, file: str, data: bytes, problem: str
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / file).write_bytes(data)
    with pytest.raises(SourceError) as refused:
        rows_of(source(kind="claim", statement="text"), tmp_path)
    assert str(refused.value).startswith(problem)


READER = """
def read(path):
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        yield number, {"said": line.removeprefix("* ")}

def broken(path):
    raise ValueError("no such format")

def odd(path):
    return ["just text"]
"""


@pytest.fixture
def readers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    put(tmp_path, "my_odd_readers.py", READER)
    put(tmp_path, "mine/a.odd", "* Snow is cold\n* Fire is hot\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_a_function_reads_an_odd_format(readers: Path) -> None:
    params = source(kind="claim", statement="said", reader="my_odd_readers:read")
    assert [(row.item_id, row.line, row.statement) for row in rows_of(params, readers)] == [
        ("mine::a::0", 1, "Snow is cold"),
        ("mine::a::1", 2, "Fire is hot"),
    ]


@pytest.mark.parametrize(
    ("reader", "error", "problem"),
    [
        ("my_odd_readers:broken", SourceError, "reader 'my_odd_readers:broken' failed: ValueError: no such format"),
        ("my_odd_readers:odd", SourceError, "must yield pairs of a line number and an object; record 0 is 'just text'"),
        ("my_odd_readers:missing", SettingsError, "reader 'my_odd_readers:missing' cannot be imported"),
    ],
)
def test_a_function_that_does_not_read_is_refused(
    readers: Path, reader: str, error: type[Exception], problem: str
) -> None:
    with pytest.raises(error) as refused:
        rows_of(source(kind="claim", statement="said", reader=reader), readers)
    assert problem in str(refused.value)


CLAIM = {"kind": "claim", "statement": "text"}


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({}, "unknown source 'mine'; known: arc, commonsenseqa, creak, creak_explanations, "),
        ({"name": "creak", "kind": "claim"}, "source 'creak' is built in: only `licence` and"),
        ({"name": "creak", "files": ["a.csv"], **CLAIM}, "'creak' is the name of a built-in source"),
        ({"files": ["a.csv"], "statement": "text"}, "source 'mine' needs a kind: claim, yes_no, choice"),
        ({"files": ["a.csv"], "kind": "claim"}, "needs the columns statement; found none"),
        ({"files": ["a.csv"], "kind": "choice", "question": "q"}, "needs the columns question and answer, or question"),
        ({"files": ["a.csv"], "kind": "yes_no", "question": "q", "statement": "s"}, "found question and statement"),
        ({"files": ["a.xml"], **CLAIM}, "'a.xml' does not end in one of .csv, .json"),
        ({"files": ["/etc/a.csv"], **CLAIM}, "'/etc/a.csv' is not a pattern relative to the sources folder"),
        ({"files": ["../a.csv"], **CLAIM}, "'../a.csv' is not a pattern relative to the sources folder"),
        ({"files": ["a.csv"], **CLAIM, "name": "a/b"}, "String should match pattern"),
        ({"files": ["a.csv"], **CLAIM, "reader": "nothing"}, "String should match pattern"),
    ],
)  # fmt: skip
def test_a_description_that_cannot_be_read_is_refused(settings: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError) as refused:
        SourceParams.model_validate({"name": "mine", **settings})
    assert problem in str(refused.value)
