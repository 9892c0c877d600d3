"""Rows as JSON lines, byte for byte as Python's own encoder writes them, in a third of its time."""

import json

import polars as pl

ESCAPED = r'["\\\x00-\x1f]'
"""What cannot stand in a JSON text as it is."""
_encoded = json.JSONEncoder(ensure_ascii=False).encode


def json_lines(rows: pl.DataFrame) -> bytes:
    r"""A JSON object a line for each row.

    Example:
        >>> json_lines(pl.DataFrame({"id": ["a"], "words": [["“x”", "y"]]})).decode()
        '{"id": "a", "words": ["“x”", "y"]}\n'
    """
    if rows.is_empty():
        return b""
    names = [f"{_encoded(name)}: " for name in rows.columns]
    values = [_told(column).alias(str(number)) for number, column in enumerate(rows.get_columns())]
    starts = [pl.lit(f"{'{' if not number else ', '}{name}") for number, name in enumerate(names)]
    parts = [part for number, start in enumerate(starts) for part in (start, pl.col(str(number)))]
    lines = pl.DataFrame(values).select(line=pl.concat_str(*parts, pl.lit("}\n")))["line"]
    return bytes(lines.str.join("").cast(pl.Binary).item())


def _told(values: pl.Series) -> pl.Series:
    """Each value as JSON."""
    each = pl.element()
    match values.dtype:
        case pl.String():
            told = values.to_frame("value").select(_quoted(pl.col("value"), values))
        case pl.List(inner=pl.String()):
            told = _listed(values, _quoted(each, values.explode(empty_as_null=False)))
        case pl.List(inner=inner) if inner.is_integer():
            told = _listed(values, each.cast(pl.String))
        case pl.Float64() if values.is_finite().all() and not values.has_nulls():
            told = pl.DataFrame({"value": list(map(repr, values.to_list()))})
        case _:
            told = pl.DataFrame({"value": [_encoded(value) for value in values.to_list()]})
    return told.to_series().fill_null("null")


def _quoted(texts: pl.Expr, among: pl.Series) -> pl.Expr:
    """Texts in quotes; only those with something to escape in them, among all there are, go through the encoder."""
    escaped = among.filter(among.str.contains(ESCAPED)).unique()
    plain = pl.concat_str(pl.lit('"'), texts, pl.lit('"'))
    if escaped.is_empty():
        return plain
    return texts.replace_strict(escaped, [_encoded(text) for text in escaped], default=plain, return_dtype=pl.String)


def _listed(values: pl.Series, told: pl.Expr) -> pl.DataFrame:
    inside = pl.col("value").list.eval(told.fill_null("null")).list.join(", ")
    return values.to_frame("value").select(pl.concat_str(pl.lit("["), inside, pl.lit("]")))
