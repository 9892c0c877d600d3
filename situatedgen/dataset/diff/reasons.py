"""Reasons for differences: the first stage at which a statement or an example changed, was lost or moved."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

import polars as pl

from situatedgen.stages.pairs import shared_contexts
from situatedgen.vocabulary import Context, Verdict


class Kind(StrEnum):
    """How an example differs; one that exists on both sides may be both changed and moved."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


class Reason(StrEnum):
    """Why an example differs, if no verdict of the funnel explains it."""

    # items
    NO_ITEM = "no_item"
    RENUMBERED = "renumbered"
    EDITED = "edited"
    # statements, entities, keywords, masks, embeddings
    WORDED_OTHERWISE = "worded_otherwise"
    TAGGED_OTHERWISE = "tagged_otherwise"
    OTHER_KEYWORDS = "other_keywords"
    MASKED_OTHERWISE = "masked_otherwise"
    ENCODED_OTHERWISE = "encoded_otherwise"
    # candidates
    NO_CANDIDATE = "no_candidate"
    # communities and splits
    COMMUNITY_GREW = "community_grew"
    COMMUNITY_SHRANK = "community_shrank"
    COMMUNITY_REGROUPED = "community_regrouped"
    DEALT_ELSEWHERE = "dealt_elsewhere"
    OTHER_SPLIT = "other_split"
    # examples
    SHUFFLED_OTHERWISE = "shuffled_otherwise"
    STATEMENT_OUT = "statement_out"
    PAIR_OUT = "pair_out"
    NOT_IN_FOLDER = "not_in_folder"
    ALTERED = "altered"


PHRASES: dict[str, str] = {
    Reason.RENUMBERED: "id now belongs to another record: lines moved",
    Reason.EDITED: "item edited",
    Reason.WORDED_OTHERWISE: "statement changed",
    Reason.TAGGED_OTHERWISE: "entities changed",
    Reason.OTHER_KEYWORDS: "keywords changed",
    Reason.MASKED_OTHERWISE: "masked text changed",
    Reason.ENCODED_OTHERWISE: "similarity changed",
    Reason.COMMUNITY_GREW: "its community gained statements",
    Reason.COMMUNITY_SHRANK: "its community lost statements",
    Reason.COMMUNITY_REGROUPED: "its community was regrouped",
    Reason.DEALT_ELSEWHERE: "its community was assigned to another split",
    Reason.OTHER_SPLIT: "in another split",
    Reason.SHUFFLED_OTHERWISE: "keywords in another order",
    Reason.ALTERED: "data files were edited",
}
ABSENCES: dict[str, str] = {
    Reason.NO_CANDIDATE: "not a candidate: below the floor, or not among the nearest",
    Reason.STATEMENT_OUT: "a statement is in no example",
    Reason.PAIR_OUT: "both statements are only in other examples",
    Reason.NOT_IN_FOLDER: "missing from the data files",
    Verdict.NO_CONTEXT: "no place or time",
    Verdict.SHARED_ENTITY: "shared place or time",
    Verdict.CONTAINED: "one statement contains the other",
    Verdict.NO_COMMON_KIND: "no kind of context in common",
    Verdict.IMPROBABLE: "judge: improbable",
    Verdict.NOT_FLUENT: "judge: not fluent",
    Verdict.NOT_COMMON: "judge: not general knowledge",
    Verdict.SAME_CONTENT: "same content as another pair",
    Verdict.TOO_FREQUENT: "sentence already has enough pairs",
    Verdict.FAMILY_FULL: "predicate already has enough sentences",
    Verdict.JUDGED_INVALID: "judged invalid by annotators",
}


def phrase(kind: str, reason: str) -> str:
    """Describe a reason in words; for an added example, say what excluded it before.

    Example:
        >>> phrase("added", "too_dissimilar")
        'was: too dissimilar'
    """
    if reason == Reason.NO_ITEM:
        return "new item" if kind == Kind.ADDED else "item removed"
    if reason in PHRASES:
        return PHRASES[reason]
    absence = ABSENCES.get(reason, reason.replace("_", " "))
    return f"was: {absence}" if kind == Kind.ADDED else absence


