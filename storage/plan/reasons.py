"""Describes why two cache keys of one artifact differ, and how the rows of two tables differ."""

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
"""Reads the table of a stage's artifacts; None if one of them is missing."""
Code = Callable[[str], Symbols | None]
"""Returns the symbols behind a code fingerprint; None if they are unknown."""

LONGEST = 60
NAMED = 3
"""How many symbols to name before counting the rest."""
OURS = "situatedgen."


class Delta(NamedTuple):
    """How many rows were added, removed, and changed under the same key."""

    added: int
    gone: int
    changed: int

    def __str__(self) -> str:
        """Return the nonzero counts, such as `+12 −3 ~1 rows`."""
        signs = zip("+−~", self, strict=True)
        counts = [f"{sign}{count:,}" for sign, count in signs if count]
        return f"{' '.join(counts)} rows" if counts else "the same rows"


def delta(before: pl.DataFrame, now: pl.DataFrame, schema: Schema) -> Delta:
    """Compare two tables row by row, using the schema's key."""
    key = list(schema.key)
    added = now.join(before, on=key, how="anti").height
    old = before.join(now, on=key, how="semi").sort(key)
    new = now.join(before, on=key, how="semi").sort(key)
    return Delta(added, before.height - old.height, _count_unequal(old, new))


def _count_unequal(old: pl.DataFrame, new: pl.DataFrame) -> int:
    """Count the rows that differ between tables with the same keys in the same order."""
    if old.columns != new.columns or old.schema != new.schema:
        return new.height
    differs = pl.DataFrame([old[name].ne_missing(new[name]) for name in new.columns])
    return int(differs.select(pl.any_horizontal(pl.all()).sum()).item())


def input_reasons(before: Inputs, now: Inputs, read: ReadTable) -> Iterator[str]:
    """Yield how the inputs of an artifact differ (`input statements: +12 −3 ~1 rows`) and which are pending.

    An input with an empty digest is not computed yet.
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
    """Describe how the rows of a stage's artifacts differ from earlier ones."""
    old, new = read(name, before), read(name, now)
    return "changed" if old is None or new is None else str(delta(old, new, schema_of(name)))


def part_reasons(before: Parts, now: Parts, symbols: Code) -> list[str]:
    """Describe why two cache keys of one artifact differ, apart from inputs: code, params, models, schema, files."""
    return [
        *_code_reasons("code", before, now, symbols),
        *_param_reasons(before, now),
        *_model_reasons(_nested(before, "models"), _nested(now, "models"), symbols),
        *_schema_reasons(_nested(before, "schema"), _nested(now, "schema")),
        *file_reasons("file ", _nested(before, "files"), _nested(now, "files")),
    ]


def file_reasons(prefix: str, before: Parts, now: Parts) -> Iterator[str]:
    """Yield which files were changed, added or removed, by digest."""
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            state = "added" if name not in before else "removed" if name not in now else "changed"
            yield f"{prefix}{name}: {state}"


def _code_reasons(of: str, before: Parts, now: Parts, symbols: Code) -> Iterator[str]:
    old, new = str(before.get("code")), str(now.get("code"))
    if old != new:
        yield code_reason(of, symbols(old), symbols(new))


def _param_reasons(before: Parts, now: Parts) -> Iterator[str]:
    """Yield the params that differ, except those that choose a model, which `_model_reasons` covers."""
    roles = {*_nested(before, "models"), *_nested(now, "models")}
    old, new = (dict(flatten(_drop_names(_nested(each, "params"), roles), "params.")) for each in (before, now))
    yield from _changes(old, new)


def _model_reasons(before: Parts, now: Parts, symbols: Code) -> Iterator[str]:
    for role in sorted({*before, *now}):
        old, new = _nested(before, role), _nested(now, role)
        if old.get("name") != new.get("name"):
            yield f"model of {role}: {format_value(old.get('name'))} → {format_value(new.get('name'))}"
        elif old != new:
            yield from _same_model_reasons(f"{role} {new.get('name')}", old, new, symbols)


def _same_model_reasons(model: str, before: Parts, now: Parts, symbols: Code) -> Iterator[str]:
    yield from _code_reasons(f"code of {model}", before, now, symbols)
    prefix = f"model of {model}: "
    settings = [{name: each.get(name, "") for name in ("weights", "revision")} for each in (before, now)]
    versions = [_nested(each, "packages") for each in (before, now)]
    for old, new in (settings, versions):
        yield from (f"{prefix}{change}" for change in _changes(old, new))
    yield from file_reasons(f"{prefix}file ", _nested(before, "files"), _nested(now, "files"))


def _schema_reasons(before: Parts, now: Parts) -> Iterator[str]:
    for name in dict.fromkeys([*before, *now]):
        if name not in before or name not in now:
            yield f"schema: column {name} {'added' if name in now else 'removed'}"
        elif before[name] != now[name]:
            yield f"schema: column {name} {format_value(before[name])} → {format_value(now[name])}"


def _changes(before: Parts, now: Parts) -> Iterator[str]:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            yield f"{name} {format_value(before.get(name))} → {format_value(now.get(name))}"


def flatten(values: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Yield the leaves of nested settings by dotted name, such as `pairs.min_similarity`."""
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _nested(value: Parts, name: str) -> Parts:
    found = value.get(name)
    return cast("Parts", found) if isinstance(found, Mapping) else {}


def _drop_names(value: Parts, names: set[str]) -> Parts:
    return {name: inner for name, inner in value.items() if name not in names}


def format_value(value: object) -> str:
    """Return a value as text, shortened if it is long."""
    text = "none" if value in (None, "") else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def code_reason(of: str, before: Symbols | None, now: Symbols | None) -> str:
    """Describe what changed in the code of a stage or model: `code: rules/pairing.py shares_entity changed`."""
    if before is None or now is None:
        return f"{of}: changed"
    moved = {before[name] for name in before if name not in now} & {now[name] for name in now if name not in before}
    found = [
        *(f"{format_symbol(name)} changed" for name in sorted(before) if name in now and before[name] != now[name]),
        *(f"{format_symbol(name)} added" for name in sorted(now) if name not in before and now[name] not in moved),
        *(f"{format_symbol(name)} removed" for name in sorted(before) if name not in now and before[name] not in moved),
    ]
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return f"{of}: {', '.join(found[:NAMED])}{more}"


def format_symbol(symbol: str) -> str:
    """Return the location of a symbol for display: `rules/pairing.py shares_entity`."""
    module, _, name = symbol.partition(":")
    return f"{module.removeprefix(OURS).replace('.', '/')}.py {name}"


def symbols_of(store: Store, now: Mapping[str, Symbols], fingerprint: str) -> Symbols | None:
    """Return the symbols behind a fingerprint, of the current code (`now`) or as recorded in the store."""
    if fingerprint in now:
        return now[fingerprint]
    kept = store.read_json(store.root / "code" / f"{fingerprint}.json")
    return None if kept is None else cast("Symbols", kept["symbols"])
