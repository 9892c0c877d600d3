"""Converters that run a sequence-to-sequence model trained on QA2D, from the hub or a folder."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import torch
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from situatedgen.conversion.confidence import judge_statement
from situatedgen.errors import ModelError
from situatedgen.models.weights import fetch, prepare
from situatedgen.params import ModelParams
from situatedgen.records import Conversion, Question
from situatedgen.rules.text import tidy_sentence
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind, Verdict

# Without safetensors, the second file is loaded with `weights_only`: tensors and nothing else.
WEIGHTS_FILES = ("model.safetensors", "pytorch_model.bin")
EXTRA_FILES = ("*.json", "*.txt", "*.model")
MAX_INPUT_TOKENS = 256
MAX_OUTPUT_TOKENS = 96
BEAMS = 4
# The last bits of a score depend on the padding of its batch.
CONFIDENCE_DIGITS = 3


class Seq2SeqConverter:
    """Converts each question and answer with the model; a claim is already a statement.

    `template` is the model's input format; a checkpoint trained on another one needs a subclass with its own template.
    """

    template: ClassVar[str] = "{question} [SEP] {answer}"

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Load the weights from the hub (name and revision) or from a folder.

        Raises:
            SettingsError: the weights or their revision are missing or not exact, or the device is not available.
            ModelError: the weights cannot be loaded, or are not a sequence-to-sequence model.
        """
        path = fetch(params, files=WEIGHTS_FILES, extra_files=EXTRA_FILES)
        self._device = prepare(runtime)
        self._batch_size = runtime.batch_size
        try:
            self._tokenizer = AutoTokenizer.from_pretrained(path.parent)  # type: ignore[no-untyped-call]
            self._model = AutoModelForSeq2SeqLM.from_pretrained(
                path.parent,
                use_safetensors=path.suffix == ".safetensors",
                weights_only=True,
                dtype=torch.float32,
            )
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"weights {params.weights!r} are not a sequence-to-sequence model: {error}") from error
        self._model.to(self._device).eval()

    def convert(self, questions: Sequence[Question]) -> list[Conversion]:
        """The conversion of each question, in order; its confidence is the mean token probability."""
        made = [_claim(question) for question in questions]
        for batch in self._batches(questions):
            for index, (text, confidence) in zip(batch, self._ask([questions[i] for i in batch]), strict=True):
                stated = tidy_sentence(text)
                verdict = judge_statement(questions[index], stated)
                made[index] = Conversion(stated, "seq2seq", confidence, verdict)
        return made

    def _batches(self, questions: Sequence[Question]) -> Iterator[list[int]]:
        """Batches of the numbers of the questions, sorted by length to reduce padding."""
        asked = (index for index, question in enumerate(questions) if question.kind is not ItemKind.CLAIM)
        order = sorted(asked, key=lambda index: (len(self._input(questions[index])), index))
        for start in range(0, len(order), self._batch_size):
            yield order[start : start + self._batch_size]

    def _input(self, question: Question) -> str:
        return self.template.format(question=question.text.strip(), answer=question.answer.strip())

    @torch.no_grad()
    def _ask(self, questions: Sequence[Question]) -> list[tuple[str, float]]:
        inputs = self._tokenizer(
            [self._input(question) for question in questions],
            padding=True,
            truncation=True,
            max_length=MAX_INPUT_TOKENS,
            return_tensors="pt",
        )
        output = self._model.generate(
            input_ids=inputs["input_ids"].to(self._device),
            attention_mask=inputs["attention_mask"].to(self._device),
            num_beams=BEAMS,
            do_sample=False,
            length_penalty=1.0,
            max_new_tokens=MAX_OUTPUT_TOKENS,
            return_dict_in_generate=True,
            output_scores=True,
        )
        texts = self._tokenizer.batch_decode(output.sequences, skip_special_tokens=True)
        scores = output.sequences_scores.exp().clamp(max=1.0).tolist()
        return [(text, round(score, CONFIDENCE_DIGITS)) for text, score in zip(texts, scores, strict=True)]


class LabelledSeq2SeqConverter(Seq2SeqConverter):
    """For checkpoints trained on the input format `question: … answer: …`."""

    template = "question: {question} answer: {answer}"


def _claim(question: Question) -> Conversion:
    text = tidy_sentence(question.text)
    return Conversion(text, "claim", 1.0 if text else 0.0, Verdict.KEPT if text else Verdict.BLANK)