Tables = Mapping[str, pl.DataFrame]
# The stages whose tables show what happened to a statement or a pair; `splits` has every kept pair.
TOLD_BY = (
    *("items", "statements", "entities", "keywords", "masks", "embeddings"),
    *("candidates", "shortlist", "judged", "selected", "splits", "judgements"),
)
# The last bits of an encoder's output depend on the machine.
NOISE = 1e-5
DECIMALS = 6
FIELDS = ("statements", "keywords", "context", "similarity", "order")


@dataclass(frozen=True)
class Side:
    """A dataset: its examples as returned by `side`, and its tables by stage, empty if they are not available."""

    examples: pl.DataFrame
    tables: Tables


def side(examples: pl.DataFrame, tables: Tables | None = None) -> Side:
    """Prepare a dataset for comparison, from the rows of either a build or a folder."""
    plain = examples.select(
        "example_id",
        pl.col("split").cast(pl.String),
        pl.col("ids").list.get(0).alias("left_id"),
        pl.col("ids").list.get(1).alias("right_id"),
        "statements",
        "keywords",
        pl.col("keywords_pos").cast(pl.List(pl.Int64)),
        pl.col("context").cast(pl.String),
        pl.col("similarity").cast(pl.Float64).round(DECIMALS),
    )
    return Side(plain, tables or {})


def shared_examples(old: Side, new: Side) -> pl.DataFrame:
    """The examples on both sides, with the fields in which they differ; columns of the new side end in `_new`."""
    both = old.examples.join(new.examples, on="example_id", suffix="_new")
    words = pl.col("keywords").list.sort() != pl.col("keywords_new").list.sort()
    order = _differs("keywords") | _differs("keywords_pos")
    flags = (
        _differs("statements"),
        words,
        _differs("context"),
        differ(pl.col("similarity"), pl.col("similarity_new")),
        order & ~words,
    )
    named = [pl.when(flag).then(pl.lit(name)) for name, flag in zip(FIELDS, flags, strict=True)]
    return both.with_columns(fields=pl.concat_list(named).list.drop_nulls())


