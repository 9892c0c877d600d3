"""Which rows of an artifact's inputs differ from those it was once made of, in words."""

from dataclasses import dataclass

from situatedgen.pipeline import schema_of
from storage.artifacts import ArtifactRef
from storage.plan.rows import Part, delta
from storage.plan.sight import Inputs, Refs, Sight


@dataclass(frozen=True)
class Difference:
    """How one input differs: in words, if anything is known; and whether, and for how many ids, it is waited for."""

    name: str
    known: str = ""
    waits: bool = False
    ids: int = 0


def input_reasons(before: Inputs, now: Inputs, sight: Sight) -> list[str]:
    """What differs in the inputs: `input statements: +12 −3 ~1 rows`, and which of them are waited for."""
    found = [_known_difference(name, before.get(name, ()), now[name], sight) for name in now]
    waits = [each for each in found if each.waits]
    ids = max((each.ids for each in waits), default=0)
    known = [f"input {each.name}: {each.known}" for each in found if each.known]
    names = ", ".join(each.name for each in waits)
    return [*known, f"waits for {names}{f' (up to {ids:,} statements)' if ids else ''}"] if waits else known


def _known_difference(name: str, before: Refs, now: Refs, sight: Sight) -> Difference:
    """The same inputs go into many stages; their rows are compared once."""
    key = (name, *(ref.digest for ref in before), "", *(f"{ref.name} {ref.digest}" for ref in now))
    if key not in sight.compared:
        sight.compared[key] = _difference(name, before, now, sight)
    return sight.compared[key]


def _difference(name: str, before: Refs, now: Refs, sight: Sight) -> Difference:
    """Only artifacts that stand on one side alone are read."""
    old, new = _without(before, now), _without(now, before)
    if not old and not new:
        return Difference(name)
    table, earlier, waiting = sight.table(name, new), sight.earlier(name, old), sight.pending(new)
    if table is None and not all(ref.digest for ref in new):
        return Difference(name, waits=True)
    if table is None or earlier is None:
        return Difference(name, "changed", waits=bool(waiting), ids=len(waiting))
    schema = schema_of(name)
    counts = delta(Part.of(schema.key[0], waiting).without(earlier), table, schema)
    return Difference(name, str(counts) if any(counts) or not waiting else "", bool(waiting), len(waiting))


def _without(refs: Refs, others: Refs) -> list[ArtifactRef]:
    digests = {ref.digest for ref in others}
    return [ref for ref in refs if ref.digest not in digests]
