"""A round of judging, from what was asked for on the command line."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.review.app import Round
from flows.review.keyring import Role, keyring
from situatedgen.errors import SettingsError, unknown
from situatedgen.review.ballots.items import Item, dealt
from situatedgen.review.ballots.tasks import INSTRUCTIONS, Task
from situatedgen.review.criteria import QUESTIONNAIRES, Mode
from situatedgen.review.decisions import check_annotator
from situatedgen.review.queue import Pair, ordered, sampled
from situatedgen.review.sheets import Sheets
from situatedgen.vocabulary import Split
from storage.ballot_desk import BallotDesk
from storage.choices import read_choices
from storage.decisions import Log
from storage.desk import Desk
from storage.link_keys import link_key
from storage.review_pairs import review_pairs
from storage.store import Store

SAMPLE = 100
"""How many pairs the quality questions are asked about: as many as in the paper (§5.1)."""
DEFAULT_NAMES: Mapping[Mode | Task, str] = {Mode.ADJUDICATE: "adjudicator"}


@dataclass(frozen=True)
class Request:
    """What is to be judged, by whom, and where decisions go."""

    dataset: Path
    decisions: Path
    store: Store
    mode: Mode | Task = Mode.FILTER
    settles: Mode = Mode.FILTER
    split: str = ""
    annotators: Sequence[str] = ()
    sample: int = 0
    seed: int = 0
    shows_flags: bool = False
    predictions: Sequence[Path] = ()


def round_of(request: Request) -> Round:
    """The round that was asked for.

    Raises:
        SettingsError: the dataset, the split or its being empty, or the secret of the links is at fault.
        DecisionError: a name cannot be that of an annotator.
        PredictionError: a file of predictions cannot be read.
    """
    people = _people(request)
    if isinstance(request.mode, Task):
        desk = BALLOTS[request.mode](request)
        keys = keyring(link_key(request.decisions), people, role=Role.ANNOTATOR)
        return Round(desk, keys, _heading(desk.questions.title, request))
    return _pair_round(request, request.mode, people)


def _pair_round(request: Request, mode: Mode, people: Sequence[str]) -> Round:
    sheets = review_pairs(request.dataset, request.store)
    is_adjudicating = mode is Mode.ADJUDICATE
    questions = QUESTIONNAIRES[request.settles if is_adjudicating else mode]
    queue = [] if is_adjudicating else _queue(request, sheets)
    role = Role.ADJUDICATOR if is_adjudicating else Role.ANNOTATOR
    keys = keyring(link_key(request.decisions), people, role=role)
    desk = Desk(Log(request.decisions), sheets, mode, questions, queue)
    heading = f"Settle differences: {questions.mode.value}" if is_adjudicating else _heading(questions.title, request)
    return Round(desk, keys, heading, shows_flags=request.shows_flags)


def _ranking(request: Request) -> BallotDesk:
    """The desk at which people rank the texts of questions."""
    split = _known_split(request)
    choices = read_choices(request.dataset, split)
    if choices is None or not choices.items:
        others = [each.value for each in Split if read_choices(request.dataset, each.value)]
        told = f"choose {' or '.join(others)} with --split" if others else "`situatedgen filter` makes some"
        raise SettingsError(f"{request.dataset} has no {split} questions to rank; {told}")
    return BallotDesk(Log(request.decisions), INSTRUCTIONS[Task.RANK], _dealt(request, choices.items), request.seed)


def _comparing(request: Request) -> BallotDesk:
    """The desk at which people compare what systems wrote."""
    # Loads the lemmatiser, which nobody else needs here.
    from situatedgen.evaluation.lemmas import Lemmatiser  # noqa: PLC0415
    from situatedgen.review.ballots.comparing import comparisons, read_systems  # noqa: PLC0415

    split = _known_split(request)
    if not request.predictions:
        raise SettingsError("whose texts are to be compared? say --predictions FILE, once for each system")
    examples, systems = read_systems(request.dataset, split, request.predictions)
    found = comparisons(examples, systems, Lemmatiser(), split=split)
    if not found.items:
        raise SettingsError("there is nothing to compare: no two texts differ and have the same keywords")
    queue = _dealt(request, found.items)
    return BallotDesk(Log(request.decisions), INSTRUCTIONS[Task.PREFER], queue, request.seed, found.duels)


BALLOTS: Mapping[Task, Callable[[Request], BallotDesk]] = {Task.RANK: _ranking, Task.PREFER: _comparing}


def _dealt(request: Request, items: Sequence[Item]) -> list[Item]:
    return dealt(items, seed=request.seed, size=request.sample)


def _people(request: Request) -> list[str]:
    """The names that were given, or one for whoever judges alone."""
    given = [name.strip() for option in request.annotators for name in option.split(",") if name.strip()]
    people = list(dict.fromkeys(given)) or [DEFAULT_NAMES.get(request.mode, "annotator")]
    for name in people:
        check_annotator(name)
    return people


def _queue(request: Request, sheets: Sheets) -> list[Pair]:
    split = _known_split(request)
    pairs = sheets.pairs(split)
    if not pairs:
        raise SettingsError(f"the {split} split of {request.dataset} has no pairs; choose another with --split")
    size = request.sample or (SAMPLE if request.mode is Mode.QUALITY else 0)
    return sampled(pairs, size, seed=request.seed) if size else ordered(pairs, seed=request.seed)


def _known_split(request: Request) -> str:
    split = _split(request)
    if split not in list(Split):
        raise unknown("split", split, (each.value for each in Split))
    return split


def _split(request: Request) -> str:
    return request.split or (Split.DEV if request.mode is Mode.QUALITY else Split.TEST).value


def _heading(title: str, request: Request) -> str:
    return f"{title}: {_split(request)}"
