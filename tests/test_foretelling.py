"""What is begun beside a build before its turn: only what is certain, and with the same answer."""

from collections.abc import Iterator
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from situatedgen.models import registry
from situatedgen.models.edges import ends_of
from situatedgen.params import ModelParams, ScreeningParams
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.stages.communities import communities, graph
from situatedgen.stages.screening import keeps_all
from storage import companions
from storage.builds import table
from storage.companions import Companion
from storage.foretelling import Beside, foretell, foretelling, labels
from storage.recalling import Tally
from storage.remembered import Asking
from storage.store import Store

LEIDEN = ModelParams(name="leiden")
EDGES = [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5), (2, 3)]


@pytest.fixture
def ready() -> Iterator[Companion]:
    """A companion that waits to be called."""
    companion = Companion.started()
    companions._with_models["tagger", ModelParams(name="fake")] = companion
    companions.get_ready()
    yield companion
    companions._dismiss_all()


@pytest.mark.parametrize(
    ("params", "kept"),
    [
        ({"drop": (), "max_doubt": 1.0, "max_degree": 0}, True),
        ({"drop": ("fragment",), "max_doubt": 1.0, "max_degree": 0}, False),  # a check that must be passed
        ({"drop": (), "max_doubt": 0.9, "max_degree": 0}, False),  # what is doubtful is out
        ({"drop": (), "max_doubt": 1.0, "max_degree": 60}, False),  # what is frequent is out
    ],
)
def test_pairs_are_certain_to_stay_where_nothing_can_put_them_out(params: dict[str, Any], kept: bool) -> None:
    assert keeps_all(ScreeningParams(**params)) is kept


def test_communities_of_pairs_are_those_of_what_is_screened(tiny: Any) -> None:
    settings = load("tiny", ())
    assert keeps_all(settings.screening)
    params = settings.communities
    detector = registry.load("detector", params.detector, Runtime())
    found = [
        communities(table(tiny.store, tiny.build, name), params=params, detector=detector)
        for name in ("pairs", "screening")
    ]
    assert_frame_equal(*found)


def test_a_detector_answers_the_same_here_beside_and_again(ready: Companion) -> None:
    expected = registry.load("detector", LEIDEN, Runtime()).detect(6, EDGES, seed=3)
    labels.cache_clear()
    asked: Any = Asking(Store.at("nowhere"), Runtime(), "", Tally()).model("detector", LEIDEN)
    assert isinstance(asked, Beside)
    assert asked.detect(6, EDGES, seed=3) == expected
    assert labels.cache_info().misses == 0, "it was not asked here"
    ready.process.kill()
    ready.process.join()
    assert [asked.detect(6, EDGES, seed=3) for _ in range(2)] == [expected, expected]
    assert labels.cache_info()[:2] == (1, 1)


def test_without_a_companion_a_detector_is_the_model_itself() -> None:
    found = Asking(Store.at("nowhere"), Runtime(), "", Tally()).model("detector", LEIDEN)
    assert isinstance(found, type(registry.load("detector", LEIDEN, Runtime())))


def test_only_pairs_that_are_certain_to_stay_foretell(
    tiny: Any, ready: Companion, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(companions, "call_ahead", lambda *given: begun.append(given))
    pairs, candidates = (table(tiny.store, tiny.build, name) for name in ("pairs", "candidates"))
    settings, strict = load("tiny", ()), load("tiny", ("screening.max_degree=3",))
    for stage, made, chosen in (("candidates", candidates, settings), ("pairs", pairs, strict), ("pairs", pairs, None)):
        with foretelling(chosen):
            foretell(stage, made)
    foretell("pairs", pairs)
    assert begun == []
    with foretelling(settings):
        foretell("pairs", pairs)
    nodes, edges = graph(pairs)
    params = settings.communities
    assert begun == [(labels, params.detector, len(nodes), ends_of(edges).tobytes(), params.seed)]


def test_nothing_is_foretold_where_nobody_is_ready(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(companions, "call_ahead", lambda *_: pytest.fail("nobody is there to be called"))
    with foretelling(load("tiny", ())):
        foretell("pairs", table(tiny.store, tiny.build, "pairs"))


def test_what_was_foretold_is_known_when_it_is_asked(tiny: Any, ready: Companion) -> None:
    settings = load("tiny", ("communities.detector.name=leiden",))
    params = settings.communities
    with foretelling(settings):
        foretell("pairs", table(tiny.store, tiny.build, "pairs"))
    screened = table(tiny.store, tiny.build, "screening")
    here = registry.load("detector", params.detector, Runtime())
    found = [communities(screened, params=params, detector=each) for each in (Beside(params.detector), here)]
    assert_frame_equal(*found)
    told = "__import__('storage.foretelling').foretelling.labels.cache_info()[:2]"
    assert ready.call(eval, told) == (1, 1)
