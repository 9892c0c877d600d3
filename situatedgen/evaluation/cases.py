"""One example and what every system made of it, its keywords marked."""

from collections.abc import Sequence
from itertools import groupby

from situatedgen.evaluation.keywords import Keyword, keywords_of, sentences
from situatedgen.evaluation.predictions import Example, Predictions
from situatedgen.evaluation.results import Case, CaseText, Part
from situatedgen.models.lemmas import Lemmas, Lemmatiser

REFERENCE = "reference"


def case(example: Example, systems: Sequence[Predictions], lemmatiser: Lemmatiser) -> Case:
    """What the reference and each system that answered the example say, keywords marked."""
    keywords = keywords_of(example, lemmatiser)
    texts = [(REFERENCE, example.reference)]
    for system in systems:
        answers = {each.example_id: text for each, text in zip(system.examples, system.texts, strict=True)}
        if example.example_id in answers:
            texts.append((system.system, answers[example.example_id]))
    marked = tuple(CaseText(system=name, parts=_parts(text, example, keywords, lemmatiser)) for name, text in texts)
    return Case(example_id=example.example_id, keywords=example.keywords, texts=marked)


def _parts(text: str, example: Example, keywords: Sequence[Keyword], lemmatiser: Lemmatiser) -> tuple[Part, ...]:
    found: list[Part] = []
    for sentence in sentences(text, example.statements):
        if found:
            found.append(Part(text=" "))
        found.extend(_sentence_parts(lemmatiser[sentence], keywords))
    return tuple(found)


def _sentence_parts(sentence: Lemmas, keywords: Sequence[Keyword]) -> list[Part]:
    marks = [False] * len(sentence.text)
    for keyword in keywords:
        for start, end in keyword.spans(sentence):
            last = sentence.starts[end - 1] + len(sentence.words[end - 1])
            marks[sentence.starts[start] : last] = [True] * (last - sentence.starts[start])
    runs = groupby(zip(sentence.text, marks, strict=False), key=lambda pair: pair[1])
    return [Part(text="".join(letter for letter, _ in run), is_keyword=mark) for mark, run in runs]
