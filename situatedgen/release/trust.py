"""What a dataset's settings would run or load that does not ship with situatedgen."""

from collections.abc import Iterator
from functools import cache

from situatedgen.errors import SettingsError
from situatedgen.models.registry import REGISTRY
from situatedgen.models.weights import pinned_packages
from situatedgen.params import ModelParams
from situatedgen.preset_files import names
from situatedgen.presets import load
from situatedgen.settings import Settings


def foreign_parts(settings: Settings) -> tuple[str, ...]:
    """The readers, models and weights of settings that are not built in, each in words."""
    readers = (f"reader {source.reader!r} of source {source.name!r}" for source in settings.sources if source.reader)
    models = (part for _, role, model in settings.models() for part in _foreign_model(role, model))
    return (*readers, *models)


def is_built_in(role: str, model: ModelParams) -> bool:
    """Whether a model is a registered one, with weights that a pinned package or a shipped preset brings."""
    return not any(_foreign_model(role, model))


def require_trust(settings: Settings, *, trust: bool) -> None:
    """Refuse settings of somebody else that name code or weights of their own, unless they are trusted.

    Raises:
        SettingsError: something is not built in, and not trusted; the message lists all of it.
    """
    parts = foreign_parts(settings)
    if parts and not trust:
        raise SettingsError(
            f"the release would run code or load weights that situatedgen does not ship: {'; '.join(parts)};"
            " nothing was run; look at them, and say --trust if you trust them"
        )


def _foreign_model(role: str, model: ModelParams) -> Iterator[str]:
    if model.name not in REGISTRY[role]:
        yield f"{role} {model.name!r}"
    weights = (model.weights, model.revision)
    if model.weights and model.weights not in pinned_packages() and weights not in _shipped_weights():
        revision = f" at {model.revision!r}" if model.revision else ""
        yield f"weights {model.weights!r}{revision} of {role} {model.name!r}"


@cache
def _shipped_weights() -> frozenset[tuple[str, str]]:
    """The weights that the shipped presets name, each with its revision."""
    return frozenset((model.weights, model.revision) for name in names() for _, _, model in load(name).models())
