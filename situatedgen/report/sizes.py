"""Table 2, and how the examples spread over contexts and numbers of keywords."""

from collections import Counter
from collections.abc import Sequence
from statistics import fmean, pstdev

import polars as pl
from nltk.tokenize.destructive import NLTKWordTokenizer

from situatedgen.report.statistics import ContextCount, KeywordBin, KeywordCounts, SimilarityBin, SplitCounts
from situatedgen.vocabulary import Context, Split, Verdict

DECIMALS = 6
_TOKENIZER = NLTKWordTokenizer()


def split_counts(examples: pl.DataFrame) -> tuple[SplitCounts, ...]:
    """A column of Table 2 for each split."""
    return tuple(_split_counts(split, examples.filter(pl.col("split") == split.value)) for split in Split)


def _split_counts(split: Split, examples: pl.DataFrame) -> SplitCounts:
    pairs, keywords = examples.height, examples["keywords"]
    sentences = examples["statements"].explode(empty_as_null=False).value_counts()
    tokens = sum(count_tokens(sentence) * count for sentence, count in sentences.iter_rows())
    return SplitCounts(
        split=split,
        pairs=pairs,
        unique_sentences=sentences.height,
        sentences_per_pair=_ratio(sentences.height, pairs),
        unique_keywords=keywords.explode(empty_as_null=False).n_unique(),
        average_keywords=_ratio(int(keywords.list.len().sum()), pairs),
        average_tokens=_ratio(tokens, pairs),
    )


def count_tokens(sentence: str) -> int:
    """The number of words and punctuation marks of one sentence, as the paper counted them: with NLTK.

    Example:
        >>> count_tokens("July isn't summer in Australia, it's winter.")
        11
    """
    return len(_TOKENIZER.tokenize(sentence))


def context_counts(examples: pl.DataFrame) -> tuple[ContextCount, ...]:
    """The pairs of each split by the context they share."""
    counts = Counter(examples.select("split", "context").iter_rows())
    shared = [context for context in Context if context is not Context.NONE]
    return tuple(
        ContextCount(split, context, counts[split.value, context.value]) for split in Split for context in shared
    )


def keyword_counts(examples: pl.DataFrame) -> KeywordCounts:
    """How many keywords the examples have."""
    widths = examples["keywords"].list.len()
    counts = Counter(zip(examples["split"].to_list(), widths.to_list(), strict=True))
    histogram = tuple(
        KeywordBin(split, width, counts[split.value, width])
        for split in Split
        for width in widths.unique().sort().to_list()
        if counts[split.value, width]
    )
    return KeywordCounts(_mean(widths.to_list()), skewness(widths.to_list()), histogram)


def similarity_bins(pairs: pl.DataFrame) -> tuple[SimilarityBin, ...]:
    """How alike the candidates are that break no rule, and how many of them are alike enough.

    Float32 puts 0.8 a little above itself, and rounding first keeps it in its own bin.
    """
    percent = (pl.col("similarity").cast(pl.Float64).round(DECIMALS) * 100).round(4).floor().clip(upper_bound=99)
    counts = (
        pairs.group_by(percent.cast(pl.Int64).alias("percent"))
        .agg(
            kept=(pl.col("verdict") == Verdict.KEPT).sum(),
            too_dissimilar=(pl.col("verdict") == Verdict.TOO_DISSIMILAR).sum(),
        )
        .sort("percent")
    )
    return tuple(SimilarityBin(*row) for row in counts.iter_rows())


def skewness(values: Sequence[float]) -> float:
    """The skewness of a population: the mean cube of its standard scores; 0 where nothing varies."""
    spread = pstdev(values) if values else 0.0
    if not spread:
        return 0.0
    middle = fmean(values)
    return round(fmean(((value - middle) / spread) ** 3 for value in values), DECIMALS)


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), DECIMALS) if values else 0.0


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, DECIMALS) if whole else 0.0
