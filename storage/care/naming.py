"""Names that a person knows things by: settings by the nearest preset, a memo by its model."""

from collections.abc import Iterator
from functools import cache

from situatedgen import presets
from situatedgen.commongen.params import ConceptSettings
from storage.store import Store

FEW = 2
"""So many params are named; more are counted."""
CONCEPT_SETS = "concept sets"

Leaves = dict[str, object]


def settings_name(settings: dict[str, object]) -> str:
    """The shipped preset that settings are nearest to, and where they differ: `tiny, pairs.min_similarity=0.95`.

    Settings of concept sets have no preset.
    """
    if settings.keys() == ConceptSettings.model_fields.keys():
        return CONCEPT_SETS
    mine = dict(_leaves(settings, ""))
    changed = {name: _changed(mine, preset) for name, preset in _presets()}
    nearest = min(changed, key=lambda name: (len(changed[name]), name))
    params = changed[nearest]
    if len(params) > FEW:
        return f"{nearest}, {len(params)} params changed"
    return ", ".join([nearest, *(f"{param}={mine.get(param)}" for param in params)])


def model_name(store: Store, unit: str) -> str:
    """The model that a memo is of, as its name card says: `minilm-l6-v2 0.1.0`."""
    card = store.read_json(store.root / unit / "identity.json")
    if card is None:
        return "?"
    return " ".join(str(card[field]) for field in ("name", "weights", "revision") if card.get(field))


@cache
def _presets() -> tuple[tuple[str, Leaves], ...]:
    shipped = ((name, presets.load(name).model_dump(mode="json")) for name in presets.names())
    return tuple((name, dict(_leaves(settings, ""))) for name, settings in shipped)


def _changed(mine: Leaves, preset: Leaves) -> list[str]:
    return [param for param in sorted({*mine, *preset}) if mine.get(param) != preset.get(param)]


def _leaves(value: object, path: str) -> Iterator[tuple[str, object]]:
    if not isinstance(value, dict) or not value:
        yield path, value
        return
    for name, below in value.items():
        yield from _leaves(below, f"{path}.{name}" if path else name)
