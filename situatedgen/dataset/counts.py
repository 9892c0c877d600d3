"""Computation of dataset statistics: Tables 1 and 2, funnel, graph, split stability, decisions."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean, pstdev

import polars as pl
from nltk.tokenize.destructive import NLTKWordTokenizer

from situatedgen.dataset.statistics import (
    CommunityLink,
    CommunitySize,
    ContextCount,
    FaultCount,
    FunnelStep,
    Graph,
    KeywordBin,
    KeywordCounts,
    Leakage,
    MoveCount,
    Review,
    SimilarityBin,
    SourceCounts,
    SplitCounts,
    Stability,
    Statistics,
)
from situatedgen.dataset.validity import validity
from situatedgen.leakage.comparison import comparison
from situatedgen.params import SplitParams
from situatedgen.review.criteria import CRITERIA
from situatedgen.rules.splits import SplitChange, leaks, most_common, split_changes
from situatedgen.rules.validity import Labelled
from situatedgen.schemas import DECISIONS, JUDGEMENTS, PRECEDENT
from situatedgen.stages.judgements import contents
from situatedgen.stages.splits import earlier_splits, nodes, placements
from situatedgen.vocabulary import Context, Split, Verdict

DECIMALS = 6
_TOKENIZER = NLTKWordTokenizer()


def split_counts(examples: pl.DataFrame) -> tuple[SplitCounts, ...]:
    """The columns of Table 2, one per split."""
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
    """Count the words and punctuation marks of a sentence with NLTK, as in the paper.

    Example:
        >>> count_tokens("July isn't summer in Australia, it's winter.")
        11
    """
    return len(_TOKENIZER.tokenize(sentence))


def context_counts(examples: pl.DataFrame) -> tuple[ContextCount, ...]:
    """Number of pairs in each split by shared context."""
    counts = Counter(examples.select("split", "context").iter_rows())
    shared = [context for context in Context if context is not Context.NONE]
    return tuple(
        ContextCount(split, context, counts[split.value, context.value]) for split in Split for context in shared
    )


def keyword_counts(examples: pl.DataFrame) -> KeywordCounts:
    """Distribution of the number of keywords per example."""
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
    """Histogram of the similarities of candidates that break no rule, kept and too dissimilar ones separately.

    Float32 represents 0.8 slightly above 0.8; values are rounded first so that each falls into its own bin.
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
    """Population skewness, i.e. the mean cubed standard score; 0 if all values are equal."""
    spread = pstdev(values) if values else 0.0
    if not spread:
        return 0.0
    middle = fmean(values)
    return round(fmean(((value - middle) / spread) ** 3 for value in values), DECIMALS)


def _mean(values: Sequence[float]) -> float:
    return round(fmean(values), DECIMALS) if values else 0.0


def _ratio(part: int, whole: int) -> float:
    return round(part / whole, DECIMALS) if whole else 0.0


COUNTED = (
    ("geo", (Context.GEO,)),
    ("temp", (Context.TEMP,)),
    ("both", (Context.BOTH,)),
    ("valid", (Context.GEO, Context.TEMP, Context.BOTH)),
)


def source_counts(items: pl.DataFrame, statements: pl.DataFrame, masks: pl.DataFrame) -> tuple[SourceCounts, ...]:
    """The rows of Table 1, one per source, sorted by name."""
    kept = statements.filter(pl.col("verdict") == Verdict.KEPT)
    placed = kept.select("statement_id", "source").join(
        masks.select("statement_id", "context"), on="statement_id", how="left"
    )
    counts = placed.group_by("source").agg(
        pl.len().alias("sentences"),
        *(_count_contexts(contexts).alias(name) for name, contexts in COUNTED),
    )
    rows = items.group_by("source").agg(items=pl.len()).join(counts, on="source", how="left").fill_null(0)
    return tuple(SourceCounts(**row) for row in rows.sort("source").iter_rows(named=True))


def total(rows: Sequence[SourceCounts]) -> SourceCounts:
    """The total row of Table 1."""
    return SourceCounts(
        source="total",
        items=sum(row.items for row in rows),
        sentences=sum(row.sentences for row in rows),
        geo=sum(row.geo for row in rows),
        temp=sum(row.temp for row in rows),
        both=sum(row.both for row in rows),
        valid=sum(row.valid for row in rows),
    )


