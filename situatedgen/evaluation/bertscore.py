"""BERTScore, computed by the package bert-score with baseline rescaling."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import bert_score
import numpy as np
import torch
from bert_score.utils import get_hash, model2layers
from huggingface_hub import model_info, try_to_load_from_cache

from situatedgen.resampling import Numbers, Statistics, mean

LANGUAGE = "en"
CONFIG = "config.json"
POINTS = 100.0


@dataclass(frozen=True)
class BertModel:
    """A model from the hub or a folder, the layer whose embeddings are compared, and the rescaling baseline.

    Unless layer and baseline are given, a folder gets those of the model it is named after.
    """

    name: str = "roberta-large"
    layer: int | None = None
    baseline: Path | None = None

    @property
    def kind(self) -> str:
        """The name under which layer and baseline are looked up."""
        return Path(self.name).name if Path(self.name).is_dir() else self.name

    @property
    def chosen_layer(self) -> int | None:
        """The layer to compare; None if none is given or known."""
        return self.layer if self.layer is not None else model2layers.get(self.kind)

    @property
    def chosen_baseline(self) -> Path:
        """The baseline file for rescaling."""
        known = Path(bert_score.__file__).parent / "rescale_baseline" / LANGUAGE / f"{self.kind}.tsv"
        return self.baseline or known


def absence(model: BertModel) -> str:
    """Why BERTScore cannot run with a model; empty if it can."""
    if model.chosen_layer is None:
        return f"the layer of {model.name} to compare is unknown; set it with --bert-layer"
    if not model.chosen_baseline.is_file():
        return f"no rescaling baseline is known for {model.name}; set its file with --bert-baseline"
    return _unavailable_reason(model.name)


@cache
def _unavailable_reason(name: str) -> str:
    """Why a model is in no folder, not downloaded and not on the hub; empty if it is available. Cached."""
    if (Path(name) / CONFIG).is_file() or isinstance(try_to_load_from_cache(name, CONFIG), str):
        return ""
    try:
        model_info(name, timeout=10)
    except (OSError, ValueError) as error:
        return f"cannot download {name} from the hub ({type(error).__name__}); use a local folder with --bert-model"
    return ""


def hash_code(model: BertModel) -> str:
    """The hash code with which bert-score identifies its settings."""
    return str(get_hash(model.kind, model.chosen_layer, False, True, model.baseline is not None, True))


def recall(predictions: Sequence[str], references: Sequence[str], model: BertModel) -> Statistics:
    """Rescaled BERTScore recall of texts against one reference each."""
    return mean(_score_texts(predictions, references, model)[1], scale=POINTS)


def best(predictions: Sequence[str], references: Sequence[Sequence[str]], model: BertModel) -> list[float]:
    """Rescaled BERTScore F1 of texts, each against its best-matching reference."""
    found: list[float] = _score_texts(predictions, [list(known) for known in references], model)[2].tolist()
    return found


def _score_texts(
    predictions: Sequence[str], references: Sequence[str] | Sequence[list[str]], model: BertModel
) -> tuple[Numbers, Numbers, Numbers]:
    """Rescaled precision, recall and F1 of each text."""
    with warnings.catch_warnings():
        # bert-score only reads the baseline array that newer pandas versions return as read-only.
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        precision, recalled, both = bert_score.score(
            list(predictions),
            list(references),
            model_type=model.name,
            num_layers=model.chosen_layer,
            lang=LANGUAGE,
            rescale_with_baseline=True,
            baseline_path=str(model.chosen_baseline),
            use_fast_tokenizer=True,
            device="cuda" if torch.cuda.is_available() else "cpu",
        )
    return np.asarray(precision, np.float64), np.asarray(recalled, np.float64), np.asarray(both, np.float64)
