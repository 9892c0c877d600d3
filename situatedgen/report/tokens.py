"""How many tokens a sentence has, counted as the paper did: by NLTK's word tokenizer."""

from nltk.tokenize.destructive import NLTKWordTokenizer

_TOKENIZER = NLTKWordTokenizer()


def token_count(sentence: str) -> int:
    """The number of words and punctuation marks of one sentence."""
    return len(_TOKENIZER.tokenize(sentence))
