"""Tables are checked on every write: sorted by their key, and no key twice."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.errors import SchemaError
from situatedgen.schemas import Schema, check

SCHEMA = Schema({"name": pl.String(), "start": pl.UInt32(), "text": pl.String()}, key=("name", "start"))
KEYS = st.lists(st.tuples(st.sampled_from(["a", "b", "á", ""]), st.integers(0, 2)), max_size=5)


def table(keys):
    return pl.DataFrame([(*key, "text") for key in keys], schema=dict(SCHEMA.columns), orient="row")


@given(keys=KEYS)
def test_a_table_is_right_when_its_keys_are_sorted_and_none_stands_twice(keys):
    is_right = keys == sorted(set(keys))
    try:
        assert check(table(keys), SCHEMA, name="table").height == len(keys)
    except SchemaError:
        assert not is_right
    else:
        assert is_right


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ([("b", 0), ("a", 1)], "table: rows are not sorted by name, start"),
        ([("a", 2), ("a", 1)], "table: rows are not sorted by name, start"),
        ([("a", 1), ("a", 1)], "table: key {'name': 'a', 'start': 1} occurs more than once"),
        ([("a", 1), ("b", 1), ("a", 1)], "table: key {'name': 'a', 'start': 1} occurs more than once"),
    ],
)
def test_a_wrong_order_and_a_repeated_key_are_named(keys, message):
    with pytest.raises(SchemaError) as caught:
        check(table(keys), SCHEMA, name="table")
    assert str(caught.value) == message
