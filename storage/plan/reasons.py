"""Why two keys of one artifact differ, in words; and which rows differ between two tables."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, cast

import polars as pl

from situatedgen.pipeline import schema_of
from situatedgen.schemas import Schema
from storage.store import ArtifactRef, Store

Parts = Mapping[str, object]
Symbols = Mapping[str, str]
Inputs = Mapping[str, Sequence[ArtifactRef]]
ReadTable = Callable[[str, Sequence[ArtifactRef]], pl.DataFrame | None]
"""Reads the table of artifacts of one stage; nothing when one of them is gone."""
Code = Callable[[str], Symbols | None]
"""The symbols behind a code fingerprint; nothing when they are not known."""

LONGEST = 60
NAMED = 3
"""How many symbols are named before the rest is counted."""
OURS = "situatedgen."


class Delta(NamedTuple):
    """How many rows were added, are gone, and say something else under the same key."""

    added: int
    gone: int
    changed: int

    def __str__(self) -> str:
        """The counts that are not zero: `+12 −3 ~1 rows`."""
        signs = zip("+−~", self, strict=True)
        counts = [f"{sign}{count:,}" for sign, count in signs if count]
        return f"{' '.join(counts)} rows" if counts else "the same rows"


def delta(before: pl.DataFrame, now: pl.DataFrame, schema: Schema) -> Delta:
    """How one table differs from another, row by row, by the schema's key."""
    key = list(schema.key)
    added = now.join(before, on=key, how="anti").height
    old = before.join(now, on=key, how="semi").sort(key)
    new = now.join(before, on=key, how="semi").sort(key)
    return Delta(added, before.height - old.height, _count_unequal(old, new))


def _count_unequal(old: pl.DataFrame, new: pl.DataFrame) -> int:
    """How many rows differ between tables with the same keys in the same order."""
    if old.columns != new.columns or old.schema != new.schema:
        return new.height
    differs = pl.DataFrame([old[name].ne_missing(new[name]) for name in new.columns])
    return int(differs.select(pl.any_horizontal(pl.all()).sum()).item())


def input_reasons(before: Inputs, now: Inputs, read: ReadTable) -> Iterator[str]:
    """How the inputs of an artifact differ: `input statements: +12 −3 ~1 rows`; and which of them are waited for.

    An input whose digest is empty is not made yet.
    """
    waits = []
    for name, refs in now.items():
        earlier = before.get(name, ())
        if not all(ref.digest for ref in refs):
            waits.append(name)
        elif [ref.digest for ref in refs] != [ref.digest for ref in earlier]:
            yield f"input {name}: {row_delta(name, earlier, refs, read)}"
    if waits:
        yield f"waits for {', '.join(waits)}"


def row_delta(name: str, before: Sequence[ArtifactRef], now: Sequence[ArtifactRef], read: ReadTable) -> str:
    """How the rows of artifacts of one stage differ from those of earlier ones, in a few words."""
    old, new = read(name, before), read(name, now)
    return "changed" if old is None or new is None else str(delta(old, new, schema_of(name)))


def part_reasons(before: Parts, now: Parts, symbols: Code) -> list[str]:
    """Why two keys of one artifact differ, the inputs apart: code, params, models, schema, files."""
    return [
        *_code_reasons("code", before, now, symbols),
        *_param_reasons(before, now),
        *_model_reasons(_table(before, "models"), _table(now, "models"), symbols),
        *_schema_reasons(_table(before, "schema"), _table(now, "schema")),
        *file_reasons("file ", _table(before, "files"), _table(now, "files")),
    ]


def file_reasons(prefix: str, before: Parts, now: Parts) -> Iterator[str]:
    """Which files changed, were added or are gone, by their digests."""
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            state = "added" if name not in before else "gone" if name not in now else "changed"
            yield f"{prefix}{name}: {state}"


