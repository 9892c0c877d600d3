"""Every rule of the paper stands once, in `situatedgen.rules`: who changes it there changes the rows of a stage."""

import importlib
import sys
from collections.abc import Callable
from itertools import product
from typing import Any

import polars as pl
import pytest

from situatedgen import testing
from situatedgen.mining import verdicts
from situatedgen.mining.pool import kind_bits
from situatedgen.models.fakes import FakeConverter
from situatedgen.models.rule_converter import RuleConverter
from situatedgen.params import (
    CandidateParams,
    CommunityParams,
    ExampleParams,
    KeywordParams,
    MaskParams,
    PairParams,
    SplitParams,
    StatementParams,
    TermParams,
)
from situatedgen.records import Conversion, Span
from situatedgen.rules.pairs import PAIR_RULES, lacks_common_kind, pair_side
from situatedgen.runtime import Runtime
from situatedgen.schemas import COMMUNITIES, ITEMS, MASKS, PARSES, PRECEDENT
from situatedgen.stages.candidates import candidates
from situatedgen.stages.communities import communities
from situatedgen.stages.examples import examples
from situatedgen.stages.keywords import keywords
from situatedgen.stages.masks import masks
from situatedgen.stages.pairs import pairs
from situatedgen.stages.splits import splits
from situatedgen.stages.statements import statements
from situatedgen.stages.terms import terms
from situatedgen.vocabulary import Context, ItemKind, Label, Split, Verdict

Rows = list[tuple[Any, ...]]

PARIS, TOKYO, WINTER = "Paris is an old town.", "Tokyo is the largest town.", "In winter it snows."
TEXTS = testing.statements(("a::1", PARIS), ("a::2", TOKYO), ("a::3", WINTER))
ENTITIES = testing.entities(
    TEXTS, ("a::1", "Paris", Label.GPE), ("a::2", "Tokyo", Label.GPE), ("a::3", "winter", Label.DATE)
)
KEYWORDS = testing.keywords(
    TEXTS,
    ("a::1", "Paris", Label.GPE),
    ("a::1", "town", None),
    ("a::2", "Tokyo", Label.GPE),
    ("a::2", "town", None),
    ("a::3", "winter", Label.DATE),
)


class Nouns:
    """Finds "town"."""

    def find(self, texts: list[str]) -> list[tuple[Span, ...]]:
        return [(Span(text.index("town"), text.index("town") + 4),) if "town" in text else () for text in texts]


def stated_claim() -> Rows:
    params = StatementParams()
    items = testing.items(("a::1", "the sun is a star"))
    table = statements(items, params=params, converter=FakeConverter(params.converter, Runtime()))
    return table.select("text", "verdict").rows()


def stated_question(kind: ItemKind, question: str, answer: str) -> Rows:
    items = ITEMS.frame([("a::1", "a", "train", "f", 1, kind, question, answer, "", "", "", Verdict.KEPT, "")])
    params = StatementParams()
    table = statements(items, params=params, converter=RuleConverter(params.converter, Runtime()))
    return table.select("text", "verdict").rows()


def stated_yes_no() -> Rows:
    return stated_question(ItemKind.YES_NO, "Did Alexander see Rome?", "yes")


def stated_choice() -> Rows:
    return stated_question(ItemKind.CHOICE, "What do people eat?", "bread")


def found_keywords() -> Rows:
    return keywords(TEXTS, ENTITIES, params=KeywordParams(), nouns=Nouns()).select("statement_id", "text").rows()


def masked() -> Rows:
    params = MaskParams(mask="[UNK]", min_masks=1, max_masks=5)
    return masks(TEXTS, ENTITIES, KEYWORDS, params=params).select("masked_text", "context", "verdict").rows()


