"""AFLite: what a linear model knows goes, what it cannot know stays."""

import numpy as np
import pytest

from situatedgen.filtering.aflite import AfliteParams, aflite, fit_linear, predictability

PARAMS = AfliteParams(partitions=16)
GROUPS = [f"group {item // 5}" for item in range(200)]


def vectors(predictable: int) -> np.ndarray:
    """Noise, to which the right answers of the first questions add one direction."""
    found = np.random.default_rng(0).normal(size=(200, 4, 12)).astype(np.float32)
    found[:predictable, 0, 0] += 6
    return found


def test_predictable_questions_go_and_others_stay() -> None:
    found = aflite(GROUPS, vectors(80), PARAMS)
    assert found.history[0].accuracy > 0.4
    assert np.mean(found.items < 80) < 0.1
    assert np.mean(np.isin(np.arange(80, 200), found.items)) > 0.7
    assert found.history[-1].accuracy < found.history[0].accuracy - 0.1
    assert sum(one.left_out for one in found.history) == 200 - len(found.items)


def test_noise_cannot_be_predicted() -> None:
    share, correct = predictability(GROUPS, vectors(0), PARAMS, purpose="0")
    assert correct == pytest.approx(0.25, abs=0.08)
    assert share.shape == (200,)


def test_a_slice_is_the_most_that_goes_in_a_round_and_some_always_stay() -> None:
    params = PARAMS.model_copy(update={"slice_share": 0.05, "min_share": 0.5})
    found = aflite(GROUPS, vectors(200), params)
    assert max(one.left_out for one in found.history) == 10
    assert len(found.items) == 100


def test_the_same_seed_gives_the_same_items() -> None:
    once, again = (aflite(GROUPS, vectors(80), PARAMS).items for _ in range(2))
    assert once.tolist() == again.tolist()


def test_weights_are_those_of_a_logistic_regression() -> None:
    """At the optimum the gradient is zero: what the wrong answers pull equals what the ridge pulls back."""
    differences = np.random.default_rng(1).normal(loc=0.3, size=(400, 5))
    params = PARAMS.model_copy(update={"steps": 200})
    weights = fit_linear(differences, params)
    pull = differences.T @ (1 / (1 + np.exp(differences @ weights)))
    assert pull == pytest.approx(params.ridge * 400 * weights, abs=1e-6)
