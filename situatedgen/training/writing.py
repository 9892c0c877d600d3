"""Writes sentences for keywords with a trained model, or with any other sequence-to-sequence model."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch

from situatedgen.evaluation.examples import Example
from situatedgen.models.weights import choose
from situatedgen.training import record
from situatedgen.training.arguments import in_bfloat16
from situatedgen.training.formats import reading, template
from situatedgen.training.loading import Loaded, loaded
from situatedgen.training.params import FORMATS, Machine, TrainingParams
from situatedgen.training.weights import weights

ROWS_AT_ONCE = 32


@dataclass(frozen=True)
class Writer:
    """A model that writes the sentences of keywords, in the words that it was taught to read."""

    loaded: Loaded
    template: str
    params: TrainingParams
    machine: Machine

    def write(self, examples: Sequence[Example], advance: Callable[[int], None] = lambda _: None) -> dict[str, str]:
        """What the model writes for each example, by example id, in order; `advance` is told how many are done."""
        read = [reading(self.template, example.keywords) for example in examples]
        written = [""] * len(read)
        for batch in self._batches(read):
            for index, text in zip(batch, self._written([read[index] for index in batch]), strict=True):
                written[index] = text
            advance(len(batch))
        return {example.example_id: text for example, text in zip(examples, written, strict=True)}

    def _batches(self, read: Sequence[str]) -> Iterator[list[int]]:
        """The texts by number, those of like length together so that little is padded."""
        order = sorted(range(len(read)), key=lambda index: (len(read[index]), index))
        size = self.machine.rows_at_once or ROWS_AT_ONCE
        for start in range(0, len(order), size):
            yield order[start : start + size]

    @torch.no_grad()
    def _written(self, texts: Sequence[str]) -> list[str]:
        device = self.loaded.model.device
        inputs = self.loaded.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.params.max_input_tokens, return_tensors="pt"
        )
        with torch.autocast(device.type, torch.bfloat16, enabled=in_bfloat16(self.machine, device)):
            numbers = self.loaded.model.generate(
                input_ids=inputs["input_ids"].to(device),
                attention_mask=inputs["attention_mask"].to(device),
                num_beams=self.params.beams,
                max_length=self.params.max_output_tokens,
                do_sample=False,
            )
        texts = self.loaded.tokenizer.batch_decode(numbers, skip_special_tokens=True)
        return [" ".join(text.split()) for text in texts]


def writer(
    model: str,
    *,
    revision: str = "",
    params: TrainingParams | None = None,
    machine: Machine = Machine(),  # noqa: B008 (frozen)
) -> Writer:
    """The writer of a folder that `train` made, with the settings of that training; or of any other model.

    Raises:
        SettingsError: the device is not there.
        ModelError: there is no such model, or it is not finished.
    """
    known = record.read(Path(model).expanduser())
    folder = str(Path(model).expanduser() / record.MODEL) if known else model
    found = loaded(weights(folder, revision))
    chosen = params or (known.params if known else TrainingParams())
    if machine.threads:
        torch.set_num_threads(machine.threads)
    found.model.to(choose(machine.device)).eval()
    words = known.template if known else template(chosen.format, FORMATS, model_type=found.kind)
    return Writer(found, words, chosen, machine)
