"""METEOR against pycocoevalcap's, number by number; what is said where a program cannot run."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from pycocoevalcap.meteor.meteor import Meteor

from situatedgen.evaluation import java
from situatedgen.evaluation.metrics import scores
from situatedgen.evaluation.predictions import Example
from situatedgen.evaluation.tokenizer import captions
from situatedgen.sources import sample_folder

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="METEOR needs Java")


@pytest.mark.slow
@needs_java
def test_meteor_equals_pycocoevalcap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that are equal, turned about, cut, alike, unlike, and without any word in common."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", " ".join(java.PLAIN))
    lines = (sample_folder() / "creak" / "train.json").read_text("utf-8").splitlines()
    known = [json.loads(line)["sentence"] for line in lines]
    references = [f"{one} {two}" for one, two in zip(known, known[7:107], strict=False)]
    turned = [f"{two} {one}" for one, two in zip(known, known[7:107], strict=False)]
    makers = (
        references,
        turned,
        [text[: len(text) // 2] for text in references],
        known[3:103],
        ["Ouagadougou café"] * 100,
    )
    predictions = [makers[number % 5][number] for number in range(len(references))]
    gold, answers = captions(references), captions(predictions)
    standard = Meteor()
    score, alone = standard.compute_score(
        {number: [text] for number, text in enumerate(gold)}, {number: [text] for number, text in enumerate(answers)}
    )
    standard.meteor_p.kill()
    standard.meteor_p.communicate()
    ours = java.meteor(answers, gold)
    np.testing.assert_allclose(ours.alone(), 100 * np.array(alone), atol=1e-9)
    assert ours.score() == pytest.approx(100 * score, abs=1e-9)


def test_without_java_the_metrics_are_absent_and_say_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    example = Example("a", ("Rome",), (0,), ("Rome is warm.", "Oslo is cold."))
    found = scores(["Rome is warm."], [example], ["METEOR", "SPICE", "BLEU-4"])
    assert list(found.found) == ["BLEU-4"]
    assert {each.metric: each.reason for each in found.absent} == dict.fromkeys(
        ("METEOR", "SPICE"), "it needs Java on the PATH (17 or later works)"
    )


@needs_java
def test_files_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "CORENLP", ("spice/lib/nothing.jar",))
    assert java.spice_absence().startswith("pycocoevalcap lacks spice/lib/nothing.jar; docs/evaluation.md says where")


def test_a_score_of_nothing_matched_is_zero() -> None:
    row = np.array([[1.0, 9.0, 0.0, 3.0, *[0.0] * 16, 0.0, 0.0, 0.0]])
    assert java.pooled_meteor(row).tolist() == [0.0]
