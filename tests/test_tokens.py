"""Tokens of a sentence: the count is NLTK's, for whatever text."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize.destructive import NLTKWordTokenizer

from situatedgen.report.tokens import token_count

MARKS = " .,:;?!@#$%&*()[]{}<>\"'«»“”‘’„‒–—―/+=-`_"
CLITICS = "n't 's 'S 'm 'll 've 'tis 'twas 're N'T 'RE more'n d'ye dogs' o'clock ... -- ''".split()
WORDS = "cannot Gimme gonna gotta lemme wanna July can U.S 3 15 é of not e.g. naïve x_y ² 北 Pāṇini".split()
PIECES = st.sampled_from([*MARKS, *CLITICS, *WORDS, "  ", "\t"])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_is_what_nltk_counts(sentence: str) -> None:
    assert token_count(sentence) == len(NLTKWordTokenizer().tokenize(sentence))


@given(st.lists(PIECES, max_size=12).map(" ".join))
def test_is_what_nltk_counts_of_words(sentence: str) -> None:
    assert token_count(sentence) == len(NLTKWordTokenizer().tokenize(sentence))


@given(st.text(max_size=40))
def test_is_what_nltk_counts_of_any_text(sentence: str) -> None:
    assert token_count(sentence) == len(NLTKWordTokenizer().tokenize(sentence))


@pytest.mark.slow
def test_ordinary_sentences_need_no_nltk() -> None:
    sentences = ["July is summer in the U.S., isn't it?", 'At 3:15 "High Noon" (1952) cost $4,000; dogs\' — 5 %.']
    code = f"import sys; from situatedgen.report.tokens import token_count as count; print(*map(count, {sentences!r}))"
    code += "; assert 'nltk' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    counted = [len(NLTKWordTokenizer().tokenize(sentence)) for sentence in sentences]
    assert [int(word) for word in done.stdout.split()] == counted
