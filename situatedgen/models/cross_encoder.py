"""A judge that runs any Hugging Face cross-encoder (sentence-pair classifier) from the hub or a local folder."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from situatedgen.errors import ModelError
from situatedgen.models.sentence_encoder import Pass, count_workers, cut_passes, single_threaded
from situatedgen.models.weights import fetch, prepare
from situatedgen.params import ModelParams
from situatedgen.records import Judgement
from situatedgen.runtime import Runtime

WEIGHTS_FILES = ("model.safetensors",)
EXTRA_FILES = ("*.json", "*.txt", "*.model")
MAX_TOKENS = 512
MULTI_LABEL = "multi_label_classification"
VALID = ("valid", "entailment")
"""Labels that mean a valid pair, in lower case."""
PARTS = tuple(field.name for field in fields(Judgement) if field.name != "probability")
# CPUs and accelerators differ in the digits after these.
DIGITS = 4
Tokens = Mapping[str, list[list[int]]]


class CrossEncoder:
    """Scores both orders of a pair and returns the mean; the configured batch size is not used.

    A single output is the probability of a valid pair (sigmoid). Of several exclusive outputs (softmax) it is the one
    labelled `valid` or `entailment`, or else the second of two. If `problem_type` is `multi_label_classification`, the
    outputs are independent (sigmoid): `valid` is the probability; `fluent`, `antithesis`, `dependent` and `common` are
    its parts. A part that the model does not predict gets the overall probability.
    """

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Load the weights from the hub (name and revision) or from a folder.

        Raises:
            SettingsError: the weights or their revision are missing or not exact, or the device is not available.
            ModelError: the weights cannot be loaded, are not a classifier, or have no label that means a valid pair.
        """
        folder = fetch(params, files=WEIGHTS_FILES, extra_files=EXTRA_FILES).parent
        self._device = prepare(runtime)
        self._workers = count_workers(self._device)
        self._tokenizer, self._model = _load(folder, params)
        self._model.to(self._device).eval()
        config = self._model.config
        limits = (self._tokenizer.model_max_length, getattr(config, "max_position_embeddings", MAX_TOKENS), MAX_TOKENS)
        self._longest = min(limit for limit in limits if limit > 0)
        self._labels = [str(config.id2label[number]).lower() for number in range(config.num_labels)]
        self._is_multi_label = config.problem_type == MULTI_LABEL
        self._valid = self._valid_label(params)

    def judge(self, pairs: Sequence[tuple[str, str]]) -> list[Judgement]:
        """The mean of the scores of both orders of each pair."""
        if not pairs:
            return []
        first, second = np.split(self._probabilities([*pairs, *(pair[::-1] for pair in pairs)]), 2)
        return [self._judgement(row) for row in ((first + second) / 2).tolist()]

    def _valid_label(self, params: ModelParams) -> int:
        """The index of the label that means a valid pair."""
        named = next((number for number, label in enumerate(self._labels) if label in VALID), None)
        if named is not None:
            return named
        if len(self._labels) == 1 or (len(self._labels) == 2 and not self._is_multi_label):
            return len(self._labels) - 1
        raise ModelError(
            f"weights {params.weights!r} have the labels {', '.join(self._labels)}; expected a single label, one named"
            f" {' or '.join(VALID)}, or two exclusive labels of which the second means a valid pair"
        )

    def _judgement(self, row: Sequence[float]) -> Judgement:
        probability = row[self._valid]
        given = dict(zip(self._labels, row, strict=True)) if self._is_multi_label else {}
        parts = (given.get(name, probability) for name in PARTS)
        return Judgement(*(round(value, DIGITS) for value in (probability, *parts)))

    def _probabilities(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float64]:
        """The probability of each label: one row per pair, in the given order."""
        left, right = zip(*pairs, strict=True)
        tokens = self._tokenizer(list(left), list(right), truncation=True, max_length=self._longest)
        lengths = [len(ids) for ids in tokens["input_ids"]]
        passes = cut_passes(lengths, longest=self._longest, device=self._device)
        found = np.empty((len(pairs), len(self._labels)))
        with single_threaded(self._workers) as pool:
            for one, answer in zip(passes, pool.map(lambda one: self._ask(one, tokens), passes), strict=True):
                found[one.texts] = answer[: len(one.texts)]
        return found

    def _ask(self, one: Pass, tokens: Tokens) -> NDArray[np.float64]:
        """The probabilities of the pairs in a pass, followed by those of its padding rows."""
        padding = {"input_ids": self._tokenizer.pad_token_id, "token_type_ids": self._tokenizer.pad_token_type_id}
        inputs = {
            name: torch.tensor([_pad(rows[number], one.width, padding.get(name, 0)) for number in one.filled])
            for name, rows in tokens.items()
        }
        with torch.inference_mode():
            logits = self._model(**{name: rows.to(self._device) for name, rows in inputs.items()}).logits.cpu().double()
        is_exclusive = len(self._labels) > 1 and not self._is_multi_label
        return np.asarray(logits.softmax(dim=1) if is_exclusive else logits.sigmoid())


def _pad(row: list[int], width: int, padding: int) -> list[int]:
    return row + [padding] * (width - len(row))


def _load(folder: Path, params: ModelParams) -> tuple[Any, Any]:  # Any: classes chosen by transformers
    """The tokenizer and the model in a folder; reads no pickles and runs no remote code."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=False)  # type: ignore[no-untyped-call]
        model, loading = AutoModelForSequenceClassification.from_pretrained(
            folder, use_safetensors=True, trust_remote_code=False, dtype=torch.float32, output_loading_info=True
        )
    except (OSError, ValueError, KeyError) as error:
        raise ModelError(f"weights {params.weights!r} are not a sentence-pair classifier: {error}") from error
    lacking = ["a padding token"] if tokenizer.pad_token_id is None else sorted(loading["missing_keys"])
    if lacking:
        raise ModelError(f"weights {params.weights!r} are not a sentence-pair classifier: {lacking[0]} is missing")
    return tokenizer, model
