"""Where an example was lost, and what befell its statements before: tables of one build, doctored."""

from collections.abc import Callable, Mapping

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from situatedgen.dataset.diff.compare import differences
from situatedgen.dataset.diff.reasons import Side, find_renumbered, side
from situatedgen.testing import items
from situatedgen.vocabulary import Label, Verdict
from storage.builds import Tables
from storage.store import Store
from store_support import built
from table_support import write_facts

FACTS = (
    "Lilacs bloom in May",
    "Roses bloom in June",
    "Tulips bloom in April",
    "Fado comes from Portugal",
    "Haggis comes from Scotland",
    "Paella comes from Spain",
)
LILACS, ROSES, TULIPS, FADO = (f"openbookqa::Main/openbook.txt::{place}" for place in range(4))


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """The tables of two communities with three pairs each: blossoms, and things that come from somewhere."""
    root = tmp_path_factory.mktemp("base")
    write_facts(root / "sources", FACTS)
    store = Store(root / "store")
    return Tables(store, built(store, root / "sources"))


Doctor = Callable[[pl.DataFrame], pl.DataFrame]
OF_ROSES = pl.col("statement_id") == ROSES
OF_TULIPS = pl.col("statement_id") == TULIPS
PAIR = (pl.col("left_id") == ROSES) & (pl.col("right_id") == TULIPS)


def with_verdict(condition: pl.Expr, verdict: Verdict) -> Doctor:
    told = pl.when(condition).then(pl.lit(verdict.value)).otherwise(pl.col("verdict").cast(pl.String))
    return lambda table: table.with_columns(told.cast(table.schema["verdict"]).alias("verdict"))


def without(condition: pl.Expr) -> Doctor:
    return lambda table: table.filter(~condition)


def doctored(tables: Mapping[str, pl.DataFrame], *, without: str = "", **doctors: Doctor) -> Side:
    """A side whose tables were changed, and which may lack an example."""
    found = {name: doctors[name](tables[name]) if name in doctors else tables[name] for name in tables}
    return side(found["examples"].filter(pl.col("example_id") != without), found)


@pytest.mark.parametrize(
    ("doctors", "expected"),
    [
        ({}, ("examples", "not_in_folder", None)),  # every stage kept it: the data files were edited
        ({"splits": with_verdict(PAIR, Verdict.TEMPLATE_MOVED)}, ("splits", "template_moved", None)),
        ({"candidates": with_verdict(PAIR, Verdict.CONTAINED)}, ("candidates", "contained", None)),
        ({"statements": with_verdict(OF_ROSES, Verdict.NEEDS_CONTEXT)}, ("statements", "needs_context", None)),
        (
            {  # both halves are lost: the earlier loss counts
                "masks": with_verdict(OF_ROSES, Verdict.TOO_FEW_MASKS),
                "statements": with_verdict(OF_TULIPS, Verdict.NEEDS_CONTEXT),
            },
            ("statements", "needs_context", None),
        ),
        (
            {  # what befell the other half does not explain the loss of this one
                "masks": with_verdict(OF_ROSES, Verdict.TOO_FEW_MASKS),
                "keywords": without(OF_TULIPS),
            },
            ("masks", "too_few_masks", None),
        ),
        (
            {  # lost at the pair, long after the tagger said something else
                "entities": without(OF_ROSES & (pl.col("label") == Label.DATE.value)),
                **dict.fromkeys(("shortlist", "judged", "selected"), without(PAIR)),
                "splits": without(PAIR),
            },
            ("pairs", "too_dissimilar", "tagged_otherwise"),
        ),
        ({"judged": with_verdict(PAIR, Verdict.IMPROBABLE)}, ("judged", "improbable", None)),
        ({"selected": with_verdict(PAIR, Verdict.FAMILY_FULL)}, ("selected", "family_full", None)),
        (
            {  # the earliest change counts
                "statements": lambda table: table.with_columns(pl.col("text") + "!"),
                "keywords": without(OF_ROSES),
                "candidates": with_verdict(PAIR, Verdict.CONTAINED),
            },
            ("candidates", "contained", "worded_otherwise"),
        ),
        (
            {  # same masks, other numbers
                "candidates": lambda table: table.with_columns(similarity=pl.lit(0.75, pl.Float32)),
                **dict.fromkeys(("shortlist", "judged", "selected"), without(PAIR)),
                "splits": without(PAIR),
            },
            ("pairs", "too_dissimilar", "encoded_otherwise"),
        ),
    ],
)
def test_a_lost_example_is_followed_to_the_stage_that_lost_it(
    base: Tables, doctors: dict[str, Doctor], expected: tuple[str, str, str | None]
) -> None:
    found = differences(doctored(base), doctored(base, without=f"{ROSES}|{TULIPS}", **doctors))
    assert found.rows.select("kind", "example_id", "stage", "reason", "change").rows() == [
        ("removed", f"{ROSES}|{TULIPS}", *expected)
    ]


