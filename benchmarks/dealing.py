"""What dealing costs and saves on the newest build of a store: resolutions, dealings, and what a small change moves.

Run: python -m benchmarks.dealing STORE

Three tables: pairs lost between communities at several resolutions of Leiden, with random packing; leakage and
balance of random packing, of the default search and of other weights; the share of statements that change their
split when 1 % of the statements of one source is gone.
"""

import argparse
import random
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import igraph
import leidenalg
import polars as pl

from situatedgen.leakage.certificate import Certificate
from situatedgen.leakage.comparison import comparison
from situatedgen.models.registry import load
from situatedgen.params import CommunityParams, LeakageParams, SplitParams
from situatedgen.runtime import Runtime
from situatedgen.schemas import PRECEDENT
from situatedgen.seeds import generator
from situatedgen.stages.communities import communities
from situatedgen.stages.leakage import leakage
from situatedgen.stages.splits import splits
from situatedgen.vocabulary import Verdict
from storage import builds
from storage.store import Store

RESOLUTIONS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
DEALINGS: tuple[dict[str, object], ...] = (
    {"starts": 0},
    {},
    {"seed": 1},
    {"size_weight": 8},
    {"size_weight": 2},
    {"crossing": "keep"},
)
TRIALS = 4
NO_LIMITS = LeakageParams(max_neighbour=1, max_close_share=1, max_shared_templates=0, max_hub_share=1)
Tables = Mapping[str, pl.DataFrame]


@dataclass(frozen=True, slots=True)
class Resolution:
    """Leiden at another resolution, as a detector."""

    value: float

    def detect(self, node_count: int, edges: Sequence[tuple[int, int]], *, seed: int) -> list[int]:
        """A label for each node."""
        found = leidenalg.find_partition(
            igraph.Graph(node_count, edges),
            leidenalg.RBConfigurationVertexPartition,
            n_iterations=-1,
            seed=generator(seed, "leiden").getrandbits(31),
            resolution_parameter=self.value,
        )
        return list(found.membership)


def dealt(tables: Tables, groups: pl.DataFrame, params: SplitParams) -> pl.DataFrame:
    """The splits of some communities."""
    named = {name: tables[name] for name in ("pairs", "selected", "masks", "statements", "parses")}
    return splits(**named, communities=groups, precedent=PRECEDENT.empty, params=params)


def certified(tables: Tables, table: pl.DataFrame, params: SplitParams) -> tuple[Certificate, Certificate | None]:
    """The certificate of splits, and that of random packings."""
    pairs = tables["selected"].select("pair_id", "context")
    keywords = tables["keywords"].group_by("statement_id").agg(pl.col("text").alias("words"))
    kept = table.drop_nulls("split").join(pairs, on="pair_id")
    for side in ("left", "right"):
        kept = kept.join(keywords.rename({"statement_id": f"{side}_id", "words": side}), on=f"{side}_id", how="left")
    examples = kept.select(
        "split",
        "context",
        example_id="pair_id",
        ids=pl.concat_list("left_id", "right_id"),
        keywords=pl.concat_list(pl.col("left").fill_null([]), pl.col("right").fill_null([])),
    )
    made = {"examples": examples, "splits": table, "masks": tables["masks"], "embeddings": tables["embeddings"]}
    made["leakage"] = leakage(examples, tables["masks"], tables["embeddings"], params=NO_LIMITS)
    found = comparison(made, params)
    return found.built, found.random


def line(name: str, found: Certificate, seconds: float = 0.0) -> None:
    """Print one dealing: dev and test, then both together."""
    dev, test = found.splits
    count = max(dev.pairs.count + test.pairs.count, 1)
    near, close = (
        sum(getattr(split.pairs, share) * split.pairs.count for split in (dev, test)) / count
        for share in ("near_share", "close_share")
    )
    balance = found.balance
    print(
        f"{name:32}{found.examples:>9,.0f}{dev.pairs.count:>8,.0f}{test.pairs.count:>8,.0f}{near:>8.1%}{close:>8.1%}"
        f"{balance.size:>8.1%}{balance.source:>9.1%}{balance.context:>10.1%}{seconds:>8.2f}"
    )