def judged() -> Rows:
    """The candidates of a place, the same place again, a third, and two times, all with the same masked text."""
    named = [
        ("a", "Paris snows in the cold.", "Paris", Context.GEO),
        ("b", "Paris snows in the cold!", "Paris", Context.GEO),
        ("c", "Tokyo snows in the dark.", "Tokyo", Context.GEO),
        ("d", "In the dark of Tokyo all snows.", "Tokyo", Context.GEO),
        ("e", "In May it snows.", "May", Context.TEMP),
    ]
    label = {Context.GEO: Label.GPE, Context.TEMP: Label.DATE}
    texts = testing.statements(*((name, text) for name, text, _, _ in named))
    entities = testing.entities(texts, *((name, place, label[context]) for name, _, place, context in named))
    table = testing.masks(*((name, "[UNK] snows", context) for name, _, _, context in named))
    vectors = pl.DataFrame(
        {"masked_text": ["[UNK] snows"], "vector": [[1.0, 0.0]]}, schema_overrides={"vector": pl.Array(pl.Float32, 2)}
    )
    found = candidates(texts, entities, table, vectors, params=CandidateParams(floor=0.5))
    return found.select(pl.concat_str("left_id", "right_id"), "verdict").rows()


def paired() -> Rows:
    table = MASKS.frame([("a", "x", 2, Context.BOTH, Verdict.KEPT), ("b", "y", 2, Context.TEMP, Verdict.KEPT)])
    found = testing.pairs(("a", "b")).drop("pair_id", "context")
    return pairs(table, found, params=PairParams(min_similarity=0.9)).select("context", "verdict").rows()


def grouped() -> Rows:
    class Detector:
        def detect(self, node_count: int, edges: object, *, seed: int) -> list[int]:
            return [7, 3, 3]

    kept = testing.judged(("a", "b"), ("b", "c"))
    return communities(kept, params=CommunityParams(), detector=Detector()).rows()


def dealt(starts: int = 4) -> Rows:
    """The splits of five communities of two pairs each, of which one has a pair to another one."""
    nodes = [f"{number}{side}" for number in range(5) for side in "lmr"]
    texts = testing.statements(*((name, f"Text {name}.") for name in nodes))
    table = testing.masks(*((name, f"[UNK] {name}", Context.GEO) for name in nodes))
    groups = COMMUNITIES.frame([(name, int(name[0])) for name in nodes])
    ends = [(f"{number}{left}", f"{number}{right}") for number in range(5) for left, right in ("lm", "mr")]
    kept = testing.judged(*ends, ("0l", "1l"))
    params = SplitParams(test_share=0.4, dev_share=0.2, starts=starts)
    found = splits(kept, kept, table, texts, PARSES.empty, groups, PRECEDENT.empty, params=params)
    return found.group_by("split", "verdict").len().sort("split", "verdict", nulls_last=True).rows()


def dealt_once() -> Rows:
    return dealt(starts=0)


def made() -> Rows:
    kept = testing.judged(("a::1", "a::2"))
    splits = kept.select("pair_id", "left_id", "right_id", community=pl.lit(0, pl.UInt32), split=pl.lit("train"))
    judged = testing.unjudged(splits.with_columns(verdict=pl.lit("kept")))
    licences = terms(testing.items(("a::1", PARIS), ("a::2", TOKYO)), params=TermParams())
    table = examples(licences, TEXTS, KEYWORDS, kept, judged, params=ExampleParams(seed=0))
    return table.select("keywords", "keywords_pos").rows()


def conversion(text: str) -> Callable[..., Any]:
    """A rule that makes this of every question, and asks for no parse."""

    def state(*question: str, **answer: bool) -> Any:
        yield from ()
        return Conversion(text, "test", 1.0, Verdict.KEPT)

    return state


def only_people(labels: Any) -> Context:
    return Context.GEO if Label.PERSON in set(labels) else Context.NONE


def never(verdict: Verdict) -> Any:
    """The rules for pairs, of which one is never broken."""
    return tuple((name, (lambda left, right: False) if name is verdict else rule) for name, rule in PAIR_RULES)


