"""What differs between the parts of two keys, in words; their inputs apart."""

from collections.abc import Callable, Iterator, Mapping
from typing import cast

from storage.plan.symbols import Symbols, code_reason

Parts = Mapping[str, object]
Code = Callable[[str], Symbols | None]
"""The symbols behind a code fingerprint; nothing when they are not known."""

LONGEST = 60


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
            yield f"model of {role}: {shown(old.get('name'))} → {shown(new.get('name'))}"
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
            yield f"schema: column {name} {shown(before[name])} → {shown(now[name])}"


def _changes(before: Parts, now: Parts) -> Iterator[str]:
    for name in sorted({*before, *now}):
        if before.get(name) != now.get(name):
            yield f"{name} {shown(before.get(name))} → {shown(now.get(name))}"


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


def shown(value: object) -> str:
    """A value in a few words."""
    text = "none" if value in (None, "") else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
