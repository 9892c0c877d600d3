"""Laws of the store: what is kept comes back whole, and what is not whole is not found."""

from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen.errors import StoreError
from storage import store
from storage.filesystem import StorePath
from storage.maintenance.files import list_files
from storage.store import KeyRecord, Store, json_digest, table_digest

TEXTS = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=5))
ROWS = st.lists(
    st.tuples(TEXTS, st.one_of(st.none(), st.integers(0, 9)), st.one_of(st.none(), st.lists(TEXTS, max_size=3))),
    max_size=6,
)
SCHEMA = {"text": pl.String, "count": pl.UInt32, "words": pl.List(pl.String)}
PARTS: dict[str, object] = {"stage": "pairs"}


def table_of(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def save(store: Store, table: pl.DataFrame, key: str = "k") -> KeyRecord:
    return store.save(table, stage="pairs", source="", key=key, parts=PARTS, seconds=1.0)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(ROWS)
def test_a_table_comes_back_as_it_was_kept(place: StorePath, rows: list[tuple[object, ...]]) -> None:
    store, table = Store(place), table_of(rows)
    record = save(store, table)
    assert store.find("pairs", "k") == record
    assert_frame_equal(store.read(record.ref), table)


@given(ROWS, ROWS)
def test_digests_are_equal_exactly_for_equal_tables(
    left: list[tuple[object, ...]], right: list[tuple[object, ...]]
) -> None:
    one, other = table_of(left), table_of(right)
    assert (table_digest(one) == table_digest(other)) == one.equals(other)


def test_a_digest_does_not_depend_on_chunks_or_files(tmp_path: Path) -> None:
    table = table_of([("a", 1, ["x"]), ("b", None, []), (None, 3, None)])
    chunked = pl.concat([table.head(1), table.tail(2)], rechunk=False)
    table.write_parquet(tmp_path / "a.parquet", compression="snappy", row_group_size=1)
    found = {table_digest(each) for each in (table, chunked, pl.read_parquet(tmp_path / "a.parquet"))}
    assert len(found) == 1


def test_a_digest_does_not_depend_on_how_many_texts_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of([("a", 1, ["x", "yz"]), ("bc", None, []), (None, 3, None), ("", 4, ["", "d"]), ("é", 5, ["f"])])
    whole = table_digest(table)
    monkeypatch.setattr(store, "CHUNK", 2)
    assert table_digest(table) == whole


def test_a_digest_tells_types_and_names_apart() -> None:
    tables = [
        pl.DataFrame({"a": [1]}),
        pl.DataFrame({"b": [1]}),
        pl.DataFrame({"a": [1]}, schema={"a": pl.Int8}),
    ]
    assert len({table_digest(table) for table in tables}) == 3


@pytest.mark.parametrize("harm", ["delete", "truncate", "flip"])
@pytest.mark.parametrize("victim", ["artifact", "record"])
def test_what_is_not_whole_is_not_found(place: StorePath, harm: str, victim: str) -> None:
    store = Store(place)
    record = save(store, table_of([("a", 1, ["x"])]))
    path = store.path(record.ref) if victim == "artifact" else place / "keys" / "pairs" / "k.json"
    content = path.read_bytes()
    if harm == "delete":
        path.unlink()
    elif harm == "truncate":
        path.write_bytes(content[:-7])
    else:
        middle = len(content) // 2
        path.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    assert store.find("pairs", "k") is None
    if victim == "artifact":
        with pytest.raises(StoreError, match="build again"):
            store.read(record.ref)
    save(store, table_of([("a", 1, ["x"])]))
    assert store.find("pairs", "k") is not None


def test_two_keys_share_one_artifact(place: StorePath) -> None:
    store, table = Store(place), table_of([("a", 1, [])])
    one, two = save(store, table, "one"), save(store, table, "two")
    assert (one.ref, one.file_digest) == (two.ref, two.file_digest)
    assert [kept.place for kept in list_files(place)] == [one.ref.place, "keys/pairs/one.json", "keys/pairs/two.json"]


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file stands where the folder should be")
    with pytest.raises(StoreError, match="cannot be written"):
        save(Store(tmp_path / "store"), table_of([]))


def test_a_json_digest_does_not_depend_on_the_order_of_keys() -> None:
    assert json_digest({"a": 1, "b": 2}) == json_digest({"b": 2, "a": 1})