def _count_contexts(contexts: tuple[Context, ...]) -> pl.Expr:
    return pl.col("context").is_in([context.value for context in contexts]).sum()


JUDGING = ("shortlist", "judged", "selected")
JUDGED = ("items", "statements", "masks", "candidates", "pairs", *JUDGING, "splits", "judgements")


def funnel(tables: Mapping[str, pl.DataFrame]) -> tuple[FunnelStep, ...]:
    """Counts of each verdict per stage, kept rows first.

    The verdict `no_context` is counted under `entities`, which determine it, although it is stored in `masks`.
    """
    return tuple(step for stage in JUDGED for step in _steps(stage, _verdicts(tables[stage])))


def _verdicts(table: pl.DataFrame) -> dict[Verdict, int]:
    counts = dict(table.group_by("verdict").len().iter_rows())
    return {verdict: counts[verdict.value] for verdict in Verdict if verdict.value in counts}


def _steps(stage: str, verdicts: Mapping[Verdict, int]) -> Iterator[FunnelStep]:
    counts = {Verdict.KEPT: 0, **verdicts}
    if stage == "masks":
        without_context = counts.pop(Verdict.NO_CONTEXT, 0)
        yield FunnelStep("entities", Verdict.KEPT, sum(counts.values()))
        if without_context:
            yield FunnelStep("entities", Verdict.NO_CONTEXT, without_context)
    for verdict, rows in counts.items():
        yield FunnelStep(stage, verdict, rows)


REPORTED_LINKS = 300
"""Number of links between communities that are reported; there are too many weaker ones."""


def graph(communities: pl.DataFrame, splits: pl.DataFrame) -> Graph:
    """Size of the graph and of its communities, and the pairs lost by splitting it."""
    verdicts = dict(splits["verdict"].value_counts().iter_rows())
    cut, moved = (verdicts.get(each.value, 0) for each in (Verdict.CROSSES_COMMUNITIES, Verdict.TEMPLATE_MOVED))
    return Graph(
        statements=len(communities),
        pairs=len(splits),
        communities=communities["community"].n_unique(),
        cut_pairs=cut,
        cut_share=_share(cut, len(splits)),
        moved_pairs=moved,
        moved_share=_share(moved, len(splits)),
        sizes=_sizes(communities, splits),
        links=_links(communities, splits),
    )


def leakage(splits: pl.DataFrame, masks: pl.DataFrame, statements: pl.DataFrame) -> Leakage:
    """Number of ids, texts and templates that occur in two splits."""
    found = leaks(placements(splits, masks, statements))
    ids, texts, templates = (len(offenders) for offenders in found.values())
    return Leakage(ids, texts, templates)


def _sizes(communities: pl.DataFrame, splits: pl.DataFrame) -> tuple[CommunitySize, ...]:
    members = Counter(communities["community"].to_list())
    pairs = Counter(splits["community"].drop_nulls().to_list())
    held: dict[int, list[Split]] = {}
    for label, split, count in splits.drop_nulls("split").group_by("community", "split").len().iter_rows():
        held.setdefault(label, []).extend([Split(split)] * count)
    return tuple(
        CommunitySize(label, members[label], pairs[label], most_common(held[label]) if label in held else None)
        for label in sorted(members)
    )


def _links(communities: pl.DataFrame, splits: pl.DataFrame) -> tuple[CommunityLink, ...]:
    """The links between communities with the most cut pairs, strongest first."""
    cut = splits.filter(pl.col("verdict") == Verdict.CROSSES_COMMUNITIES).select("left_id", "right_id")
    for side in ("left", "right"):
        named = communities.select(pl.col("statement_id").alias(f"{side}_id"), pl.col("community").alias(side))
        cut = cut.join(named, on=f"{side}_id")
    ends = cut.select(one=pl.min_horizontal("left", "right"), two=pl.max_horizontal("left", "right"))
    counts = ends.group_by("one", "two").len().sort(-pl.col("len").cast(pl.Int64), "one", "two").head(REPORTED_LINKS)
    return tuple(CommunityLink(*row) for row in counts.iter_rows())


