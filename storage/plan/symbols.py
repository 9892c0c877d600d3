"""Which symbols of the code differ between two fingerprints, in words."""

from collections.abc import Mapping
from typing import cast

from storage.store import Store

NAMED = 3
"""How many symbols are named before the rest is counted."""
OURS = "situatedgen."

Symbols = Mapping[str, str]


def code_reason(of: str, before: Symbols | None, now: Symbols | None) -> str:
    """What changed in the code of a stage or a model: `code: rules/pairing.py shares_entity changed`."""
    if before is None or now is None:
        return f"{of}: changed"
    found = [
        *(f"{place(name)} changed" for name in sorted(before) if name in now and before[name] != now[name]),
        *(f"{place(name)} added" for name in sorted(now) if name not in before),
        *(f"{place(name)} removed" for name in sorted(before) if name not in now),
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