def always(verdict: Verdict) -> Any:
    """The same, where it is always broken."""
    return tuple((name, (lambda left, right: True) if name is verdict else rule) for name, rule in PAIR_RULES)


JUDGED = {
    "ab": "contained",
    "ac": "kept",
    "ad": "kept",
    "bc": "kept",
    "bd": "kept",
    "cd": "shared_entity",
}
MASKED = [
    ("[UNK] is an old [UNK].", "GEO", "kept"),
    ("[UNK] is the largest [UNK].", "GEO", "kept"),
    ("In [UNK] it snows.", "TEMP", "kept"),
]
FOUND = [("a::1", "Paris"), ("a::1", "town"), ("a::2", "Tokyo"), ("a::2", "town"), ("a::3", "winter")]
DEALT = [("train", "kept", 4), ("dev", "kept", 2), ("test", "kept", 4), (None, "crosses_communities", 1)]
WORDS = ["Paris", "town", "Tokyo", "town"]


@pytest.mark.parametrize(
    ("rule", "changed", "make", "before", "after"),
    [
        pytest.param(
            "rules.text:tidy_sentence",
            str.upper,
            stated_claim,
            [("The sun is a star.", "kept")],
            [("THE SUN IS A STAR", "kept")],
            id="tidy",
        ),
        pytest.param(
            "rules.text:is_clean",
            lambda text: False,
            stated_claim,
            [("The sun is a star.", "kept")],
            [("The sun is a star.", "not_clean")],
            id="clean",
        ),
        pytest.param(
            "conversion.yes_no:state",
            conversion("Yes it is so."),
            stated_yes_no,
            [("Alexander saw Rome.", "kept")],
            [("Yes it is so.", "kept")],
            id="yes-no question",
            marks=pytest.mark.weights,
        ),
        pytest.param(
            "conversion.choice:state",
            conversion("One of many is chosen."),
            stated_choice,
            [("People eat bread.", "kept")],
            [("One of many is chosen.", "kept")],
            id="multiple-choice question",
            marks=pytest.mark.weights,
        ),
        pytest.param("rules.keywords:context_of", only_people, found_keywords, FOUND, [], id="places and times"),
        pytest.param(
            "rules.keywords:keywords_of", lambda entities, nouns: (), found_keywords, FOUND, [], id="keywords"
        ),
        pytest.param(
            "rules.keywords:mask",
            lambda text, spans, mask: text,
            masked,
            MASKED,
            [(PARIS, "GEO", "kept"), (TOKYO, "GEO", "kept"), (WINTER, "TEMP", "kept")],
            id="masks",
        ),
        pytest.param(
            "rules.keywords:mask_verdict",
            lambda context, mask_count, params: Verdict.TOO_MANY_MASKS,
            masked,
            MASKED,
            [(text, context, "too_many_masks") for text, context, _ in MASKED],
            id="number of masks",
        ),
        pytest.param(
            "rules.keywords:context_of",
            lambda labels: Context.BOTH,
            masked,
            MASKED,
            [(text, "GEO & TEMP", verdict) for text, _, verdict in MASKED],
            id="context of a statement",
        ),
        pytest.param(
            "rules.pairs:PAIR_RULES",
            never(Verdict.CONTAINED),
            judged,
            list(JUDGED.items()),
            list((JUDGED | {"ab": "shared_entity"}).items()),
            id="contained",
        ),
        pytest.param(
            "rules.pairs:PAIR_RULES",
            never(Verdict.SHARED_ENTITY),
            judged,
            list(JUDGED.items()),
            list((JUDGED | {"cd": "kept"}).items()),
            id="shared entity",
        ),
        pytest.param(
            "rules.pairs:PAIR_RULES",
            always(Verdict.NO_COMMON_KIND),
            judged,
            list(JUDGED.items()),
            [(ends, "no_common_kind" if verdict == "kept" else verdict) for ends, verdict in JUDGED.items()],
            id="common kind",
        ),
        pytest.param(
            "rules.pairs:KINDS",
            dict.fromkeys(Context, frozenset({Context.GEO})),
            judged,
            list(JUDGED.items()),
            sorted((JUDGED | dict.fromkeys(["ae", "be", "ce", "de"], "kept")).items()),
            id="kinds that are compared",
        ),
        pytest.param(
            "rules.pairs:is_dissimilar",
            lambda similarity, least: similarity <= least,
            paired,
            [("TEMP", "kept")],
            [("TEMP", "too_dissimilar")],
            id="similarity",
        ),
        pytest.param(
            "rules.pairs:shared_context",
            lambda left, right: left,
            paired,
            [("TEMP", "kept")],
            [("GEO & TEMP", "kept")],
            id="context of a pair",
        ),
        pytest.param(
            "rules.splits:canonical_labels",
            list,
            grouped,
            [("a", 1), ("b", 0), ("c", 0)],
            [("a", 7), ("b", 3), ("c", 3)],
            id="numbers of communities",
        ),
        pytest.param(
            "rules.splits:cut_verdict",
            lambda: pl.lit(Verdict.CROSSES_COMMUNITIES.value),
            dealt,
            DEALT,
            [(None, "crosses_communities", 11)],
            id="cut between communities",
        ),
        pytest.param(
            "rules.splits:group_templates",
            lambda placed: {each.statement_id: 0 for each in placed},
            dealt,
            DEALT,
            [("train", "kept", 11)],
            id="homes",
        ),
        pytest.param(
            "rules.splits:settle_splits",
            lambda placed, precedent, home: {each.statement_id: Split.DEV for each in placed},
            dealt,
            DEALT,
            [("dev", "kept", 10), (None, "crosses_communities", 1)],
            id="splits of an earlier dataset",
        ),
        pytest.param(
            "rules.assignment:assign_communities",
            lambda hand, starts: starts[0] * 0,
            dealt,
            DEALT,
            [("train", "kept", 10), (None, "crosses_communities", 1)],
            id="assignment to splits",
        ),
        pytest.param(
            "rules.assignment:pack",
            lambda sizes, anchors, **shares: dict.fromkeys(sizes, Split.TEST),
            dealt_once,
            DEALT,
            [("test", "kept", 10), (None, "crosses_communities", 1)],
            id="packing of communities",
        ),
        pytest.param(
            "rules.keywords:merge_keywords",
            lambda left, right, order: ([*left, *right], [9] * 4),
            made,
            [(["town", "Paris", "Tokyo", "town"], [1, 0, 1, 0])],
            [(WORDS, [9, 9, 9, 9])],
            id="merged and shuffled keywords",
        ),
    ],
)
def test_a_changed_rule_changes_the_rows(
    rule: str, changed: object, make: Callable[[], Rows], before: Rows, after: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verdicts, "PAIRS_A_TRACE", 0)  # the bits in front of the rules for pairs are looked at, too
    assert make() == before
    change(rule, changed, monkeypatch)
    assert make() == after


def change(rule: str, changed: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put something else for a rule, which `rules` or `conversion` defines, wherever that very object is imported."""
    module, name = rule.split(":")
    defined = getattr(importlib.import_module(f"situatedgen.{module}"), name)
    ours = [each for key, each in sorted(sys.modules.items()) if key.split(".")[0] == "situatedgen"]
    places = [(each, key) for each in ours for key, value in vars(each).copy().items() if value is defined]
    assert places, rule
    for each, key in places:
        monkeypatch.setattr(each, key, changed)


def test_the_search_skips_the_pairs_that_lack_a_common_kind_and_no_others() -> None:
    """It compares kinds as bits; the rule compares sets."""
    ends = list(product(Context, repeat=2))
    skipped = [not kind_bits(left) & kind_bits(right) for left, right in ends]
    assert skipped == [lacks_common_kind(*(pair_side("", (), context) for context in both)) for both in ends]
