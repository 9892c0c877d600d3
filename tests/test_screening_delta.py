"""A screening made from an earlier one is the full one, row by row, and looks again only at what was touched."""

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen import testing
from situatedgen.params import PairParams, Params, ScreeningParams
from situatedgen.schemas import KEYWORDS, PARSES, SCREENING, STATEMENTS, check
from situatedgen.screening.delta import near
from situatedgen.stages.earlier import Earlier
from situatedgen.stages.screening import screening, shared_keywords
from situatedgen.vocabulary import KeywordKind, Label, Verdict

assert_same = partial(assert_frame_equal, check_exact=True)
IDS = "abcdef"
ROLES = (("nsubj", 1), ("ROOT", 1), ("prep", 1), ("pobj", 2))
PARAMS = (
    ScreeningParams(drop=(), max_doubt=1, max_degree=0),
    ScreeningParams(drop=("stated_swapped",), max_doubt=0.9, max_degree=2),
    ScreeningParams(drop=("other_roles", "dangling"), max_doubt=1, max_degree=1),
)


@dataclass(frozen=True)
class Said:
    """A statement of a subject, a verb and a place or time, as its tables tell it."""

    subject: str
    verb: str
    place: str
    label: Label | None
    kind: str
    verdict: Verdict
    in_pairs: bool

    @property
    def words(self) -> tuple[str, ...]:
        """Its words in order."""
        return self.subject, self.verb, "in", self.place


@dataclass(frozen=True)
class World:
    """Statements by id, and how alike two are."""

    said: dict[str, Said]
    similarity: dict[str, float]

    @property
    def inputs(self) -> dict[str, pl.DataFrame]:
        """The tables that the stage is made from, by name."""
        rows = [(id_, "s", " ".join(one.words), "claim", 1.0, one.verdict) for id_, one in self.said.items()]
        words = [word for id_, one in self.said.items() for word in parsed(id_, one)]
        ends = [pair for pair in combinations(sorted(self.said), 2) if all(self.said[end].in_pairs for end in pair)]
        alike = testing.similarities(self.similarity.get("".join(pair), 0.9) for pair in ends)
        return {
            "statements": STATEMENTS.frame(rows),
            "keywords": KEYWORDS.frame([named(word, self.said[word[0]]) for word in words if word[6] in OUTER]),
            "parses": PARSES.frame(words),
            "pairs": testing.pairs(*ends).with_columns(alike),
        }


OUTER = ("nsubj", "pobj")


def parsed(id_: str, one: Said) -> list[tuple]:
    """The words of a statement as rows."""
    text = " ".join(one.words)
    starts = [text.index(word) for word in one.words]
    return [
        (id_, start, start + len(word), word.lower(), "NNP", "PROPN", role, head, one.kind if role == "nsubj" else "")
        for start, word, (role, head) in zip(starts, one.words, ROLES, strict=True)
    ]


def named(word: tuple, one: Said) -> tuple:
    """A word as a keyword: the last of a statement may be an entity."""
    label = one.label if word[6] == "pobj" else None
    kind = KeywordKind.ENTITY if label else KeywordKind.NOUN
    return word[0], word[1], word[2], " ".join(one.words)[word[1] : word[2]], kind, label


said = st.builds(
    Said,
    subject=st.sampled_from(("Rome", "Rome", "Lima", "They")),
    verb=st.sampled_from(("is", "is", "is", "lies")),
    place=st.sampled_from(("Italy", "Peru", "Chile", "winter")),
    label=st.sampled_from((Label.GPE, Label.GPE, Label.GPE, Label.DATE, None)),
    kind=st.sampled_from(("city/location", "city/location", "weather")),
    verdict=st.sampled_from((Verdict.KEPT, Verdict.KEPT, Verdict.KEPT, Verdict.NOT_CLEAN)),
    in_pairs=st.sampled_from((True, True, False)),
)
FIELDS = ("subject", "verb", "place", "label", "kind", "verdict", "in_pairs")
similarity = st.dictionaries(st.sampled_from(["".join(pair) for pair in combinations(IDS, 2)]), st.just(0.8))
worlds = st.builds(World, st.dictionaries(st.sampled_from(IDS), said, min_size=4), similarity)


