"""Candidates made from an earlier build are those of a full search, row by row, and cost what changed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen.mining import search
from situatedgen.mining.candidates import overlap
from situatedgen.params import CandidateParams, PairParams
from situatedgen.schemas import CANDIDATES, ENTITIES, MASKS, STATEMENTS, check
from situatedgen.stages.candidates import candidates
from situatedgen.stages.previous_run import PreviousRun
from situatedgen.vocabulary import Context, Label, Verdict

assert_same = partial(assert_frame_equal, check_exact=True)
FLOORS = (0.5, 0.6, 0.8, 0.96, 1.0)
TEMPLATES = ("[UNK] is in [UNK].", "[UNK] snows.", "In [UNK], [UNK].")
WORDS = ("Japan", "the winter", "Winters", "peru in winter", "Peru", "")
LABELS = (Label.GPE, Label.DATE, Label.PERSON)
# Cosines of 0.6, 0.8, 0.96, 0 and 1; the sign of a zero, the last bit of a number; one that is a little too short.
VECTORS = (
    *((1.0, 0.0), (0.8, 0.6), (0.6, 0.8), (0.0, 1.0)),
    *((1.0, -0.0), (float(np.nextafter(np.float32(0.8), 0)), 0.6), (0.7071, 0.7071)),
)


@dataclass(frozen=True)
class Stated:
    """A statement as the tables know it."""

    text: str
    names: tuple[tuple[str, Label], ...]
    template: str
    context: Context
    verdict: Verdict


@dataclass(frozen=True)
class World:
    """Statements by id, and a vector for each template."""

    statements: dict[str, Stated]
    vectors: dict[str, tuple[float, ...]]

    @property
    def inputs(self) -> dict[str, pl.DataFrame]:
        """The tables that the stage is made from, by name."""
        each = self.statements.items()
        return {
            "statements": STATEMENTS.frame([(id_, "s", one.text, "claim", 1.0, Verdict.KEPT) for id_, one in each]),
            "entities": ENTITIES.frame(
                [(id_, at, at + 1, name, label) for id_, one in each for at, (name, label) in enumerate(one.names)]
            ),
            "masks": MASKS.frame([(id_, one.template, 2, one.context, one.verdict) for id_, one in each]),
            "embeddings": self.embeddings,
        }

    @property
    def embeddings(self) -> pl.DataFrame:
        used = sorted({one.template for one in self.statements.values() if one.verdict == Verdict.KEPT})
        width = len(next(iter(self.vectors.values())))
        return pl.DataFrame(
            {"masked_text": used, "vector": [self.vectors[template] for template in used]},
            schema={"masked_text": pl.String, "vector": pl.Array(pl.Float32, width)},
        )


def mined(world: World, floor: float, earlier: PreviousRun | None = None) -> PreviousRun:
    """A run of the stage as what a later run is given."""
    inputs, params = world.inputs, CandidateParams(floor=floor, max_neighbours=0)
    result = candidates(**inputs, params=params, earlier=earlier)
    return PreviousRun(inputs, params, check(result, CANDIDATES, name="candidates"))


stated = st.builds(
    Stated,
    text=st.tuples(st.sampled_from(("It is ", "")), st.sampled_from(WORDS), st.sampled_from(("", "."))).map("".join),
    names=st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(LABELS)), max_size=2).map(tuple),
    template=st.sampled_from(TEMPLATES),
    context=st.sampled_from((Context.GEO, Context.TEMP, Context.BOTH, Context.NONE)),
    verdict=st.sampled_from((Verdict.KEPT, Verdict.KEPT, Verdict.KEPT, Verdict.TOO_FEW_MASKS)),
)
vectors = st.fixed_dictionaries({template: st.sampled_from(VECTORS) for template in TEMPLATES})
worlds = st.builds(World, st.dictionaries(st.sampled_from("abcdefghi"), stated, max_size=9), vectors)
FIELDS = ("text", "names", "template", "context", "verdict")


@st.composite
def edited(draw: st.DrawFn, world: World) -> World:
    """A world of which some statements are removed, some have one thing changed, and some are new."""
    statements = dict(world.statements)
    for id_ in draw(st.lists(st.sampled_from("abcdefghi"), max_size=4)):
        other, field = draw(stated), draw(st.sampled_from((*FIELDS, "all", "none")))
        if field == "none":
            statements.pop(id_, None)
        elif field == "all" or id_ not in statements:
            statements[id_] = other
        else:
            statements[id_] = replace(statements[id_], **{field: getattr(other, field)})
    moved = draw(st.dictionaries(st.sampled_from(TEMPLATES), st.sampled_from(VECTORS), max_size=1))
    return World(statements, world.vectors | moved)


law = settings(max_examples=min(50, settings().max_examples))


@law
@given(worlds, st.sampled_from(FLOORS), st.data())
def test_a_search_from_an_earlier_one_finds_what_a_full_search_finds(world, floor, data):
    check_edit(mined(world, floor), world, floor, data)


@pytest.mark.slow
@given(worlds, st.sampled_from(FLOORS), st.data())
def test_edit_after_edit_each_from_the_one_before_finds_the_same(world, floor, data):
    earlier = mined(world, floor)
    for _ in range(data.draw(st.integers(2, 5))):
        world, floor, earlier = check_edit(earlier, world, floor, data)


def check_edit(
    earlier: PreviousRun, world: World, floor: float, data: st.DataObject
) -> tuple[World, float, PreviousRun]:
    """Edit a world, and maybe the floor, and compare what is found with and without the earlier run."""
    now, new_floor = data.draw(edited(world)), data.draw(st.sampled_from((floor, floor, *FLOORS)))
    found = mined(now, new_floor, earlier)
    assert_same(found.result, mined(now, new_floor).result)
    return now, new_floor, found


@law
@given(worlds, worlds, st.sampled_from(FLOORS), st.sampled_from(FLOORS))
def test_any_earlier_run_will_do(before, now, floor_before, floor):
    found = mined(now, floor, mined(before, floor_before)).result
    assert_same(found, mined(now, floor).result)


@law
@given(worlds, st.sampled_from(FLOORS), st.sets(st.sampled_from("abcdefghi"), max_size=5))
def test_a_row_depends_on_its_two_statements_alone(world, floor, few):
    rows = mined(world, floor).result.filter(pl.col("left_id").is_in(few), pl.col("right_id").is_in(few))
    alone = replace(world, statements={id_: one for id_, one in world.statements.items() if id_ in few})
    assert_same(mined(alone, floor).result, rows)


@contextmanager
def counting(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, int]]]:
    """How many vectors are compared with how many."""
    compared: list[tuple[int, int]] = []
    within, between = search.within, search.between

    def counted_within(vectors, **options):
        compared.append((len(vectors), len(vectors)))
        return within(vectors, **options)

    def counted_between(rows, columns, **options):
        compared.append((len(rows), len(columns)))
        return between(rows, columns, **options)

    with monkeypatch.context() as patch:
        patch.setattr(search, "within", counted_within)
        patch.setattr(search, "between", counted_between)
        yield compared


def places(count: int) -> World:
    """As many statements of places, each with a text of its own, all of them similar."""
    angles = np.linspace(0, 0.5, count)
    names = [f"{number:03}" for number in range(count)]
    return World(
        {
            name: Stated(f"It is {name}.", ((name, Label.GPE),), f"{name} [UNK]", Context.GEO, Verdict.KEPT)
            for name in names
        },
        {f"{name} [UNK]": (np.cos(angle), np.sin(angle)) for name, angle in zip(names, angles, strict=True)},
    )


BASE = places(100)


def changed(world: World, id_: str, **fields: object) -> World:
    return replace(world, statements=world.statements | {id_: replace(world.statements[id_], **fields)})


def without(world: World, id_: str) -> World:
    return replace(world, statements={name: one for name, one in world.statements.items() if name != id_})


EDITS = [
    # what changed, the world then, how many texts are compared with how many others, rows judged, rows kept
    ("nothing", BASE, 0, 0, 4950),
    ("one removed", without(BASE, "007"), 0, 0, 4851),
    ("a text", changed(BASE, "007", text="It was 007."), 1, 99, 4851),
    ("a name", changed(BASE, "007", names=(("008", Label.GPE),)), 1, 99, 4851),
    ("a name that does not situate", changed(BASE, "007", names=(("007", Label.GPE), ("x", Label.PERSON))), 0, 0, 4950),
    ("a context", changed(BASE, "007", context=Context.BOTH), 1, 99, 4851),
    ("a template", changed(BASE, "007", template="008 [UNK]"), 1, 99, 4851),
    ("a vector", replace(BASE, vectors=BASE.vectors | {"007 [UNK]": (1.0, 0.0)}), 1, 99, 4851),
    ("one that is out now", changed(BASE, "007", verdict=Verdict.TOO_MANY_MASKS), 0, 0, 4851),
    ("one that is added", replace(BASE, statements=BASE.statements | {"x": BASE.statements["007"]}), 1, 100, 4950),
]


@pytest.mark.parametrize(("what", "world", "new", "judged", "kept"), EDITS, ids=[edit[0] for edit in EDITS])
def test_only_what_changed_is_compared_and_judged(what, world, new, judged, kept, monkeypatch):
    earlier = mined(BASE, 0.8)
    with counting(monkeypatch) as compared:
        found = mined(world, 0.8, earlier)
    rest = len(world.embeddings) - (1 if what in {"a text", "a name", "a context", "a vector"} else 0)
    expected = sorted([(new, new), (new, rest)]) if new else []
    assert sorted(sizes for sizes in compared if all(sizes)) == expected
    assert (earlier.reused_rows, found.result.height) == (kept, judged + kept)


@pytest.mark.parametrize(
    ("floor_before", "recalled"),
    [
        (0.8, 4950),  # the same
        (0.5, 4950),  # a lower one has found all that is wanted
        (0.81, 0),  # a higher one may have missed some
    ],
)
def test_an_earlier_run_is_used_when_its_floor_was_not_higher(floor_before, recalled):
    earlier = mined(BASE, floor_before)
    mined(BASE, 0.8, earlier)
    assert earlier.reused_rows == recalled


def test_rows_below_a_raised_floor_are_left_behind():
    found = mined(BASE, 0.99, mined(BASE, 0.8)).result
    assert_same(found, mined(BASE, 0.99).result)
    assert 0 < found.height < 4950


def test_another_text_with_the_same_vector_is_another_text():
    """The vector is a little too short: two texts that have it are similar by less than 1, and one to itself by 1."""
    short = dict.fromkeys(("007 [UNK]", "008 [UNK]"), (0.7071, 0.7071))
    now = replace(BASE, vectors=BASE.vectors | short)
    earlier = mined(changed(now, "008", template="007 [UNK]"), 0.8)
    assert_same(mined(now, 0.8, earlier).result, mined(now, 0.8).result)


def test_vectors_of_another_width_are_other_vectors():
    wide = replace(BASE, vectors={template: (*vector, 0.0) for template, vector in BASE.vectors.items()})
    earlier = mined(BASE, 0.8)
    found = mined(wide, 0.8, earlier)
    assert_same(found.result, earlier.result)
    assert earlier.reused_rows == 0


def test_params_of_another_stage_are_of_no_use():
    earlier = replace(mined(BASE, 0.8), params=PairParams())
    mined(BASE, 0.8, earlier)
    assert earlier.reused_rows == 0


def test_overlap_counts_kept_statements_with_the_same_text_and_context():
    before = MASKS.frame(
        [
            ("a", "t", 2, Context.GEO, Verdict.KEPT),
            ("b", "t", 2, Context.GEO, Verdict.KEPT),
            ("c", "t", 2, Context.GEO, Verdict.KEPT),
            ("d", "t", 2, Context.GEO, Verdict.KEPT),
            ("e", "t", 2, Context.GEO, Verdict.TOO_FEW_MASKS),
        ]
    )
    now = MASKS.frame(
        [
            ("a", "t", 2, Context.GEO, Verdict.KEPT),  # the same
            ("b", "u", 2, Context.GEO, Verdict.KEPT),  # another text
            ("c", "t", 2, Context.BOTH, Verdict.KEPT),  # another context
            ("d", "t", 2, Context.GEO, Verdict.TOO_FEW_MASKS),  # not kept now
            ("e", "t", 2, Context.GEO, Verdict.KEPT),  # not kept then: no pair of it was looked at
            ("f", "t", 2, Context.GEO, Verdict.KEPT),  # new
        ]
    )
    assert (overlap(before, now), overlap(now, now), overlap(MASKS.empty, now)) == (1, 5, 0)
