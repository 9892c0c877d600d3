"""BLEU-4, CIDEr and ROUGE-2 against pycocoevalcap and rouge-score, number by number; the tokeniser against its jar."""

import json
import random
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer
from rouge_score.rouge_scorer import RougeScorer

from situatedgen.evaluation import ngrams
from situatedgen.evaluation.tokenizer import captions
from situatedgen.sources import sample_folder

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="Stanford's tokeniser needs Java")
ODD = [
    "The colour (of) the grey centre is £5 or €6, 5% & AT&T.",
    "O'Brien and d'Artagnan cannot, isn't, I'm, they'll, gonna; rock 'n' roll of the '90s.",
    "Mr. Smith of the U.S. met J. K. Rowling Jr. at 12:30 p.m. in St. Louis, Mo.",
    "A 24-hour and/or 1/2-mile race, 3.14 km at -5 degrees, 1,000 m/s, 9/11.",
    "“Hello” – she said — don’t… e-mail foo@bar.com or see http://x.y/z now!",
    "Vitamin C. A second sentence. World War I.",
    "The state of New York., and Ph.D. students: what?! H2O, x_y, km², 5°C, C++ #tag",
    "",
    "word.word [x] {y} <b>bold</b> &amp; US$5 ½ cup",
]


def sample_sentences() -> list[str]:
    """Every claim and fact of the shipped sample."""
    claims = (sample_folder() / "creak").glob("*.json")
    found = [json.loads(line)["sentence"] for path in sorted(claims) for line in path.read_text("utf-8").splitlines()]
    facts = sorted((sample_folder() / "openbookqa").rglob("*.txt"))
    return found + [line.strip() for path in facts for line in path.read_text("utf-8").splitlines() if line.strip()]


def pairs() -> tuple[list[str], list[str]]:
    """References of two sentences, and predictions that share some, all or none of their words."""
    chance, known = random.Random(5), sample_sentences()
    references = [" ".join(chance.sample(known, 2)) for _ in range(300)]
    predictions = []
    for number, reference in enumerate(references):
        words = reference.split()
        chance.shuffle(words)
        choices = (reference, " ".join(words), " ".join(chance.sample(known, 2)), " ".join(reference.split()[:6]), "x")
        predictions.append(choices[number % len(choices)])
    return predictions, references


def by_number(texts: list[str]) -> dict[int, list[str]]:
    return {number: [text] for number, text in enumerate(texts)}


def check_captions(predictions: list[str], references: list[str]) -> None:
    gold, answers = by_number(references), by_number(predictions)
    score, alone = Bleu(4).compute_score(gold, answers, verbose=0)
    ours = ngrams.bleu(predictions, references)
    assert ours.score() == pytest.approx(100 * score[3], abs=1e-9)
    np.testing.assert_allclose(ours.alone(), 100 * np.array(alone[3]), atol=1e-9)
    score, alone = Cider().compute_score(gold, answers)
    ours = ngrams.cider(predictions, references)
    assert ours.score() == pytest.approx(10 * score, abs=1e-9)
    np.testing.assert_allclose(ours.alone(), 10 * alone, atol=1e-9)


def check_rouge(predictions: list[str], references: list[str], *, stemmed: bool) -> None:
    scorer = RougeScorer(["rouge2"], use_stemmer=stemmed)
    expected = [
        100 * scorer.score(reference, prediction)["rouge2"].fmeasure
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    ours = ngrams.rouge_2(predictions, references, stemmed=stemmed)
    np.testing.assert_allclose(ours.alone(), expected, atol=1e-9)
    assert ours.score() == pytest.approx(np.mean(expected), abs=1e-9)


def test_bleu_and_cider_equal_pycocoevalcap() -> None:
    predictions, references = pairs()
    check_captions(captions(predictions), captions(references))


@pytest.mark.parametrize("stemmed", [False, True])
def test_rouge_equals_rouge_score(stemmed: bool) -> None:
    check_rouge(*pairs(), stemmed=stemmed)


words = st.lists(st.sampled_from(["a", "b", "c", "rome", "oslo", "running", "Runs", "é", "3,4"]), max_size=12)


@settings(max_examples=60)
@given(st.lists(st.tuples(words, words.filter(len)), min_size=2, max_size=6))
def test_scores_of_any_words_equal_the_standard_ones(given_pairs: list[tuple[list[str], list[str]]]) -> None:
    predictions = [" ".join(left) for left, _ in given_pairs]
    references = [" ".join(right) for _, right in given_pairs]
    check_captions(predictions, references)
    check_rouge(predictions, references, stemmed=True)


def by_java(texts: list[str]) -> list[str]:
    found = PTBTokenizer().tokenize({number: [{"caption": text}] for number, text in enumerate(texts)})
    return [found[number][0] for number in range(len(texts))]


@needs_java
def test_captions_equal_those_of_the_jar() -> None:
    texts = [*ODD, *sample_sentences(), *pairs()[0]]
    assert captions(texts) == by_java(texts)


def test_captions_without_java() -> None:
    assert captions(["It isn't 5% of Mr. O'Brien's (old) U.S. e-mail.", "", "Oh!"]) == [
        "it is n't 5 % of mr. o'brien 's -lrb- old -rrb- u.s. e-mail",
        "",
        "oh",
    ]


def test_a_group_is_scored_from_the_counts_of_its_examples() -> None:
    predictions, references = pairs()
    whole = ngrams.bleu(predictions, references)
    chosen = np.arange(300) % 3 == 0
    part = ngrams.bleu(predictions[::3], references[::3])
    assert whole.score(chosen) == pytest.approx(part.score(), abs=1e-9)