def differ(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Whether two similarities differ by more than numerical noise."""
    return (left - right).abs() > NOISE


def _differs(name: str) -> pl.Expr:
    return pl.col(name) != pl.col(f"{name}_new")


BY_FIELD = dict(
    zip(
        FIELDS,
        (
            ("statements", Reason.WORDED_OTHERWISE),
            ("keywords", Reason.OTHER_KEYWORDS),
            ("masks", Reason.MASKED_OTHERWISE),
            ("embeddings", Reason.ENCODED_OTHERWISE),
            ("examples", Reason.SHUFFLED_OTHERWISE),
        ),
        strict=True,
    )
)


def with_absence(pairs: pl.DataFrame, there: pl.DataFrame) -> pl.DataFrame:
    """Examples that the other side lacks, with whether their statements occur in its other examples."""
    ids = pl.concat([there["left_id"], there["right_id"]]).unique().to_list()
    out = [pl.when(~pl.col(name).is_in(ids)).then(pl.col(name)) for name in ("left_id", "right_id")]
    found = pairs.with_columns(fate_ids=pl.concat_list(out).list.drop_nulls())
    is_out = pl.col("fate_ids").list.len() > 0
    reason = pl.when(is_out).then(pl.lit(Reason.STATEMENT_OUT.value)).otherwise(pl.lit(Reason.PAIR_OUT.value))
    return found.with_columns(stage=pl.lit("examples"), reason=reason, there=pl.lit(None, pl.Float64))


def by_field(*, with_tables: bool) -> tuple[pl.Expr, pl.Expr]:
    """Stage and reason of a change that no statement row explains, by the first field that differs.

    If the tables are available and agree, different words or contexts mean that the data files were edited.
    """
    edited = ("statements", "keywords", "context") if with_tables else ()
    reason_of = BY_FIELD | dict.fromkeys(edited, ("examples", Reason.ALTERED))
    return _by_first_field({name: stage for name, (stage, _) in reason_of.items()}), _by_first_field(
        {name: reason.value for name, (_, reason) in reason_of.items()}
    )


def _by_first_field(values: dict[str, str]) -> pl.Expr:
    return pl.col("fields").list.get(0, null_on_oob=True).replace_strict(values, default=None, return_dtype=pl.String)


SIDES = ("left", "right")
REASON_COLUMNS: dict[str, type[pl.DataType]] = {"statement_id": pl.String, "rank": pl.Int32, "reason": pl.String}


def statement_ids(pairs: pl.DataFrame) -> pl.DataFrame:
    """The distinct statement ids of some pairs, sorted."""
    return pl.concat([pairs["left_id"], pairs["right_id"]]).unique().sort().alias("statement_id").to_frame()


def first_of(ids: pl.DataFrame, reasons: Mapping[str, pl.Expr]) -> pl.DataFrame:
    """First reason per statement, given a reason or null for each stage in order; drops statements without one."""
    ranks = [pl.when(reason.is_not_null()).then(pl.lit(rank)) for rank, reason in enumerate(reasons.values())]
    found = ids.select("statement_id", pl.coalesce(ranks).alias("rank"), pl.coalesce(*reasons.values()).alias("reason"))
    return found.drop_nulls().cast(REASON_COLUMNS)  # type: ignore[arg-type]


def with_first(pairs: pl.DataFrame, reasons: pl.DataFrame, *, prefix: str) -> pl.DataFrame:
    """Add the earliest reason of a pair's two statements: PREFIX_rank, PREFIX_reason and the affected PREFIX_ids."""
    for side in SIDES:
        half = reasons.rename({"statement_id": f"{side}_id", "rank": f"{side}_rank", "reason": f"{side}_reason"})
        pairs = pairs.join(half, on=f"{side}_id", how="left", maintain_order="left")
    rank = pl.min_horizontal("left_rank", "right_rank")
    reason = pl.coalesce(pl.when(pl.col(f"{side}_rank") == rank).then(pl.col(f"{side}_reason")) for side in SIDES)
    hit = [(pl.col(f"{side}_rank") == rank) & (pl.col(f"{side}_reason") == reason) for side in SIDES]
    culprits = [pl.when(flag).then(pl.col(f"{side}_id")) for side, flag in zip(SIDES, hit, strict=True)]
    columns = {"rank": rank, "reason": reason, "ids": pl.concat_list(culprits).list.drop_nulls()}
    return pairs.with_columns(**{f"{prefix}_{name}": value for name, value in columns.items()}).drop(
        f"{side}_{name}" for side in SIDES for name in ("rank", "reason")
    )


RECORD = ("source", "kind", "question", "answer", "statement")


def find_renumbered(edited: pl.DataFrame, old: pl.DataFrame, new: pl.DataFrame) -> pl.Series:
    """Ids of edited or missing items whose record exists, or existed, under another id."""
    if edited.is_empty():
        return pl.Series("statement_id", [], dtype=pl.String)
    parts = [_ids_found_elsewhere(edited, here, there) for here, there in ((old, new), (new, old))]
    return pl.concat(parts).unique().sort()


def as_text(columns: Iterable[str]) -> pl.Expr:
    """Join the columns of a row into one text, with fixed markers for nulls and separators."""
    return pl.concat_str([pl.col(name).cast(pl.String).fill_null("\x00") for name in columns], separator="\x1f")


def _ids_found_elsewhere(edited: pl.DataFrame, here: pl.DataFrame, there: pl.DataFrame) -> pl.Series:
    """Ids whose record occurs at least as often on the other side, i.e. was neither edited nor removed."""
    records = here.select(pl.col("item_id").alias("statement_id"), as_text(RECORD).alias("record"))
    copies = records.group_by("record").len("here")
    others = there.select(as_text(RECORD).alias("record")).group_by("record").len("there")
    standing = copies.join(others, on="record").filter(pl.col("there") >= pl.col("here"))
    return edited.join(records, on="statement_id").join(standing, on="record", how="semi")["statement_id"]


CHANGES = {
    "items": Reason.EDITED,
    "statements": Reason.WORDED_OTHERWISE,
    "entities": Reason.TAGGED_OTHERWISE,
    "keywords": Reason.OTHER_KEYWORDS,
    "masks": Reason.MASKED_OTHERWISE,
}
KNOWN: dict[str, tuple[str, ...]] = {
    "items": RECORD,
    "statements": ("text",),
    "entities": ("start", "end", "label"),
    "keywords": ("start", "end", "kind"),
    "masks": ("masked_text", "context", "verdict"),
}


def changes(pairs: pl.DataFrame, old: Tables, new: Tables) -> pl.DataFrame:
    """First change of each statement between two datasets; empty if a side has no tables."""
    if not old or not new:
        return pl.DataFrame(schema=REASON_COLUMNS)
    ids = statement_ids(pairs)
    for stage in CHANGES:
        ids = _with_difference(ids, stage, old, new)
    reasons = {stage: pl.when(pl.col(stage)).then(pl.lit(change.value)) for stage, change in CHANGES.items()}
    found = first_of(ids, reasons)
    moved = find_renumbered(found.filter(pl.col("rank") == 0), old["items"], new["items"])
    other = pl.col("statement_id").is_in(moved.to_list())
    reason = pl.when(other).then(pl.lit(Reason.RENUMBERED.value)).otherwise(pl.col("reason"))
    return found.with_columns(reason=reason)


def _with_difference(ids: pl.DataFrame, stage: str, old: Tables, new: Tables) -> pl.DataFrame:
    """Add a column that tells whether a stage's rows for a statement differ; an identical table is not compared."""
    if old[stage] is new[stage]:
        return ids.with_columns(pl.lit(value=False).alias(stage))
    both = ids.join(_stage_facts(old[stage], stage, ids), on="statement_id", how="left").join(
        _stage_facts(new[stage], stage, ids), on="statement_id", how="left", suffix="_new"
    )
    return both.with_columns(pl.col("known").ne_missing(pl.col("known_new")).alias(stage)).drop("known", "known_new")


def _stage_facts(table: pl.DataFrame, stage: str, ids: pl.DataFrame) -> pl.DataFrame:
    """The relevant columns of all rows of a statement in a stage, joined into one text."""
    key = "item_id" if stage == "items" else "statement_id"
    rows = table.rename({key: "statement_id"}).join(ids, on="statement_id", how="semi", maintain_order="left")
    facts = rows.select("statement_id", as_text(KNOWN[stage]).alias("known"))
    return facts.group_by("statement_id", maintain_order=True).agg(pl.col("known").str.join("\x1e"))


KEPT = Verdict.KEPT.value
JUDGES = ("items", "statements", "masks")
PAIR = ("left_id", "right_id")
AFTER_PAIRS = ("shortlist", "judged", "selected", "splits", "judgements")


def with_fates(pairs: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Add the funnel stage that excluded each pair, the reason, the statements at fault and the pair's similarity."""
    judged = with_first(pairs, _statement_fates(statement_ids(pairs), tables), prefix="fate")
    stage = pl.col("fate_rank").replace_strict(dict(enumerate(JUDGES)), default=None, return_dtype=pl.String)
    known = _with_verdicts(judged, tables).with_columns(stage=stage)
    explained = known.with_columns(
        stage=pl.coalesce("stage", *(pl.when(lost).then(pl.lit(name)) for name, lost, _ in _PAIR_FATES)),
        reason=pl.coalesce("fate_reason", *(pl.when(lost).then(reason) for _, lost, reason in _PAIR_FATES)),
    )
    return _with_low_similarities(explained, tables).with_columns(pl.col("there").round(DECIMALS))


def _statement_fates(ids: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Stage (as a rank) and verdict that excluded each lost statement."""
    for stage in JUDGES:
        key = pl.col("item_id" if stage == "items" else "statement_id").alias("statement_id")
        verdicts = tables[stage].select(key, pl.col("verdict").cast(pl.String).alias(stage))
        ids = ids.join(verdicts, on="statement_id", how="left")
    known = ids.with_columns(pl.col("items").fill_null(Reason.NO_ITEM.value))
    return first_of(known, {stage: pl.when(pl.col(stage) != KEPT).then(pl.col(stage)) for stage in JUDGES})


def _with_verdicts(pairs: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Add the contexts and masked texts, the candidate row, and the verdict of every stage after `pairs`."""
    for side in ("left", "right"):
        masks = tables["masks"].select(
            pl.col("statement_id").alias(f"{side}_id"),
            pl.col("context").alias(f"{side}_context"),
            pl.col("masked_text").alias(f"{side}_masked"),
        )
        pairs = pairs.join(masks, on=f"{side}_id", how="left")
    candidates = tables["candidates"].select(
        *PAIR,
        pl.col("similarity").cast(pl.Float64).alias("there"),
        pl.col("verdict").cast(pl.String).alias("candidate"),
    )
    contexts = shared_contexts().rename({"context": "common"})
    found = pairs.join(candidates, on=PAIR, how="left").join(contexts, on=["left_context", "right_context"], how="left")
    for stage in AFTER_PAIRS:
        verdicts = tables[stage].select(*PAIR, pl.col("verdict").cast(pl.String).alias(stage))
        found = found.join(verdicts, on=PAIR, how="left")
    return found


# Every kept pair has a row in the shortlist, so a kept candidate without one was too dissimilar.
_CANDIDATE = pl.col("candidate")
_PAIR_FATES: tuple[tuple[str, pl.Expr, pl.Expr], ...] = (
    (
        "candidates",
        _CANDIDATE.is_null() & (pl.col("common") == Context.NONE.value),
        pl.lit(Verdict.NO_COMMON_KIND.value),
    ),
    ("candidates", _CANDIDATE.is_null(), pl.lit(Reason.NO_CANDIDATE.value)),
    ("candidates", _CANDIDATE != KEPT, _CANDIDATE),
    ("pairs", pl.col("shortlist").is_null(), pl.lit(Verdict.TOO_DISSIMILAR.value)),
    *((stage, pl.col(stage) != KEPT, pl.col(stage)) for stage in AFTER_PAIRS),
    ("examples", pl.lit(value=True), pl.lit(Reason.NOT_IN_FOLDER.value)),
)


def _with_low_similarities(explained: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    """Compute the similarity of the pairs that were not candidates."""
    low = explained.filter(pl.col("reason") == Reason.NO_CANDIDATE.value).select(
        "example_id", "left_masked", "right_masked"
    )
    if low.is_empty():
        return explained
    for side in ("left", "right"):
        vectors = tables["embeddings"].rename({"masked_text": f"{side}_masked", "vector": side})
        low = low.join(vectors, on=f"{side}_masked", how="left")
    product = pl.Series("measured", (low["left"].to_numpy() * low["right"].to_numpy()).sum(axis=1), dtype=pl.Float64)
    measured = low.select("example_id").with_columns(product)
    return explained.join(measured, on="example_id", how="left").with_columns(there=pl.coalesce("there", "measured"))


def with_moves(moved: pl.DataFrame, old: Tables, new: Tables) -> pl.DataFrame:
    """Add stage and reason to moved examples; if a side has no tables, only that they moved."""
    if not old or not new:
        return moved.with_columns(stage=pl.lit("splits"), reason=pl.lit(Reason.OTHER_SPLIT.value))
    homes = {name: _members(tables) for name, tables in (("old", old), ("new", new))}
    both = homes["old"].join(homes["new"], on="statement_id", suffix="_new")
    common = both.group_by("community", "community_new", "size", "size_new").len("common")
    placed = moved.join(_pair_communities(old), on="example_id", how="left").join(
        _pair_communities(new), on="example_id", how="left", suffix="_new"
    )
    known = placed.join(common, on=["community", "community_new"], how="left")
    whole_old, whole_new = pl.col("common") == pl.col("size"), pl.col("common") == pl.col("size_new")
    assigned = whole_old & whole_new
    return known.with_columns(
        stage=pl.when(assigned).then(pl.lit("splits")).otherwise(pl.lit("communities")),
        reason=pl.when(assigned)
        .then(pl.lit(Reason.DEALT_ELSEWHERE.value))
        .when(whole_old)
        .then(pl.lit(Reason.COMMUNITY_GREW.value))
        .when(whole_new)
        .then(pl.lit(Reason.COMMUNITY_SHRANK.value))
        .otherwise(pl.lit(Reason.COMMUNITY_REGROUPED.value)),
    )


def _pair_communities(tables: Tables) -> pl.DataFrame:
    return tables["splits"].drop_nulls("community").select(pl.col("pair_id").alias("example_id"), "community")


def _members(tables: Tables) -> pl.DataFrame:
    """The statements of each community that has examples, with the size of the community."""
    kept = tables["splits"].drop_nulls("community")
    sides = kept.unpivot(["left_id", "right_id"], index="community", value_name="statement_id")
    members = sides.select("statement_id", "community").unique()
    return members.with_columns(size=pl.len().over("community"))


RANKS = {stage: rank for rank, stage in enumerate(CHANGES)}


def absences(here: Side, there: Side) -> pl.DataFrame:
    """Examples that the other side lacks: the stage that excluded them, the reason, and any earlier change."""
    pairs = here.examples.join(there.examples, on="example_id", how="anti")
    found = with_fates(pairs, there.tables) if there.tables else with_absence(pairs, there.examples)
    reasons = changes(pairs, here.tables, there.tables)
    explained = with_first(found, reasons, prefix="change")
    renumbered = (pl.col("change_reason") == Reason.RENUMBERED.value).fill_null(value=False)
    return _with_renumbered(explained.filter(renumbered), _with_change(explained.filter(~renumbered), reasons))


def _with_renumbered(moved: pl.DataFrame, others: pl.DataFrame) -> pl.DataFrame:
    """Combine absences; for renumbered ids, drop the fate of the other record that now has the id."""
    explained = moved.with_columns(
        stage=pl.lit("items"),
        reason=pl.col("change_reason"),
        change=pl.lit(None, pl.String),
        statement_ids=pl.col("change_ids"),
        there=pl.lit(None, pl.Float64),
    )
    return pl.concat([others, explained.select(others.columns)])


def _with_change(lost: pl.DataFrame, reasons: pl.DataFrame) -> pl.DataFrame:
    """Add the earlier change of the lost statement, or of either statement if the pair itself was lost."""
    own = reasons.rename({"statement_id": "lost_id", "rank": "lost_rank", "reason": "lost_reason"})
    explained = lost.with_columns(lost_id=pl.col("fate_ids").list.get(0, null_on_oob=True)).join(
        own, on="lost_id", how="left"
    )
    limit = pl.col("stage").replace_strict(RANKS, default=len(RANKS), return_dtype=pl.Int32)
    is_half = pl.col("lost_id").is_not_null()
    change = (
        pl.when(is_half & (pl.col("lost_rank") < limit))
        .then(pl.col("lost_reason"))
        .when(~is_half)
        .then(pl.coalesce("change_reason", _similarity_change()))
    )
    ids = pl.when(is_half).then(pl.col("fate_ids")).otherwise(pl.col("change_ids"))
    return explained.with_columns(change=change, statement_ids=ids).drop("lost_id", "lost_rank", "lost_reason")


def _similarity_change() -> pl.Expr:
    moved = differ(pl.col("similarity"), pl.col("there"))
    return pl.when(moved).then(pl.lit(Reason.ENCODED_OTHERWISE.value))
