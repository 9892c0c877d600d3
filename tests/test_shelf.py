"""A table is parsed once however often it is read, and never taken for one that lies in its place."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from situatedgen import testing
from situatedgen.errors import StoreError
from storage import shelf
from storage.store import Store

TABLE = testing.statements(("a", "It snows."), ("b", "It rains."))


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(shelf, "_TABLES", type(shelf._TABLES)())
    return Store(tmp_path)


def kept(store: Store, table: pl.DataFrame = TABLE):
    """The reference of a table in a store."""
    return store.save(table, stage="statements", source="s", key="k", parts={}, seconds=0).ref


def test_a_table_that_is_read_twice_is_parsed_once(store, monkeypatch):
    parsed, read_parquet = [], pl.read_parquet
    monkeypatch.setattr(pl, "read_parquet", lambda *given, **named: parsed.append(1) or read_parquet(*given, **named))
    ref = kept(store)
    shelf._TABLES.clear()
    for table in (store.read(ref), store.read(ref)):
        assert_frame_equal(table, TABLE)
    assert parsed == [1]


def test_a_table_that_was_made_here_is_not_parsed(store, monkeypatch):
    ref = kept(store)
    monkeypatch.delattr(pl, "read_parquet")
    assert_frame_equal(store.read(ref), TABLE)


def test_a_file_that_was_altered_since_it_was_read_is_refused(store):
    ref = kept(store)
    store.read(ref)
    content = bytearray(store.path(ref).read_bytes())
    content[len(content) // 2] ^= 1
    store.path(ref).write_bytes(content)
    with pytest.raises(StoreError, match="altered"):
        store.read(ref)


def test_what_a_reader_does_to_its_table_is_not_seen_by_the_next(store):
    ref = kept(store)
    store.read(ref).insert_column(0, pl.Series("more", [1, 2]))
    assert_frame_equal(store.read(ref), TABLE)


def test_the_longest_unused_tables_make_room(monkeypatch, store):
    monkeypatch.setattr(shelf, "ROOM", 2 * TABLE.estimated_size())
    for name in "ab":
        shelf.put(name, TABLE)
    shelf.get("a")
    shelf.put("c", TABLE)
    assert [name for name in "abc" if shelf.get(name) is not None] == ["a", "c"]
