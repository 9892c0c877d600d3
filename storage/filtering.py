"""Filters the situated choice of a dataset: its tables come from the store, the questions go into a folder."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

import polars as pl
from filelock import lock_descriptor

from situatedgen.atomic import write
from situatedgen.errors import SettingsError, StoreError
from situatedgen.filtering import curve
from situatedgen.filtering.choice.card import CONFIGURATION, card
from situatedgen.filtering.making import PREPARED, Made, Step, Workplace, made
from situatedgen.filtering.settings import FilterSettings
from situatedgen.models.roles import Encoder
from situatedgen.params import ModelParams
from situatedgen.pipeline import STAGES
from situatedgen.release.trust import is_built_in
from situatedgen.report.folder import read_manifest
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Split
from storage.artifacts import ArtifactRef
from storage.builds import all_builds
from storage.remembered import Asking
from storage.store import Store

SUMMARY, BASELINES = "choice.json", "baselines.json"
FROM = ("examples", "keywords", "splits")


@dataclass(frozen=True)
class Order:
    """A dataset whose pairs become questions, the store that it was built in, and the folder of the questions."""

    dataset: Path
    store: Store
    out: Path
    settings: FilterSettings
    runtime: Runtime


def filter_dataset(order: Order, *, listener: Callable[[Step], None] = lambda _: None) -> Made:
    """The filtered questions of a dataset, once they and their curve are written.

    Cut short, the same call goes on from the last iteration.

    Raises:
        SettingsError: the dataset is none of ours or names an encoder that nobody built with here, the folder holds
            something else, or too few pairs can be regrouped.
        StoreError: the store no longer holds what the dataset was built from, or the folder cannot be written.
    """
    manifest = read_manifest(order.dataset)
    if not manifest:
        raise SettingsError(f"{order.dataset} is no dataset folder: it has no manifest of ours; build one first")
    _check(order.out)
    encoder = _trusted_encoder(order, manifest["settings"])
    tables = {name: _table(order.store, manifest["stages"], name) for name in FROM}
    place = Workplace(order.out, order.runtime, lambda: _encoder(order, encoder), listener)
    try:
        with alone(order.out, PREPARED):
            found = made(tables, order.settings, place)
            _write(order.out, found, order.settings)
    except OSError as error:
        raise StoreError(f"cannot write the folder {order.out}: {error}") from error
    return found


def _check(out: Path) -> None:
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / PREPARED).is_dir())):
        raise SettingsError(f"{out} holds something that is no filtering of ours; choose another folder")


@contextmanager
def alone(out: Path, below: str) -> Iterator[None]:
    """Have a folder to oneself within this block; it has the folder below by which it is known as one of ours.

    Raises:
        StoreError: another process works there.
    """
    (out / below).mkdir(parents=True, exist_ok=True)
    handle = os.open(out, os.O_RDONLY)
    try:
        if not lock_descriptor(handle, blocking=False):
            raise StoreError(f"another process works in {out}; wait for it, or choose another folder")
        yield
    finally:
        os.close(handle)


def _table(store: Store, stages: Mapping[str, Mapping[str, object]], name: str) -> pl.DataFrame:
    told = stages[name]
    ref = ArtifactRef(stage=STAGES[name].name, digest=str(told["digest"]), rows=int(str(told["rows"])))
    return store.read(ref)


def _trusted_encoder(order: Order, settings: Mapping[str, Mapping[str, object]]) -> ModelParams:
    """The encoder that a manifest names: a built-in one, or one that somebody has built with in this store."""
    encoder = ModelParams.model_validate(settings["embeddings"]["encoder"])
    if not is_built_in("encoder", encoder) and not _was_used(order.store, encoder):
        raise SettingsError(
            f"{order.dataset} names the encoder {encoder.name!r} with weights {encoder.weights!r}, which situatedgen"
            f" does not ship and no build in {order.store.root} has used; build the dataset yourself first"
        )
    return encoder


def _was_used(store: Store, encoder: ModelParams) -> bool:
    used = (build.settings.get("embeddings") for build in all_builds(store))
    return any(isinstance(each, dict) and each.get("encoder") == encoder.model_dump(mode="json") for each in used)


def _encoder(order: Order, encoder: ModelParams) -> Encoder:
    """The encoder that the dataset was built with, which remembers in the store."""
    asking = Asking(order.store, order.runtime)
    return asking.model("encoder", encoder)  # type: ignore[return-value]  # the role says which


def _write(out: Path, found: Made, settings: FilterSettings) -> None:
    for split in Split:
        content = BytesIO()
        found.questions.filter(pl.col("split") == split.value).drop("split").write_parquet(content)
        (out / CONFIGURATION).mkdir(exist_ok=True)
        write(out / CONFIGURATION / f"{split.value}.parquet", content.getvalue())
    write(out / curve.JSON, curve.told(found.history, found.before, found.after, found.seconds))
    write(out / curve.PICTURE, curve.drawn(found.history, chance=1 / (1 + settings.choice.wrong)))
    write(out / "README.md", card(found, settings).encode("utf-8"))
    asked = {when: [asdict(one) for one in each] for when, each in found.baselines.items()}
    write(out / BASELINES, (json.dumps(asked, indent=2) + "\n").encode("utf-8"))
    summary = {"pairs": dict(found.counts), "settings": settings.model_dump(mode="json")}
    write(out / SUMMARY, (json.dumps(summary, indent=2) + "\n").encode("utf-8"))
