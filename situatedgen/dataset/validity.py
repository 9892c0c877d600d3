"""The validity certificate of a dataset: the share of its pairs that is valid, with an interval."""

from collections.abc import Mapping, Sequence

import polars as pl

from situatedgen.dataset.statistics import Basis, Validity
from situatedgen.errors import ValidityError
from situatedgen.review.active_decisions import Judgement
from situatedgen.rules.validity import LEAST_LABELLED, Labelled, Share, estimate_share
from situatedgen.schemas import DECISIONS
from situatedgen.stages.judgements import contents, judge_pairs
from situatedgen.vocabulary import Mode, Split

DECIMALS = 6
DIVIDED = 0.5
"""The label of a pair about which those who judged it are evenly divided."""
Tables = Mapping[str, pl.DataFrame]


def validity(tables: Tables, held_back: Sequence[Labelled] = ()) -> Validity | None:
    """The share of valid pairs; none where nobody judged any.

    Labelled pairs are those of a random sample that were decided. The sample is of the dataset before the decisions
    took pairs out of it, so those that they took out of the sample are put back for the estimate, and the share is then
    that of the pairs that are left. Where too few were decided, the labelled pairs are the readings held back, as far
    as the judge finds them as probable as the pairs of the dataset.
    """
    dealt = _dealt(tables)
    kept = dealt.filter(~pl.col("is_out"))
    if kept.is_empty():
        return None
    sample = _sample(tables, dealt)
    decided = list(sample.unique("key", keep="first", maintain_order=True).select("probability", "valid").iter_rows())
    least = float(kept["probability"].min())  # type: ignore[arg-type]  # a column of numbers
    alike = [reading for reading in held_back if reading[0] >= least]
    if len(decided) >= LEAST_LABELLED:
        found = dealt.filter(~pl.col("is_out") | pl.col("pair_id").is_in(sample["pair_id"].implode()))
        return _estimated(found, decided, Basis.DECISIONS)
    if len(alike) >= LEAST_LABELLED:
        return _estimated(kept, alike, Basis.HELD_BACK)
    return _estimated(kept, (), Basis.JUDGE)


def check_validity(found: Validity | None, least: float, *, settings: Mapping[str, object]) -> None:
    """Refuse a dataset of which too few pairs are valid.

    Raises:
        ValidityError: the estimated share is smaller than the least that was asked for, or nobody judged.
    """
    asked = f"--min-validity asks for {100 * least:.1f} %"
    if found is None:
        raise ValidityError(
            f"no judge was asked about any pair of this dataset, and {asked}; choose one with"
            " --set judged.judge.name=…, or ask for nothing. The dataset folder is left as it was"
        )
    if found.value < least:
        judged = settings.get("judged")
        now = judged.get("min_probability") if isinstance(judged, Mapping) else None
        raise ValidityError(
            f"an estimated {100 * found.value:.1f} % of the pairs are valid, and {asked}; raise judged.min_probability"
            f" (now {now}) with --set, or ask for less. The dataset folder is left as it was"
        )


def _dealt(tables: Tables) -> pl.DataFrame:
    """The pairs that have a split, with the judge's own probabilities, and which of them decisions took out."""
    judgements = tables["judgements"].select("pair_id", is_out=pl.col("split").is_null())
    splits = tables["splits"].select("pair_id", "left_id", "right_id", "split")
    probabilities = tables["selected"].select("pair_id", "probability")
    found = judgements.join(splits, on="pair_id").join(probabilities, on="pair_id")
    return found.drop_nulls("probability").sort("pair_id")


def _sample(tables: Tables, dealt: pl.DataFrame) -> pl.DataFrame:
    """The pairs of a random sample that were decided: those of the one mode that always draws one.

    An adjudication counts where it settles a pair of that sample.
    """
    decisions = tables.get("decisions", DECISIONS.empty)
    drawn = decisions.filter(pl.col("asked") == Mode.QUALITY.value)
    judged = judge_pairs(drawn, (Mode.QUALITY, Mode.ADJUDICATE))
    found = contents(dealt, tables["statements"], tables["selected"], drawn) if judged else ()
    rows = [(pair_id, content.key, _label(judged[content.key])) for pair_id, content in found if content.key in judged]
    labels = pl.DataFrame(rows, {"pair_id": pl.String(), "key": pl.String(), "valid": pl.Float64()}, orient="row")
    # What all modes together took out is invalid, whatever the sample says of it.
    valid = pl.when("is_out").then(0.0).otherwise("valid")
    return labels.join(dealt, on="pair_id", maintain_order="left").with_columns(valid=valid)


def _label(found: Judgement) -> float:
    return DIVIDED if found.is_tied else float(found.is_valid)


def _estimated(pairs: pl.DataFrame, labelled: Sequence[Labelled], basis: Basis) -> Validity | None:
    whole = _share(pairs, labelled)
    if whole is None:
        return None
    parts = {split: _share(pairs.filter(pl.col("split") == split.value), labelled) for split in Split}
    return Validity(
        value=round(whole.value, DECIMALS),
        low=None if whole.low is None else round(whole.low, DECIMALS),
        high=None if whole.high is None else round(whole.high, DECIMALS),
        labelled=whole.labelled,
        basis=basis,
        splits={split: round(part.value, DECIMALS) for split, part in parts.items() if part},
    )


def _share(pairs: pl.DataFrame, labelled: Sequence[Labelled]) -> Share | None:
    return estimate_share(pairs["probability"].to_list(), labelled, removed=int(pairs["is_out"].sum()))
