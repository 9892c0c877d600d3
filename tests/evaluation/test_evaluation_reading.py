"""Predictions as files: what is read, and how each fault is told."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.errors import PredictionError
from situatedgen.evaluation.predictions import Example, read_predictions, write_predictions

EXAMPLES = tuple(Example(name, ("Rome", "Oslo"), (0, 1), ("Rome is warm.", "Oslo is cold.")) for name in "abc")


def line(example_id: object, text: object = "Rome.") -> str:
    return json.dumps({"example_id": example_id, "text": text}) + "\n"


def test_jsonl_is_read_in_the_order_of_the_examples(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(line("c", "C.") + line("a", "A.") + line("b", "B."), encoding="utf-8")
    found = read_predictions(path, EXAMPLES)
    assert (found.system, found.examples, found.texts) == ("mine", EXAMPLES, ("A.", "B.", "C."))


def test_plain_text_is_read_in_the_order_of_the_split(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(b"\xef\xbb\xbfA.\r\nB.\x0b more\r\nC.\r\n")
    assert read_predictions(path, EXAMPLES).texts == ("A.", "B.\x0b more", "C.")


def test_a_sheet_may_hold_some_examples(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('example_id,keywords,text\nc,"x, y","He said ""C"".\nTwice."\n', encoding="utf-8")
    found = read_predictions(path, EXAMPLES)
    assert (found.examples, found.texts) == ((EXAMPLES[2],), ('He said "C".\nTwice.',))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.jsonl", "", "x.jsonl has no predictions: the file is empty"),
        ("x.jsonl", line("a") + "\n" + line("b"), "x.jsonl, line 2: is empty"),
        ("x.jsonl", line("a") + "{oops\n", "x.jsonl, line 2: is not JSON"),
        ("x.jsonl", "[1]\n", "x.jsonl, line 1: is not a JSON object"),
        ("x.jsonl", '{"example_id": "a"}\n', "line 1: the field 'text' is missing"),
        ("x.jsonl", line("a", 5), "line 1: the field 'text' is 5; expected a text"),
        ("x.jsonl", line("a") + line("z"), "line 2: no example of the split has the id 'z'"),
        ("x.jsonl", line("a") + line("b") + line("a"), "line 3: duplicate text for 'a'; the first is on line 1"),
        ("x.jsonl", line("a") + line("b", " "), "line 2: the text for 'b' is empty"),
        ("x.jsonl", line("a") + line("c"), "has 2 predictions for 3 examples; the first without one is 'b'"),
        ("x.txt", "A.\nB.\n", "line 3: is missing: 2 lines for 3 examples"),
        ("x.txt", "A.\nB.\nC.\nD.\n", "line 4: is one too many: 4 lines for 3 examples"),
        ("x.jsonl", None, "cannot read the predictions"),
        ("x.csv", "id,text\na,b\n", "line 1: has the columns id, text; expected example_id and text"),
        ("x.csv", 'example_id,text\na,"b\n', "line 2: is not CSV"),
        ("x.txt", b"A.\nB\xff.\nC.\n", "line 2: is not UTF-8"),
    ],
)
def test_a_fault_is_told_by_file_and_line(tmp_path: Path, name: str, content: str | bytes | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(PredictionError) as error:
        read_predictions(path, EXAMPLES)
    assert message in str(error.value)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip), min_size=3, max_size=3))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("written") / "x.jsonl"
    write_predictions(path, zip("abc", texts, strict=True))
    assert read_predictions(path, EXAMPLES).texts == tuple(texts)
    write_predictions(path, {"b": texts[1]})
    assert read_predictions(path, EXAMPLES, partial=True).examples == (EXAMPLES[1],)
