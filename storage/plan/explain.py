"""Explains why an artifact of the newest build differs from an earlier build's, and what it cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from situatedgen.errors import StoreError, unknown
from storage.builds import Outcome, latest, try_read_stage
from storage.plan.planner import History
from storage.plan.reasons import input_reasons, part_reasons, symbols_of
from storage.store import KeyRecord, Store


@dataclass(frozen=True)
class Explanation:
    """An artifact of the newest build and its newest predecessor with a different key, if there is one."""

    now: KeyRecord
    before: KeyRecord | None
    reasons: tuple[str, ...]
    computed: int
    recalled: int

    @property
    def is_cut_off(self) -> bool:
        """Whether a different key gave the same rows, so that no later stage was recomputed."""
        return self.before is not None and self.before.ref.digest == self.now.ref.digest

    def as_json(self, *, all_parts: bool = False) -> dict[str, object]:
        """Return the explanation as a JSON value, optionally with every part of both keys."""
        found: dict[str, object] = {
            "artifact": self.now.ref.name,
            "reasons": list(self.reasons),
            "same_rows": self.is_cut_off,
            "computed": self.computed,
            "recalled": self.recalled,
            "now": _describe(self.now),
            "before": _describe(self.before) if self.before else None,
        }
        return {**found, "parts": self.parts()} if all_parts else found

    def parts(self) -> dict[str, dict[str, object]]:
        """Return every part of both keys, by name."""
        before: Mapping[str, object] = self.before.parts if self.before else {}
        return {name: {"before": before.get(name), "now": value} for name, value in self.now.parts.items()}


def explain(artifact: str, store: Store) -> Explanation:
    """Explain why an artifact of the newest build was computed, by comparing its key with the newest different one.

    Raises:
        SettingsError: the newest build has no artifact of that name.
        StoreError: nothing was built yet, or the record of the artifact is missing.
    """
    names = [outcome.ref.name for outcome in latest(store).outcomes]
    if artifact not in names:
        raise unknown("artifact", artifact, names)
    outcomes = [outcome for _, outcome in History(store).outcomes(artifact)]
    now = store.record(outcomes[0].ref.stage, outcomes[0].key)
    if now is None:
        raise StoreError(f"the record of {artifact} in {store.root} is missing; build again")
    before = _find_different(outcomes, store)
    made = next((each for each in outcomes if each.key == now.key and not each.reused), outcomes[0])
    return Explanation(now, before, tuple(_reasons(now, before, store)), made.computed, made.recalled)


def _find_different(outcomes: list[Outcome], store: Store) -> KeyRecord | None:
    """Return the record of the newest outcome whose key differs from the first one's."""
    others = (outcome for outcome in outcomes if outcome.key != outcomes[0].key)
    records = (store.record(outcome.ref.stage, outcome.key) for outcome in others)
    return next((record for record in records if record is not None), None)


def _reasons(now: KeyRecord, before: KeyRecord | None, store: Store) -> list[str]:
    if before is None:
        return ["first build"]
    symbols, read = partial(symbols_of, store, {}), partial(try_read_stage, store)
    return [*part_reasons(before.parts, now.parts, symbols), *input_reasons(before.inputs, now.inputs, read)]


def _describe(record: KeyRecord) -> dict[str, object]:
    return {
        "key": record.key,
        "digest": record.ref.digest,
        "rows": record.ref.rows,
        "created": record.created,
        "seconds": round(record.seconds, 3),
    }
