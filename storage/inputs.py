"""What a build is made from, as its order: settings, sources, the splits to keep and what people decided."""

from pathlib import Path

from situatedgen.settings import Settings
from situatedgen.sources import sample_folder
from storage import deciding
from storage.planning import Order
from storage.precedents import Precedent
from storage.store import Store


def make_order(
    settings: Settings,
    sources: Path | None,
    store: Store,
    earlier: Precedent,
    decisions: Path | None = None,
    *,
    strict: bool = False,
) -> Order:
    """The order of a build, for which earlier splits and decisions are kept in the store; of the sample by default.

    Raises:
        SettingsError: the decisions cannot be used.
        StoreError: the store cannot be written.
    """
    return Order(
        settings,
        sources or sample_folder(),
        strict=strict,
        precedent=earlier.keep(store),
        decisions=deciding.keep(store, decisions, strict=strict),
        replaced_splits=earlier.key,
    )
