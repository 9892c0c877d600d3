"""BERTScore: the package bert-score, its recall, rescaled."""

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
    """A model of the hub or in a folder, the layer that is compared, and the baseline that rescales.

    A folder is taken for the model that it is named after, unless layer and baseline are given.
    """

    name: str = "roberta-large"
    layer: int | None = None
    baseline: Path | None = None

    @property
    def kind(self) -> str:
        """The name that layer and baseline are known by."""
        return Path(self.name).name if Path(self.name).is_dir() else self.name

    @property
    def chosen_layer(self) -> int | None:
        """The layer that is compared; nothing where none is given or known."""
        return self.layer if self.layer is not None else model2layers.get(self.kind)

    @property
    def chosen_baseline(self) -> Path:
        """The file that rescales."""
        known = Path(bert_score.__file__).parent / "rescale_baseline" / LANGUAGE / f"{self.kind}.tsv"
        return self.baseline or known


def absence(model: BertModel) -> str:
    """Why BERTScore cannot run with a model; empty when it can."""
    if model.chosen_layer is None:
        return f"which layer of {model.name} to compare is not known; say it with --bert-layer"
    if not model.chosen_baseline.is_file():
        return f"no baseline is known for {model.name}; give its file with --bert-baseline"
    return _unreachable(model.name)


@cache
def _unreachable(name: str) -> str:
    """Why a model is neither in a folder, nor downloaded, nor on the hub; empty when it is. Asked once, quickly."""
    if (Path(name) / CONFIG).is_file() or isinstance(try_to_load_from_cache(name, CONFIG), str):
        return ""
    try:
        model_info(name, timeout=10)
    except (OSError, ValueError) as error:
        return f"cannot get {name} from the hub ({type(error).__name__}); give a folder that holds it with --bert-model"
    return ""


def hash_code(model: BertModel) -> str:
    """The code by which bert-score names a setting."""
    return str(get_hash(model.kind, model.chosen_layer, False, True, model.baseline is not None, True))


def recall(predictions: Sequence[str], references: Sequence[str], model: BertModel) -> Statistics:
    """BERTScore's recall of texts against one reference each, rescaled."""
    return mean(_scored(predictions, references, model)[1], scale=POINTS)


def best(predictions: Sequence[str], references: Sequence[Sequence[str]], model: BertModel) -> list[float]:
    """BERTScore's F1 of texts, each against the reference that fits best, rescaled."""
    found: list[float] = _scored(predictions, [list(known) for known in references], model)[2].tolist()
    return found


def _scored(
    predictions: Sequence[str], references: Sequence[str] | Sequence[list[str]], model: BertModel
) -> tuple[Numbers, Numbers, Numbers]:
    """Precision, recall and F1 of each text."""
    with warnings.catch_warnings():
        # What newer pandas gives bert-score for its baselines is read, never written.
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
