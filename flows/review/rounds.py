"""A round of judging, from what was asked for on the command line."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.review.app import Round
from flows.review.keyring import Role, keyring
from situatedgen.errors import SettingsError, unknown
from situatedgen.review.criteria import QUESTIONNAIRES, Mode
from situatedgen.review.decisions import check_annotator
from situatedgen.review.queue import Pair, ordered, sampled
from situatedgen.review.sheets import Sheets
from situatedgen.vocabulary import Split
from storage.decisions import Log
from storage.desk import Desk
from storage.link_keys import link_key
from storage.review_pairs import review_pairs
from storage.store import Store

SAMPLE = 100
"""How many pairs the quality questions are asked about: as many as in the paper (§5.1)."""
DEFAULT_NAMES = {Mode.ADJUDICATE: "adjudicator"}


@dataclass(frozen=True)
class Request:
    """What is to be judged, by whom, and where decisions go."""

    dataset: Path
    decisions: Path
    store: Store
    mode: Mode = Mode.FILTER
    settles: Mode = Mode.FILTER
    split: str = ""
    annotators: Sequence[str] = ()
    sample: int = 0
    seed: int = 0
    shows_flags: bool = False


def round_of(request: Request) -> Round:
    """The round that was asked for.

    Raises:
        SettingsError: the dataset, the split or its being empty, or the secret of the links is at fault.
        DecisionError: a name cannot be that of an annotator.
    """
    people = _people(request)
    sheets = review_pairs(request.dataset, request.store)
    is_adjudicating = request.mode is Mode.ADJUDICATE
    questions = QUESTIONNAIRES[request.settles if is_adjudicating else request.mode]
    queue = [] if is_adjudicating else _queue(request, sheets)
    role = Role.ADJUDICATOR if is_adjudicating else Role.ANNOTATOR
    keys = keyring(link_key(request.decisions), people, role=role)
    desk = Desk(Log(request.decisions), sheets, request.mode, questions, queue)
    return Round(desk, keys, _heading(request), shows_flags=request.shows_flags)


def _people(request: Request) -> list[str]:
    """The names that were given, or one for whoever judges alone."""
    given = [name.strip() for option in request.annotators for name in option.split(",") if name.strip()]
    people = list(dict.fromkeys(given)) or [DEFAULT_NAMES.get(request.mode, "annotator")]
    for name in people:
        check_annotator(name)
    return people


def _queue(request: Request, sheets: Sheets) -> list[Pair]:
    split = _split(request)
    if split not in list(Split):
        raise unknown("split", split, (each.value for each in Split))
    pairs = sheets.pairs(split)
    if not pairs:
        raise SettingsError(f"the {split} split of {request.dataset} has no pairs; choose another with --split")
    size = request.sample or (SAMPLE if request.mode is Mode.QUALITY else 0)
    return sampled(pairs, size, seed=request.seed) if size else ordered(pairs, seed=request.seed)


def _split(request: Request) -> str:
    return request.split or (Split.DEV if request.mode is Mode.QUALITY else Split.TEST).value


def _heading(request: Request) -> str:
    if request.mode is Mode.ADJUDICATE:
        return f"Settle differences: {request.settles.value}"
    return f"{QUESTIONNAIRES[request.mode].title}: {_split(request)}"
