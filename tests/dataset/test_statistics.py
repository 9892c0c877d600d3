"""Statistics: numbers derived by hand from a dataset of seven statements and four pairs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from situatedgen.dataset.counts import count_tokens, measure, similarity_bins, skewness
from situatedgen.dataset.statistics import (
    Basis,
    CommunityLink,
    CommunitySize,
    ContextCount,
    FunnelStep,
    Graph,
    KeywordBin,
    KeywordCounts,
    Leakage,
    SimilarityBin,
    SourceCounts,
    SplitCounts,
    Validity,
    from_values,
    read,
    to_json,
)
from situatedgen.dataset.tables import build_tables
from situatedgen.pipeline import PIPELINE
from situatedgen.schemas import CANDIDATES, COMMUNITIES, EXAMPLES, ITEMS, JUDGED, MASKS, PAIRS, SPLITS, STATEMENTS
from situatedgen.testing import unjudged
from situatedgen.vocabulary import Context, Split, Verdict
from table_support import example_row

# id, source, text, masked text, context, mask verdict
ROWS = [
    ("a1", "alpha", "Rome is in Italy.", "[UNK] is in [UNK].", "GEO", "kept"),
    ("a2", "alpha", "Oslo is in Norway.", "[UNK] is in [UNK].", "GEO", "kept"),
    ("a3", "alpha", "Water is wet.", "[UNK] is wet.", "NONE", "no_context"),
    ("b1", "beta", "Snow falls in winter.", "[UNK] falls in [UNK].", "TEMP", "kept"),
    ("b2", "beta", "Leaves fall in autumn.", "[UNK] fall in [UNK].", "TEMP", "kept"),
    ("b3", "beta", "It was hot in Paris in 2003.", "It was hot in [UNK] in [UNK].", "GEO & TEMP", "kept"),
    ("b4", "beta", "Easter.", "[UNK].", "TEMP", "too_few_masks"),
]
TEXT = {row[0]: row[2] for row in ROWS}
WORDS = {
    "a1": ["Rome", "Italy"],
    "a2": ["Oslo", "Norway"],
    "b1": ["Snow", "winter"],
    "b2": ["Leaves", "autumn", "Snow"],
}


def item(name, source, text, verdict="kept"):
    return (name, source, "train", "f", 1, "claim", "", "", text, "MIT", "Doe (2020)", verdict, "")


def example(left, right, split, context):
    words = [(word, side) for side, name in enumerate((left, right)) for word in WORDS[name]]
    return example_row(left, right, split, texts=(TEXT[left], TEXT[right]), words=words, context=context)


def tables():
    found = {
        "items": ITEMS.frame(
            [item(name, source, text) for name, source, text, *_ in ROWS]
            + [item("a4", "alpha", "", "blank"), item("g1", "gamma", "", "malformed")]
        ),
        "statements": STATEMENTS.frame([(name, source, text, "claim", 1.0, "kept") for name, source, text, *_ in ROWS]),
        "masks": MASKS.frame([(name, masked, 2, context, verdict) for name, _, _, masked, context, verdict in ROWS]),
        "candidates": CANDIDATES.frame(
            [
                ("a1", "a2", 0.9, "kept"),
                ("a1", "b1", 0.9, "no_common_kind"),
                ("b1", "b2", 0.9, "kept"),
                ("a1", "b3", 0.8, "kept"),
                ("b1", "b3", 0.7, "kept"),
            ]
        ),
        "pairs": PAIRS.frame(
            [
                ("a1|a2", "a1", "a2", 0.9, "GEO", "kept"),
                ("b1|b2", "b1", "b2", 0.9, "TEMP", "kept"),
                ("a1|b3", "a1", "b3", 0.8, "GEO", "kept"),
                ("b1|b3", "b1", "b3", 0.7, "TEMP", "too_dissimilar"),
            ]
        ),
        **{
            stage: JUDGED.frame(
                [
                    ("a1|a2", "a1", "a2", 0.9, "GEO", "kept", *[0.75] * 5),
                    ("b1|b2", "b1", "b2", 0.9, "TEMP", "kept", *[0.25] * 5),
                    ("a1|b3", "a1", "b3", 0.8, "GEO", "kept", *[0.5] * 5),
                ]
            )
            for stage in ("shortlist", "judged", "selected")
        },
        "communities": COMMUNITIES.frame([("a1", 0), ("a2", 0), ("b1", 1), ("b2", 1), ("b3", 2)]),
        "splits": SPLITS.frame(
            [
                ("a1|a2", "a1", "a2", 0, "train", "kept"),
                ("b1|b2", "b1", "b2", 1, "test", "kept"),
                ("a1|b3", "a1", "b3", None, None, "crosses_communities"),
            ]
        ),
        "examples": EXAMPLES.frame([example("a1", "a2", "train", "GEO"), example("b1", "b2", "test", "TEMP")]),
    }
    return {**found, "judgements": unjudged(found["splits"])}


FOUND = measure(tables())


def test_tables_1_and_2_count_sources_and_splits():
    """Alpha has four items, three sentences, two of them with a place; gamma's only record was malformed. Each
    sentence has four words and a period, 5 tokens. Of the five keywords of test two are `Snow`; with the four of
    train they are 4.5 on average, and not skewed."""
    assert FOUND.sources == (
        SourceCounts("alpha", items=4, sentences=3, geo=2, temp=0, both=0, valid=2),
        SourceCounts("beta", items=4, sentences=4, geo=0, temp=3, both=1, valid=4),
        SourceCounts("gamma", items=1, sentences=0, geo=0, temp=0, both=0, valid=0),
    )
    assert FOUND.all_sources == SourceCounts("total", items=9, sentences=7, geo=2, temp=3, both=1, valid=6)
    assert FOUND.splits == (
        SplitCounts(Split.TRAIN, 1, 2, 2.0, unique_keywords=4, average_keywords=4.0, average_tokens=10.0),
        SplitCounts(Split.DEV, 0, 0, 0.0, unique_keywords=0, average_keywords=0.0, average_tokens=0.0),
        SplitCounts(Split.TEST, 1, 2, 2.0, unique_keywords=4, average_keywords=5.0, average_tokens=10.0),
    )
    histogram = (KeywordBin(Split.TRAIN, 4, 1), KeywordBin(Split.TEST, 5, 1))
    assert FOUND.keywords == KeywordCounts(mean=4.5, skewness=0.0, histogram=histogram)
    counted = [each for each in FOUND.contexts if each.pairs]
    assert counted == [ContextCount(Split.TRAIN, Context.GEO, 1), ContextCount(Split.TEST, Context.TEMP, 1)]


def test_the_share_of_valid_pairs_is_what_the_judge_expects_where_nobody_labelled_any():
    """Of the three pairs that were judged one crosses communities; the others have 0.75 and 0.25."""
    shares = {Split.TRAIN: 0.75, Split.TEST: 0.25}
    assert FOUND.validity == Validity(0.5, None, None, 0, Basis.JUDGE, shares)
    assert json.loads(to_json(FOUND))["validity"] == {
        "value": 0.5,
        "low": None,
        "high": None,
        "labelled": 0,
        "basis": "judge",
        "splits": {"train": 0.75, "test": 0.25},
    }
    found = measure(tables(), held_back=[(0.5, 1.0), (0.5, 0.0)] * 20).validity
    assert (found.value, found.labelled, found.basis) == (0.5, 40, Basis.HELD_BACK)


def test_the_funnel_counts_every_row_and_gives_contexts_to_entities():
    assert [(step.stage, step.verdict.value, step.rows) for step in FOUND.funnel] == [
        ("items", "kept", 7),
        ("items", "blank", 1),
        ("items", "malformed", 1),
        ("statements", "kept", 7),
        ("entities", "kept", 6),
        ("entities", "no_context", 1),
        ("masks", "kept", 5),
        ("masks", "too_few_masks", 1),
        ("candidates", "kept", 4),
        ("candidates", "no_common_kind", 1),
        ("pairs", "kept", 3),
        ("pairs", "too_dissimilar", 1),
        ("shortlist", "kept", 3),
        ("judged", "kept", 3),
        ("selected", "kept", 3),
        ("splits", "kept", 2),
        ("splits", "crosses_communities", 1),
        ("judgements", "kept", 2),
    ]


def test_the_graph_and_what_was_cut():
    """One of three pairs crosses."""
    assert FOUND.graph == Graph(
        statements=5,
        pairs=3,
        communities=3,
        cut_pairs=1,
        cut_share=0.333333,
        moved_pairs=0,
        moved_share=0.0,
        sizes=(CommunitySize(0, 2, 1, Split.TRAIN), CommunitySize(1, 2, 1, Split.TEST), CommunitySize(2, 1, 0, None)),
        links=(CommunityLink(0, 2, 1),),
    )
    assert FOUND.leakage == Leakage(0, 0, 0)


@pytest.mark.parametrize(
    ("similarity", "percent"),
    [
        (0.8, 80),  # as Float32 a little more than itself, and still itself
        (0.79999, 79),
        (0.29, 29),  # times 100 it is a little less than 29
        (1.0, 99),  # the last bin holds its upper end
    ],
)
def test_a_similarity_falls_in_the_bin_of_its_percent(similarity, percent):
    rows = [("a|b", "a", "b", similarity, "GEO", "kept"), ("a|c", "a", "c", similarity, "GEO", "too_dissimilar")]
    assert similarity_bins(PAIRS.frame(rows)) == (SimilarityBin(percent, 1, 1),)


def test_a_leak_is_counted():
    """Were a1 in train and a2 in test, their common template would be too."""
    leaky = tables()
    leaky["splits"] = SPLITS.frame(
        [("a1|b3", "a1", "b3", 0, "train", "kept"), ("a2|b2", "a2", "b2", 1, "test", "kept")]
    )
    assert measure(leaky).leakage == Leakage(statement_ids=0, statement_texts=0, masked_templates=1)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], 0.0),  # nothing
        ([3, 3, 3], 0.0),  # nothing varies
        ([1, 2, 3], 0.0),  # symmetric
        ([0, 0, 0, 4], 1.154701),  # mean 1, deviation √3: (3·(-1)³ + 3³) / 4 / 3√3 = 2/√3
    ],
)
def test_skewness(values, expected):
    assert skewness(values) == expected


@given(st.lists(st.integers(-50, 50), max_size=30))
def test_skewness_turns_its_sign_with_the_values(values):
    assert skewness([-value for value in values]) == pytest.approx(-skewness(values), abs=1e-5)


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [
        ("Rome is in Italy.", 5),  # the final period is a token
        ("It isn't, is it?", 7),  # is n't, and two punctuation marks
        ("“Yes” is a word.", 7),  # curly quotes are tokens, as in the paper's count
    ],
)
def test_tokens_are_counted_as_the_paper_did(sentence, tokens):
    assert count_tokens(sentence) == tokens


def test_statistics_survive_json(tmp_path):
    path = tmp_path / "stats.json"
    path.write_text(to_json(FOUND), encoding="utf-8")
    assert read(path) == from_values(json.loads(to_json(FOUND))) == FOUND


def shown(values):
    console = Console(width=100)
    with console.capture() as capture:
        console.print(*build_tables(values))
    return [line.split() for line in capture.get().replace("│", " ").splitlines()]


def test_the_terminal_shows_the_same_numbers_from_statistics_and_from_json():
    lines = shown(FOUND)
    assert lines == shown(json.loads(to_json(FOUND)))
    for line in (
        ["beta", "4", "4", "0", "3", "1", "4"],
        ["total", "9", "7", "2", "3", "1", "6"],
        ["entities", "7", "6", "no_context", "1"],
        ["average", "output", "tokens", "10.00", "0.00", "10.00"],
        ["valid", "pairs,", "expected", "by", "the", "judge", "75", "%", "–", "25", "%"],
    ):
        assert line in lines


def test_nothing_can_be_measured():
    found = measure({stage.name: stage.schema.empty for stage in PIPELINE})
    assert found.splits == tuple(SplitCounts(split, 0, 0, 0.0, 0, 0.0, 0.0) for split in Split)
    steps = dict.fromkeys(step.stage for step in FOUND.funnel)
    assert found.funnel == tuple(FunnelStep(stage, Verdict.KEPT, 0) for stage in steps)
    assert found.validity is None
    assert "validity" not in json.loads(to_json(found))