def _share(part: int, whole: int) -> float:
    return round(part / whole, DECIMALS) if whole else 0.0


def stability(tables: Mapping[str, pl.DataFrame]) -> Stability | None:
    """How the splits relate to those of the earlier dataset; None if there is none."""
    earlier = tables.get("precedent", PRECEDENT.empty)
    if earlier.is_empty():
        return None
    precedent = earlier_splits(earlier, tables["statements"])
    found = _splits(tables)
    moved = split_changes(nodes(tables["communities"], tables["masks"], tables["statements"]), precedent, found)
    there = len(found.keys() & precedent.keys())
    return Stability(
        statements=earlier.height,
        kept=there - len(moved),
        gone=earlier.height - there,
        new=len(found) - there,
        cut_pairs=tables["splits"].filter(pl.col("verdict") == Verdict.CROSSES_SPLITS).height,
        counts=_move_counts(moved),
        moved=moved,
    )


def _splits(tables: Mapping[str, pl.DataFrame]) -> dict[str, Split]:
    """Map each statement of the dataset to its split."""
    placed = placements(tables["splits"], tables["masks"], tables["statements"])
    return {place.statement_id: Split(place.split) for place in placed}


def _move_counts(moved: tuple[SplitChange, ...]) -> tuple[MoveCount, ...]:
    counts = Counter((move.old_split, move.new_split) for move in moved)
    return tuple(MoveCount(old, new, counts[old, new]) for old in Split for new in Split if counts[old, new])


def review(tables: Mapping[str, pl.DataFrame]) -> Review | None:
    """Summary of the annotators' decisions and their effect; None if there are none."""
    decisions = tables.get("decisions", DECISIONS.empty)
    if decisions.is_empty():
        return None
    judgements = tables.get("judgements", JUDGEMENTS.empty)
    out = judgements.filter(pl.col("verdict") == Verdict.JUDGED_INVALID)
    pairs, found = decisions["pair"].n_unique(), _count_found_pairs(decisions, tables)
    return Review(
        decisions=decisions.height,
        people=decisions["annotator"].n_unique(),
        pairs=pairs,
        absent=pairs - found,
        dropped=out.height,
        tied=int(judgements["is_tied"].sum()),
        faults=_fault_counts(out),
    )


def _count_found_pairs(decisions: pl.DataFrame, tables: Mapping[str, pl.DataFrame]) -> int:
    """Number of annotated pairs that occur in the splits of this dataset."""
    assigned = tables["splits"].drop_nulls("split")
    there = contents(assigned, tables["statements"], tables["selected"], decisions)
    return len({content.key for _, content in there} & set(decisions["pair"]))


def _fault_counts(out: pl.DataFrame) -> tuple[FaultCount, ...]:
    counts = Counter(out["faults"].explode().drop_nulls())
    return tuple(FaultCount(name, counts[name]) for name in CRITERIA if counts[name])


def measure(
    tables: Mapping[str, pl.DataFrame], assigned: SplitParams | None = None, held_back: Sequence[Labelled] = ()
) -> Statistics:
    """Compute all statistics of a dataset from the tables of its stages.

    The leakage certificate requires `assigned`, the params with which communities were assigned to splits. The readings
    `held_back` from the judge's training correct its probabilities.
    """
    items, statements, masks = tables["items"], tables["statements"], tables["masks"]
    splits, examples = tables["splits"], tables["examples"]
    sources = source_counts(items, statements, masks)
    certificate = comparison(tables, assigned) if assigned else None
    return Statistics(
        sources=sources,
        all_sources=total(sources),
        splits=split_counts(examples),
        funnel=funnel(tables),
        contexts=context_counts(examples),
        keywords=keyword_counts(examples),
        graph=graph(tables["communities"], splits),
        leakage=leakage(splits, masks, statements),
        similarities=similarity_bins(tables["pairs"]),
        stability=stability(tables),
        certificate=certificate,
        review=review(tables),
        validity=validity(tables, held_back),
    )
