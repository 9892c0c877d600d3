"""Tables that this process made or read, by the digest of their file's bytes: parsed at most once."""

from collections import OrderedDict
from threading import Lock

import polars as pl

ROOM = 256 << 20
"""So many bytes of tables are kept, those that were used last."""

_TABLES: OrderedDict[str, tuple[pl.DataFrame, int]] = OrderedDict()
_LOCK = Lock()


def put(digest: str, table: pl.DataFrame) -> None:
    """Keep a table under the digest of its file's bytes; the longest unused ones make room for it."""
    with _LOCK:
        _TABLES[digest] = table, int(table.estimated_size())
        while sum(size for _, size in _TABLES.values()) > ROOM:
            _TABLES.popitem(last=False)


def get(digest: str) -> pl.DataFrame | None:
    """The table of a file with these bytes; nothing where none is kept."""
    with _LOCK:
        if digest not in _TABLES:
            return None
        _TABLES.move_to_end(digest)
        return _TABLES[digest][0].clone()