@st.composite
def edited(draw: st.DrawFn, world: World) -> World:
    """A world of which some statements are removed, some have one thing changed, and some are new."""
    found = dict(world.said)
    for id_ in draw(st.lists(st.sampled_from(IDS), max_size=2)):
        other, field = draw(said), draw(st.sampled_from((*FIELDS, "none")))
        if field == "none":
            found.pop(id_, None)
        else:
            found[id_] = replace(found[id_], **{field: getattr(other, field)}) if id_ in found else other
    return World(found, draw(st.sampled_from((world.similarity, {}))))


def screened(world: World, params: ScreeningParams, earlier: Earlier | None = None) -> Earlier:
    """A run of the stage as what a later run is given."""
    inputs = world.inputs
    result = screening(**inputs, params=params, earlier=earlier)
    return Earlier(inputs, params, check(result, SCREENING, name="screening"))


@settings(deadline=None, max_examples=120)
@given(worlds, st.sampled_from(PARAMS), st.data())
def test_edit_after_edit_a_screening_from_the_one_before_is_the_full_one(world, params, data):
    earlier = screened(world, params)
    for _ in range(2):
        world, params = data.draw(edited(world)), data.draw(st.sampled_from((params, params, *PARAMS)))
        earlier = screened(world, params, earlier)
        assert_same(earlier.result, screened(world, params).result)


ROME = Said("Rome", "is", "Italy", Label.GPE, "city/location", Verdict.KEPT, in_pairs=True)
LIMA = replace(ROME, subject="Lima", place="Peru")
RAIN = replace(ROME, subject="Rain", verb="lies", place="winter", label=Label.DATE, kind="weather")
APART = replace(ROME, subject="Oslo", place="Norway", in_pairs=False)
BASE = World({"a": ROME, "b": LIMA, "c": RAIN, "d": APART}, {})
FIRST = PARAMS[0]


def recalled(now: World, params: ScreeningParams = FIRST, before: Params = FIRST) -> int:
    """How many pairs a screening takes over from an earlier one of the base, said to be made with some params."""
    earlier = replace(screened(BASE, FIRST), params=before)
    screened(now, params, earlier)
    return earlier.reused_rows


@pytest.mark.parametrize(
    ("id_", "change", "kept"),
    [
        ("d", {"kind": "weather"}, 3),  # it stands in no pair, and states the same
        ("d", {"subject": "Bern"}, 3),  # it states something else, that no swap comes near
        (
            "d",
            {"subject": "Lima", "place": "Italy"},
            0,
        ),  # what Rome or Lima would state, swapped; one of them is in every pair
        ("c", {"kind": "animal"}, 1),  # its own two pairs are looked at again
        ("c", {"in_pairs": False}, 1),  # its pairs are gone
    ],
)
def test_only_what_a_change_touches_is_looked_at_again(id_, change, kept):
    now = World(BASE.said | {id_: replace(BASE.said[id_], **change)}, {})
    assert recalled(now) == kept


def test_what_is_stated_elsewhere_from_now_on_is_seen():
    stated = replace(APART, subject="Lima", place="Italy")
    found = screened(World(BASE.said | {"d": stated}, {}), FIRST, screened(BASE, FIRST)).result
    flags = dict(found.select("pair_id", "flags").iter_rows())
    assert "stated_swapped" in flags["a|b"]
    assert "stated_swapped" not in flags["b|c"]


def test_another_similarity_is_another_doubt():
    assert recalled(replace(BASE, similarity={"ab": 0.8})) == 2


def test_with_other_checks_to_pass_nothing_is_taken_over():
    assert recalled(BASE, params=PARAMS[2]) == 0
    assert recalled(BASE, params=FIRST.model_copy(update={"max_doubt": 0.5, "max_degree": 1})) == 3
    assert recalled(BASE, before=PairParams()) == 0


def test_an_earlier_run_spares_its_keywords_unless_other_checks_had_to_be_passed():
    keywords = BASE.inputs["keywords"]
    assert shared_keywords(keywords.head(6), FIRST, keywords, FIRST) == 6
    assert shared_keywords(keywords, PARAMS[2], keywords, FIRST) == 0


words = st.frozensets(st.sampled_from("uvwxyz"), min_size=1, max_size=4)


@given(words, words, st.sampled_from("uvwxyz"))
def test_whatever_a_swap_makes_of_a_statement_is_near_it(own, changed, other):
    swaps = {own - {one} | {other} for one in own}
    assert near({"a": own}, swaps) == ["a"]
    assert near({"a": own}, {changed}) == ["a"] or changed not in swaps
