"""What a training is asked for: the paper's settings, what may be set over them, what a model reads."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.errors import SettingsError
from situatedgen.evaluation.predictions import Example
from situatedgen.training import checkpoints
from situatedgen.training.curve import Curve, Point, points
from situatedgen.training.params import FORMATS, TrainingParams, format_input, template, training_params
from situatedgen.training.train import Row, rows

WEEK = Example("a|b", ("week", "days", "hours", "day"), (0, 0, 1, 1), ("A week has days.", "A day has hours."))


def test_the_defaults_are_those_of_the_paper() -> None:
    """Table 7 and section 6 of the paper; the seed is ours."""
    trained = {"epochs": 10, "batch_size": 32, "learning_rate": 3e-5, "warmup_steps": 500, "seed": 0}
    written = {"max_input_tokens": 64, "max_output_tokens": 128, "beams": 4, "both_orders": True, "format": "auto"}
    assert training_params().model_dump() == {**trained, **written}


def test_a_setting_stands_over_the_file_and_the_file_over_the_paper(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("epochs = 3\nlearning_rate = 1e-4\n", encoding="utf-8")
    found = training_params(file, ["epochs=5", "both_orders=false"])
    assert found == TrainingParams(epochs=5, learning_rate=1e-4, both_orders=False)
    file.write_text("epochs: 3", encoding="utf-8")
    with pytest.raises(SettingsError, match="cannot be read as TOML"):
        training_params(file)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["epoch=3"], "unknown training setting 'epoch'; .*did you mean 'epochs'"),  # a slip of the pen
        (["epochs"], "invalid override 'epochs'; expected `setting=value`"),  # no value
        (["epochs=0"], "epochs: .*greater than or equal to 1, found '0'"),  # out of range
        (["learning_rate=fast"], "learning_rate: .*valid number"),  # not a number
        (["format=gpt"], "neither one of auto, bart, t5"),  # no format, and no place for keywords
    ],
)
def test_bad_settings_are_refused(overrides: list[str], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        training_params(None, overrides)


@pytest.mark.parametrize(
    ("chosen", "family", "expected"),
    [
        ("auto", "bart", "week, days, hours, day"),  # the keywords alone
        ("auto", "t5", "generate two sentences with: week, days, hours, day"),  # FLAN-T5 is one of these
        ("auto", "mt5", "generate two sentences with: week, days, hours, day"),  # and its relatives
        ("auto", "pegasus", "week, days, hours, day"),  # any other
        ("bart", "t5", "week, days, hours, day"),  # named, whatever the family
        ("Write: {keywords}.", "t5", "Write: week, days, hours, day."),  # one's own
    ],
)
def test_a_family_reads_what_it_was_taught_with(chosen: str, family: str, expected: str) -> None:
    assert format_input(template(chosen, FORMATS, model_type=family), WEEK.keywords) == expected


@given(st.lists(st.text(min_size=1), min_size=1))
def test_keywords_are_read_as_they_are(keywords: list[str]) -> None:
    assert format_input("with: {keywords}", keywords) == "with: " + ", ".join(keywords)


def test_both_orders_of_a_pair_are_read() -> None:
    source = "week, days, hours, day"
    straight = Row(source, "A week has days. A day has hours.")
    assert rows([WEEK], "{keywords}", both_orders=False) == [straight]
    assert rows([WEEK], "{keywords}", both_orders=True) == [straight, Row(source, "A day has hours. A week has days.")]


def test_a_point_has_the_mean_loss_of_its_own_epoch() -> None:
    """Two epochs of two steps: (4 + 2) / 2 = 3, then (1 + 0.5) / 2 = 0.75; the first of equals is the best."""
    log = [
        {"step": 1, "epoch": 0.5, "loss": 4.0},
        {"step": 2, "epoch": 1.0, "loss": 2.0},
        {"step": 2, "epoch": 1.0, "eval_loss": 1.5, "eval_rouge_2": 20.0},
        {"step": 3, "epoch": 1.5, "loss": 1.0},
        {"step": 4, "epoch": 2.0, "loss": 0.5},
        {"step": 4, "epoch": 2.0, "eval_loss": 1.0, "eval_rouge_2": 20.0},
        {"step": 4, "epoch": 2.0, "train_loss": 1.9},
    ]
    found = points(log)
    assert found == (Point(1, 2, 3.0, 1.5, 20.0), Point(2, 4, 0.75, 1.0, 20.0))
    assert Curve(found).best == found[0]


def test_only_whole_checkpoints_count_and_the_last_and_the_best_are_kept(tmp_path: Path) -> None:
    def names() -> list[str]:
        return sorted(path.name for path in tmp_path.iterdir())

    assert checkpoints.newest(tmp_path / "nowhere") is None
    for step in (20, 40, 60, 80):
        (tmp_path / f"checkpoint-{step}").mkdir()
    for step in (20, 40, 60):
        checkpoints.seal(tmp_path, step)
    assert checkpoints.newest(tmp_path) == tmp_path / "checkpoint-60"
    assert names() == ["checkpoint-20", "checkpoint-40", "checkpoint-60"]
    checkpoints.sweep(tmp_path, last=60, best=20)
    assert names() == ["checkpoint-20", "checkpoint-60"]
    checkpoints.sweep(tmp_path, last=60, best=None)
    assert names() == ["checkpoint-60"]