def _code_reasons(of: str, before: Parts, now: Parts, symbols: Code) -> Iterator[str]:
    old, new = str(before.get("code")), str(now.get("code"))
    if old != new:
        yield code_reason(of, symbols(old), symbols(new))


def _param_reasons(before: Parts, now: Parts) -> Iterator[str]:
    """The params that differ; those that choose a model are told as models."""
    roles = {*_table(before, "models"), *_table(now, "models")}
    old, new = (dict(_flat("params", _without(_table(each, "params"), roles))) for each in (before, now))
    yield from _changes(old, new)


def _model_reasons(before: Parts, now: Parts, symbols: Code) -> Iterator[str]:
    for role in sorted({*before, *now}):
        old, new = _table(before, role), _table(now, role)
        if old.get("name") != new.get("name"):
            yield f"model of {role}: {format_value(old.get('name'))} → {format_value(new.get('name'))}"
        elif old != new:
            yield from _same_model_reasons(f"{role} {new.get('name')}", old, new, symbols)


def _same_model_reasons(model: str, before: Parts, now: Parts, symbols: Code) -> Iterator[str]:
    yield from _code_reasons(f"code of {model}", before, now, symbols)
    prefix = f"model of {model}: "
    settings = [{name: each.get(name, "") for name in ("weights", "revision")} for each in (before, now)]
    versions = [_table(each, "packages") for each in (before, now)]
    for old, new in (settings, versions):
        yield from (f"{prefix}{change}" for change in _changes(old, new))
    yield from file_reasons(f"{prefix}file ", _table(before, "files"), _table(now, "files"))


def _schema_reasons(before: Parts, now: Parts) -> Iterator[str]:
    for name in dict.fromkeys([*before, *now]):
        if name not in before or name not in now:
            yield f"schema: column {name} {'added' if name in now else 'gone'}"
        elif before[name] != now[name]:
            yield f"schema: column {name} {format_value(before[name])} → {format_value(now[name])}"


def _changes(before: Parts, now: Parts) -> Iterator[str]:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            yield f"{name} {format_value(before.get(name))} → {format_value(now.get(name))}"


def _flat(path: str, value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _flat(f"{path}.{name}", inner)
    else:
        yield path, value


def _table(value: Parts, name: str) -> Parts:
    found = value.get(name)
    return cast("Parts", found) if isinstance(found, Mapping) else {}


def _without(value: Parts, names: set[str]) -> Parts:
    return {name: inner for name, inner in value.items() if name not in names}


def format_value(value: object) -> str:
    """A value in a few words."""
    text = "none" if value in (None, "") else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def code_reason(of: str, before: Symbols | None, now: Symbols | None) -> str:
    """What changed in the code of a stage or a model: `code: rules/pairing.py shares_entity changed`."""
    if before is None or now is None:
        return f"{of}: changed"
    moved = {before[name] for name in before if name not in now} & {now[name] for name in now if name not in before}
    found = [
        *(f"{place(name)} changed" for name in sorted(before) if name in now and before[name] != now[name]),
        *(f"{place(name)} added" for name in sorted(now) if name not in before and now[name] not in moved),
        *(f"{place(name)} removed" for name in sorted(before) if name not in now and before[name] not in moved),
    ]
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return f"{of}: {', '.join(found[:NAMED])}{more}"


def place(symbol: str) -> str:
    """Where a symbol stands, as a person looks for it: `rules/pairing.py shares_entity`."""
    module, _, name = symbol.partition(":")
    return f"{module.removeprefix(OURS).replace('.', '/')}.py {name}"


def symbols_of(store: Store, now: Mapping[str, Symbols], fingerprint: str) -> Symbols | None:
    """The symbols behind a fingerprint: of the code as it is `now`, or as a store remembers it."""
    if fingerprint in now:
        return now[fingerprint]
    kept = store.read_json(store.root / "code" / f"{fingerprint}.json")
    return None if kept is None else cast("Symbols", kept["symbols"])
