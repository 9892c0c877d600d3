"""Validity certificate of a dataset: the estimated share of valid pairs, with a confidence interval."""

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
TIED = 0.5
"""The label of a pair whose annotators are evenly divided."""
Tables = Mapping[str, pl.DataFrame]


def validity(tables: Tables, held_back: Sequence[Labelled] = ()) -> Validity | None:
    """Estimate the share of valid pairs; None if no pair has a probability.

    The labelled pairs are the annotated pairs of a random sample. The sample was drawn before decisions removed pairs
    from the dataset, so the sampled pairs that they removed are added back for the estimate; the resulting share is
    that of the remaining pairs. If there are too few, the labelled pairs are the held-out readings that the judge
    finds at least as probable as the least probable pair of the dataset.
    """
    assigned = _assigned_pairs(tables)
    kept = assigned.filter(~pl.col("is_out"))
    if kept.is_empty():
        return None
    sample = _sample(tables, assigned)
    decided = list(sample.unique("key", keep="first", maintain_order=True).select("probability", "valid").iter_rows())
    least = float(kept["probability"].min())  # type: ignore[arg-type]  # a column of numbers
    labelled = [reading for reading in held_back if reading[0] >= least]
    if len(decided) >= LEAST_LABELLED:
        found = assigned.filter(~pl.col("is_out") | pl.col("pair_id").is_in(sample["pair_id"].implode()))
        return _estimate(found, decided, Basis.DECISIONS)
    if len(labelled) >= LEAST_LABELLED:
        return _estimate(kept, labelled, Basis.HELD_BACK)
    return _estimate(kept, (), Basis.JUDGE)


def check_validity(found: Validity | None, least: float, *, settings: Mapping[str, object]) -> None:
    """Reject a dataset with too low a share of valid pairs.

    Raises:
        ValidityError: the estimated share is below the required minimum, or no judge was used.
    """
    asked = f"--min-validity requires {100 * least:.1f} %"
    if found is None:
        raise ValidityError(
            f"no judge scored the pairs of this dataset, but {asked}; choose a judge with"
            " --set judged.judge.name=…, or omit --min-validity. The dataset folder was not changed"
        )
    if found.value < least:
        judged = settings.get("judged")
        now = judged.get("min_probability") if isinstance(judged, Mapping) else None
        raise ValidityError(
            f"an estimated {100 * found.value:.1f} % of the pairs are valid, but {asked}; raise judged.min_probability"
            f" (now {now}) with --set, or require less. The dataset folder was not changed"
        )


def _assigned_pairs(tables: Tables) -> pl.DataFrame:
    """The pairs that were assigned to a split, with the judge's probability and whether decisions removed them."""
    judgements = tables["judgements"].select("pair_id", is_out=pl.col("split").is_null())
    splits = tables["splits"].select("pair_id", "left_id", "right_id", "split")
    probabilities = tables["selected"].select("pair_id", "probability")
    found = judgements.join(splits, on="pair_id").join(probabilities, on="pair_id")
    return found.drop_nulls("probability").sort("pair_id")


def _sample(tables: Tables, assigned: pl.DataFrame) -> pl.DataFrame:
    """The annotated pairs of the random sample: those of the quality mode, the only one that draws a sample.

    An adjudication counts if it settles a pair of that sample.
    """
    decisions = tables.get("decisions", DECISIONS.empty)
    drawn = decisions.filter(pl.col("asked") == Mode.QUALITY.value)
    judged = judge_pairs(drawn, (Mode.QUALITY, Mode.ADJUDICATE))
    found = contents(assigned, tables["statements"], tables["selected"], drawn) if judged else ()
    rows = [(pair_id, content.key, _label(judged[content.key])) for pair_id, content in found if content.key in judged]
    labels = pl.DataFrame(rows, {"pair_id": pl.String(), "key": pl.String(), "valid": pl.Float64()}, orient="row")
    # A pair that was removed by any mode is invalid, whatever its label in the sample.
    valid = pl.when("is_out").then(0.0).otherwise("valid")
    return labels.join(assigned, on="pair_id", maintain_order="left").with_columns(valid=valid)


def _label(found: Judgement) -> float:
    return TIED if found.is_tied else float(found.is_valid)


def _estimate(pairs: pl.DataFrame, labelled: Sequence[Labelled], basis: Basis) -> Validity | None:
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