def test_words_that_no_table_knows_were_put_into_the_data_files(base: Tables) -> None:
    found = differences(
        doctored(base), doctored(base, examples=lambda table: table.with_columns(context=pl.lit("GEO & TEMP")))
    )
    assert found.counts.rows() == [("changed", "examples", "altered", None, 6)]


BLOSSOMS = [f"{LILACS}|{ROSES}", f"{LILACS}|{TULIPS}", f"{ROSES}|{TULIPS}"]


def in_community(key: str, community: int) -> Doctor:
    """Puts the blossoms into test, and into a community where the table has them."""
    values = {"split": pl.lit("test"), "community": pl.lit(community)}
    return lambda table: table.with_columns(
        pl.when(pl.col(key).is_in(BLOSSOMS)).then(values[name].cast(table.schema[name])).otherwise(name).alias(name)
        for name in table.columns
        if name in values
    )


@pytest.mark.parametrize(
    ("neighbour", "expected"),
    [
        (FADO, ("communities", "community_grew")),  # with what comes from somewhere
        (LILACS, ("splits", "dealt_elsewhere")),  # among themselves, as before
    ],
)
def test_a_community_that_grew_is_told_from_one_that_was_dealt_elsewhere(
    base: Tables, neighbour: str, expected: tuple[str, str]
) -> None:
    label = base["splits"].filter(pl.col("left_id") == neighbour)["community"][0]
    new = doctored(base, splits=in_community("pair_id", label), examples=in_community("example_id", label))
    assert differences(doctored(base), new).counts.rows() == [("moved", *expected, None, 3)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("abc", "abd", []),  # the last was edited
        ("abc", "xabc", [0, 1, 2, 3]),  # one was put before all: each id is another's
        ("abc", "bc", [0, 1, 2]),  # the first is gone: b and c stand under other ids
        ("abc", "ab", []),  # the last is gone: its record is nowhere
        ("aab", "axb", []),  # one of two copies was edited
        ("abc", "aac", []),  # one was made a copy of another
        ("abc", "bac", [0, 1]),  # two changed places
    ],
)
def test_a_record_that_moved_is_told_from_one_that_was_edited(old: str, new: str, expected: list[int]) -> None:
    tables = [items(*((f"s::{place}", text) for place, text in enumerate(letters))) for letters in (old, new)]
    places = range(max(len(old), len(new)))
    differing = [f"s::{place}" for place in places if old[place : place + 1] != new[place : place + 1]]
    moved = find_renumbered(pl.DataFrame({"statement_id": differing}, schema={"statement_id": pl.String}), *tables)
    assert moved.to_list() == [f"s::{place}" for place in expected]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), with_tables=st.booleans())
def test_any_two_parts_of_a_dataset_differ_by_what_one_lacks_or_has_elsewhere(
    base: Tables, data: st.DataObject, with_tables: bool
) -> None:
    """Similarities that differ by noise are the same."""
    sides = []
    for noise in (0, 2e-6):
        places = data.draw(st.lists(st.sampled_from([None, "train", "dev", "test"]), min_size=6, max_size=6))
        values = pl.Series(places, dtype=pl.String), pl.col("similarity") - noise
        examples = base["examples"].with_columns(split=values[0], similarity=values[1]).drop_nulls("split")
        sides.append(side(examples, base if with_tables else None))
    rows = differences(*sides).rows
    old, new = (dict(each.examples.select("example_id", "split").iter_rows()) for each in sides)
    assert {tuple(row) for row in rows.select("kind", "example_id").iter_rows()} == (
        {("added", name) for name in new.keys() - old.keys()}
        | {("removed", name) for name in old.keys() - new.keys()}
        | {("moved", name) for name in old.keys() & new.keys() if old[name] != new[name]}
    )
