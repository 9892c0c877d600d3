"""JSON lines are those of Python's own encoder, whatever stands in the rows."""

import json

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.report.json_lines import json_lines

texts = st.text(st.characters(codec="utf-8"), max_size=5) | st.sampled_from(('"', "\\", "\x1f", "\x7f", "}, {", "\n"))
maybe = texts | st.none()
COLUMNS = {
    "text": (pl.String(), maybe),
    'a "name"': (pl.String(), texts),
    "texts": (pl.List(pl.String()), st.lists(maybe, max_size=3) | st.none()),
    "numbers": (pl.List(pl.UInt32()), st.lists(st.integers(0, 9) | st.none(), max_size=3)),
    "amount": (pl.Float64(), st.floats(allow_nan=False, allow_infinity=False)),
    "unsure": (pl.Float64(), st.floats(allow_nan=False) | st.none()),
    "flag": (pl.Boolean(), st.booleans()),
}
SCHEMA = {name: dtype for name, (dtype, _) in COLUMNS.items()}


@given(st.lists(st.tuples(*(values for _, values in COLUMNS.values())), max_size=5))
def test_rows_are_written_as_pythons_encoder_writes_them(rows):
    expected = "".join(f"{json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False)}\n" for row in rows)
    assert json_lines(pl.DataFrame(rows, schema=SCHEMA, orient="row")).decode("utf-8") == expected
