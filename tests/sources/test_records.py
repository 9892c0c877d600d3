"""Records of text files: index, line and value of each, and none lost when one is broken."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.errors import SourceError
from situatedgen.sources.formats import Record, json_array, json_lines, json_records, malformed_record, text_lines
from situatedgen.vocabulary import Verdict


def put(root: Path, file: str, text: str) -> None:
    (root / file).write_text(text, encoding="utf-8", newline="")


def test_a_line_ends_at_a_newline_and_nowhere_else(tmp_path: Path) -> None:
    put(tmp_path, "f.txt", "one\u2028still one\x0b\ntwo\n\nfour")
    assert list(text_lines(tmp_path, "f.txt")) == [
        Record(0, 1, "one\u2028still one\x0b"),
        Record(1, 2, "two"),
        Record(2, 3, None, Verdict.BLANK),
        Record(3, 4, "four"),
    ]


BROKEN_ARRAYS = [
    # laid out in lines, the middle record broken: the third is found again
    ('[\n  {"a": 1},\n  {"a": oops},\n  {"a": 3}\n]\n', [(0, 2, {"a": 1}), (1, 3, None), (2, 4, {"a": 3})]),
    # all in one line
    ('[{"a": 1}, {"a": oops}, {"a": 3}]', [(0, 1, {"a": 1}), (1, 1, None), (2, 1, {"a": 3})]),
    # a quote is never closed
    ('[\n  {"a": "1},\n  {"a": 2}\n]', [(0, 2, None), (1, 3, {"a": 2})]),
    # a comma is missing between records
    ('[{"a": 1} {"a": 2}]', [(0, 1, None), (1, 1, {"a": 2})]),
    # something else stands where a comma should
    ('[\n{"a": 1} oops,\n{"a": 2}]', [(0, 2, None), (1, 3, {"a": 2})]),
    # the file was cut off within a record, and between records
    ('[\n  {"a": 1},\n  {"a": [2', [(0, 2, {"a": 1}), (1, 3, None)]),
    ('[\n  {"a": 1},\n', [(0, 2, {"a": 1}), (1, 3, None)]),
    # a second array follows
    ('[{"a": 1}]\n[{"a": 2}]', [(0, 1, {"a": 1}), (1, 1, None)]),
    # a comma too many does no harm
    ('[{"a": 1},\n]', [(0, 1, {"a": 1})]),
]


@pytest.mark.parametrize(("text", "expected"), BROKEN_ARRAYS)
def test_a_broken_member_does_not_hide_the_next(
    tmp_path: Path, text: str, expected: list[tuple[int, int, object]]
) -> None:
    put(tmp_path, "f.json", text)
    found = list(json_array(tmp_path, "f.json"))
    assert [(record.index, record.line, record.value) for record in found] == expected
    broken = [record for record in found if record.value is None]
    assert all(record == malformed_record(record.index, record.line, record.reason) for record in broken)
    assert all(record.reason.startswith("expected ") for record in broken)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.lists(st.dictionaries(st.text(), JSON, max_size=4), min_size=1, max_size=6)


@given(values=OBJECTS, indent=st.sampled_from([None, 0, 2]), ascii_only=st.booleans())
def test_the_same_values_are_read_from_an_array_and_from_lines(
    tmp_path_factory: pytest.TempPathFactory, values: list[object], indent: int | None, ascii_only: bool
) -> None:
    root = tmp_path_factory.getbasetemp()
    as_array = json.dumps(values, indent=indent, ensure_ascii=ascii_only)
    (root / "array.json").write_bytes(as_array.encode("utf-8", "surrogatepass" if ascii_only else "replace"))
    as_lines = "\n".join(json.dumps(value) for value in values)
    (root / "lines.json").write_bytes(as_lines.encode("utf-8"))
    from_array = [record.value for record in json_records(root, "array.json")]
    from_lines = [record.value for record in json_records(root, "lines.json")]
    assert from_array == from_lines == values


GAPS = st.sampled_from(["", " ", "\n", "\r\n  ", "\n\n\t"])


@given(members=st.lists(st.tuples(GAPS, st.dictionaries(st.text(), JSON, max_size=3)), min_size=1, max_size=5))
def test_a_member_of_an_array_begins_on_the_line_of_its_brace(
    tmp_path_factory: pytest.TempPathFactory, members: list[tuple[str, object]]
) -> None:
    root = tmp_path_factory.getbasetemp()
    text, expected = "[", []
    for index, (gap, value) in enumerate(members):
        text += ("," if index else "") + gap
        expected.append(Record(index, text.count("\n") + 1, value))
        text += json.dumps(value, indent=1)
    put(root, "array.json", text + "]")
    assert list(json_array(root, "array.json")) == expected


@given(text=st.text())
def test_no_text_makes_a_reader_fail_otherwise_than_on_purpose(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    root = tmp_path_factory.getbasetemp()
    (root / "any.json").write_bytes(text.encode("utf-8", "replace"))
    for reader in (json_lines, text_lines, json_array):
        try:
            found = list(reader(root, "any.json"))
        except SourceError:
            continue
        assert [record.index for record in found] == list(range(len(found)))