def resolutions(tables: Tables) -> None:
    """Print what several resolutions lose."""
    print(f"\n{'resolution':12}{'communities':>12}{'lost':>8}   train / dev / test, random packing, ≥ 0.8")
    for value in RESOLUTIONS:
        groups = communities(tables["selected"], params=CommunityParams(), detector=Resolution(value))
        params = SplitParams(starts=0)
        table = dealt(tables, groups, params)
        _, found = certified(tables, table, params)
        lost = table.filter(pl.col("verdict") != Verdict.KEPT).height
        if found is not None:
            dev, test = found.splits
            near = (dev.pairs.near_share * dev.pairs.count + test.pairs.near_share * test.pairs.count) / max(
                dev.pairs.count + test.pairs.count, 1
            )
            train = found.examples - dev.pairs.count - test.pairs.count
            sizes = f"{train:,.0f} / {dev.pairs.count:,.0f} / {test.pairs.count:,.0f}"
            print(f"{value:<12}{groups['community'].n_unique():>12}{lost:>8,}   {sizes}, {near:.1%}")


def dealings(tables: Tables) -> None:
    """Print what random packing and the search give."""
    header = ("examples", "dev", "test", "≥ 0.8", "≥ 0.9", "shares", "sources", "contexts", "cpu s")
    print(
        f"\n{'':32}"
        + "".join(name.rjust(width) for name, width in zip(header, (9, 8, 8, 8, 8, 8, 9, 10, 8), strict=True))
    )
    for number, values in enumerate(DEALINGS):
        params = SplitParams.model_validate(values)
        began = time.process_time()
        table = dealt(tables, tables["communities"], params)
        seconds = time.process_time() - began
        found, packed = certified(tables, table, params)
        if not number and packed is not None:
            line("random packing, mean", packed)
        line(", ".join(f"{name} {value}" for name, value in values.items()) or "default", found, seconds)


def moves(tables: Tables) -> None:
    """Print how many statements change their split when 1 % of those of CREAK are gone."""
    detector = load("detector", CommunityParams().detector, Runtime())
    pairs = tables["selected"]
    before = communities(pairs, params=CommunityParams(), detector=detector)
    names = sorted(name for name in before["statement_id"] if name.startswith("creak::"))
    print("\nstatements that change their split when 1 % of those of creak are gone, in the mean")
    for starts in (0, SplitParams().starts):
        params, moved = SplitParams(starts=starts), {"same communities": 0.0, "detected anew": 0.0}
        base = places(dealt(tables, before, params))
        for trial in range(TRIALS):
            gone = random.Random(trial).sample(names, max(len(names) // 100, 1))
            rest = pairs.filter(~pl.col("left_id").is_in(gone), ~pl.col("right_id").is_in(gone))
            anew = communities(rest, params=CommunityParams(), detector=detector)
            same = before.join(anew.select("statement_id"), on="statement_id", how="semi")
            for name, groups in (("same communities", same), ("detected anew", anew)):
                now = places(dealt({**tables, "selected": rest}, groups, params))
                both = now.keys() & base.keys()
                moved[name] += sum(now[each] != base[each] for each in both) / len(both) / TRIALS
        print(f"  starts {starts}: " + ", ".join(f"{name} {share:.1%}" for name, share in moved.items()))


def places(table: pl.DataFrame) -> dict[str, str]:
    """The split of each statement."""
    kept = table.drop_nulls("split")
    return {name: split for side in ("left_id", "right_id") for name, split in kept.select(side, "split").iter_rows()}


def main() -> int:
    """Print the three tables of a store's newest build."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store")
    store = Store.at(parser.parse_args().store)
    every = builds.Tables(store, builds.latest(store))
    names = ("pairs", "selected", "masks", "statements", "parses", "keywords", "communities", "embeddings")
    tables = {name: every[name] for name in names}
    if tables["selected"].is_empty():
        print("the newest build has no pairs; build again")
        return 1
    dealings(tables)
    resolutions(tables)
    moves(tables)
    return 0


if __name__ == "__main__":
    sys.exit(main())
