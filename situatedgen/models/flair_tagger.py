"""Named entities by a flair tagger trained on OntoNotes, such as the paper's FLERT."""

import logging
import re
from collections.abc import Iterator, Sequence

import flair
import spacy
from flair.data import Sentence
from flair.models import SequenceTagger

from situatedgen.errors import ModelError
from situatedgen.models.devices import prepare
from situatedgen.models.flair_file import read_state
from situatedgen.models.hub import fetch
from situatedgen.params import ModelParams
from situatedgen.records import Entity, Span
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Label

WEIGHTS_FILES = ("pytorch_model.bin",)
TAG_PREFIX = re.compile(r"^[BIES]-")
NO_ENTITY = frozenset({"O", "<unk>", "<START>", "<STOP>"})


class FlairTagger:
    """Asks a flair sequence tagger about each text by itself."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Loads the weights: a hub name with its revision, a folder, or a model file.

        Raises:
            SettingsError: the weights or their revision are missing or not exact, or the device is not there.
            ModelError: the weights cannot be had or read, or know other labels than those of OntoNotes.
        """
        # flair speaks on standard output as soon as it is imported.
        logging.getLogger("flair").setLevel(logging.WARNING)
        flair.device = prepare(runtime)
        self._tagger = SequenceTagger.load(read_state(fetch(params, files=WEIGHTS_FILES)))
        _check_labels(self._tagger, params.weights)
        self._tokenizer = spacy.blank("en").tokenizer
        self._batch_size = runtime.batch_size

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text."""
        tokens = [self._tokens(text) for text in texts]
        found: list[tuple[Entity, ...]] = [() for _ in texts]
        for batch in self._batches(tokens):
            for index, entities in zip(batch, self._ask(texts, tokens, batch), strict=True):
                found[index] = entities
        return found

    def _tokens(self, text: str) -> tuple[Span, ...]:
        words = (token for token in self._tokenizer(text) if not token.is_space)
        return tuple(Span(word.idx, word.idx + len(word)) for word in words)

    def _batches(self, tokens: Sequence[tuple[Span, ...]]) -> Iterator[list[int]]:
        """The texts that hold words, by number, those of like length together so that little is padded."""
        worded = (index for index, words in enumerate(tokens) if words)
        order = sorted(worded, key=lambda index: (len(tokens[index]), index))
        for start in range(0, len(order), self._batch_size):
            yield order[start : start + self._batch_size]

    def _ask(
        self, texts: Sequence[str], tokens: Sequence[tuple[Span, ...]], batch: Sequence[int]
    ) -> list[tuple[Entity, ...]]:
        sentences = [_alone([texts[index][token.start : token.end] for token in tokens[index]]) for index in batch]
        self._tagger.predict(sentences, mini_batch_size=self._batch_size, embedding_storage_mode="none")
        return [
            _entities(sentence, tokens[index], self._tagger.tag_type)
            for sentence, index in zip(sentences, batch, strict=True)
        ]


def _alone(words: list[str]) -> Sentence:
    sentence = Sentence(words)
    # A FLERT model reads the neighbours in the list as context unless a sentence already has its own.
    sentence._has_context = True
    return sentence


def _entities(sentence: Sentence, tokens: Sequence[Span], tag_type: str) -> tuple[Entity, ...]:
    found = [
        Entity(tokens[span[0].idx - 1].start, tokens[span[-1].idx - 1].end, Label(span.get_label(tag_type).value))
        for span in sentence.get_spans(tag_type)
    ]
    return tuple(sorted(found))


def _check_labels(tagger: SequenceTagger, weights: str) -> None:
    known = {TAG_PREFIX.sub("", tag) for tag in tagger.label_dictionary.get_items()} - NO_ENTITY
    foreign = sorted(known - {label.value for label in Label})
    if foreign:
        raise ModelError(f"tagger {weights!r} knows labels that OntoNotes has not: {', '.join(foreign)}")
