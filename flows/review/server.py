"""The review server: opens the items to annotate and serves them until Ctrl-C."""

import socket
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from rich.console import Console
from rich.markup import escape

from flows.review.app import Review, review_app
from flows.review.security import LOOPBACK, Role, User, is_address, load_secret, make_links
from situatedgen.errors import SettingsError, unknown
from situatedgen.review.ballots import INSTRUCTIONS, Item, Task, shuffle_items
from situatedgen.review.criteria import QUESTIONNAIRES
from situatedgen.review.decisions import check_annotator
from situatedgen.review.queue import Pair, Sheets, order_pairs, sample_pairs
from situatedgen.vocabulary import Mode, Split
from storage.annotation.gold import read_choices
from storage.annotation.log import Log
from storage.annotation.service import AnnotationService, BallotQueue, PairQueue, read_pairs
from storage.store import Store

SAMPLE = 100
"""Sample size of the quality questions, as in the paper (§5.1)."""
EVERY = 10
"""Print progress after this many decisions of an annotator."""
ALL_INTERFACES = frozenset({"0.0.0.0", "::"})
SHUTDOWN_SECONDS = 2
ROLES = {
    Role.ANNOTATOR: "annotates",
    Role.ADJUDICATOR: "adjudicates, sees the agreement",
    Role.LEAD: "sees the agreement",
}


@dataclass(frozen=True)
class ReviewRequest:
    """What to annotate, by whom, and where to store the decisions."""

    dataset: Path
    decisions: Path
    store: Store
    mode: Mode | Task = Mode.FILTER
    settles: Mode = Mode.FILTER
    split: str = ""
    annotators: Sequence[str] = ()
    sample: int = 0
    seed: int = 0
    shows_judge: bool = False
    predictions: Sequence[Path] = ()


def open_review(request: ReviewRequest) -> Review:
    """Open the items of a request for serving.

    Raises:
        SettingsError: the dataset, the split or the key of the links is invalid, or there is nothing to annotate.
        DecisionError: an annotator's name is invalid.
        PredictionError: a file of predictions cannot be read.
    """
    people = _annotators(request)
    is_adjudicating = request.mode is Mode.ADJUDICATE
    queue = _open_pairs(request, request.mode) if isinstance(request.mode, Mode) else BALLOTS[request.mode](request)
    links = make_links(
        load_secret(request.decisions), people, role=Role.ADJUDICATOR if is_adjudicating else Role.ANNOTATOR
    )
    title = f"Adjudicate: {request.settles.value}" if is_adjudicating else f"{queue.questions.title}: {_split(request)}"
    service = AnnotationService(Log(request.decisions), queue)
    return Review(service, links, title, shows_judge=request.shows_judge)


def _open_pairs(request: ReviewRequest, mode: Mode) -> PairQueue:
    sheets = read_pairs(request.dataset, request.store)
    if mode is Mode.ADJUDICATE:
        return PairQueue(sheets, mode, QUESTIONNAIRES[request.settles])
    return PairQueue(sheets, mode, QUESTIONNAIRES[mode], _select_pairs(request, sheets))


def _open_rankings(request: ReviewRequest) -> BallotQueue:
    split = _known_split(request)
    choices = read_choices(request.dataset, split)
    if choices is None or not choices.items:
        others = [each.value for each in Split if read_choices(request.dataset, each.value)]
        advice = f"choose {' or '.join(others)} with --split" if others else "`situatedgen filter` creates some"
        raise SettingsError(f"{request.dataset} has no {split} questions to rank; {advice}")
    return BallotQueue(INSTRUCTIONS[Task.RANK], _select_items(request, choices.items), request.seed)


def _open_comparisons(request: ReviewRequest) -> BallotQueue:
    # Imports the lemmatiser, which no other mode needs.
    from situatedgen.evaluation.preferences import comparisons, read_systems  # noqa: PLC0415
    from situatedgen.models.lemmas import Lemmatiser  # noqa: PLC0415

    split = _known_split(request)
    if not request.predictions:
        raise SettingsError("mode prefer needs texts to compare: give --predictions FILE once for each system")
    examples, systems = read_systems(request.dataset, split, request.predictions)
    found = comparisons(examples, systems, Lemmatiser(), split=split)
    if not found.items:
        raise SettingsError("nothing to compare: no two texts differ and have the same keywords")
    return BallotQueue(INSTRUCTIONS[Task.PREFER], _select_items(request, found.items), request.seed, found.duels)


BALLOTS: Mapping[Task, Callable[[ReviewRequest], BallotQueue]] = {
    Task.RANK: _open_rankings,
    Task.PREFER: _open_comparisons,
}


def _select_items(request: ReviewRequest, items: Sequence[Item]) -> list[Item]:
    return shuffle_items(items, seed=request.seed, size=request.sample)


def _select_pairs(request: ReviewRequest, sheets: Sheets) -> list[Pair]:
    split = _known_split(request)
    pairs = sheets.pairs(split)
    if not pairs:
        raise SettingsError(f"the {split} split of {request.dataset} has no pairs; choose another with --split")
    size = request.sample or (SAMPLE if request.mode is Mode.QUALITY else 0)
    return sample_pairs(pairs, size, seed=request.seed) if size else order_pairs(pairs, seed=request.seed)


def _annotators(request: ReviewRequest) -> list[str]:
    """Return the given names, or a default one for a person working alone."""
    given = [name.strip() for option in request.annotators for name in option.split(",") if name.strip()]
    default = "adjudicator" if request.mode is Mode.ADJUDICATE else "annotator"
    names = list(dict.fromkeys(given)) or [default]
    for name in names:
        check_annotator(name)
    return names


def _known_split(request: ReviewRequest) -> str:
    split = _split(request)
    if split not in list(Split):
        raise unknown("split", split, (each.value for each in Split))
    return split


def _split(request: ReviewRequest) -> str:
    return request.split or (Split.DEV if request.mode is Mode.QUALITY else Split.TEST).value


@dataclass(frozen=True, slots=True)
class Address:
    """Host and port of a server."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host == "localhost" or (is_address(self.url_host) and ip_address(self.host).is_loopback)

    @property
    def url_host(self) -> str:
        """The host for use in a browser."""
        host = _own_address() if self.host in ALL_INTERFACES else self.host
        return f"[{host}]" if ":" in host else host

    @property
    def site(self) -> str:
        """The URL of its pages."""
        return f"http://{self.url_host}:{self.port}"


@dataclass(frozen=True)
class Reporter:
    """Prints who signed in and, now and then, each annotator's progress."""

    console: Console
    made: Counter[str] = field(default_factory=Counter)

    def __call__(self, user: User, event: str) -> None:
        """Print an event if it is worth a line."""
        if event != "decided":
            self._print(f"{user.name} {event}")
            return
        self.made[user.name] += 1
        if self.made[user.name] % EVERY == 0:
            self._print(f"{user.name}: {self.made[user.name]:,} decisions since the start")

    def _print(self, text: str) -> None:
        self.console.print(escape(text), highlight=False)


def serve(review: Review, address: Address, console: Console) -> None:
    """Serve a review until Ctrl-C.

    Raises:
        SettingsError: the port is taken, or the host does not belong to this machine.
    """
    listener = _listen(address)
    address = replace(address, port=listener.getsockname()[1])
    _announce(review, address, console)
    review = replace(review, notify=Reporter(console), cookie=f"{review.cookie}-{address.port}")
    hosts = {*LOOPBACK, address.url_host, *(() if address.is_loopback else (socket.gethostname(),))}
    _run(review_app(review, hosts=hosts, any_address=address.host in ALL_INTERFACES), listener)


def _run(app: FastAPI, listener: socket.socket) -> None:
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=SHUTDOWN_SECONDS,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        return
    finally:
        listener.close()


def _listen(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
        # Listen at once: two servers that share a port can both bind, and the second fails only on listen.
        listener.listen()
    except OSError as error:
        listener.close()
        raise SettingsError(
            f"cannot listen on {address.host}, port {address.port}: {error.strerror or error};"
            " choose another with --port, or 0 for any free one"
        ) from error
    return listener


def _announce(review: Review, address: Address, console: Console) -> None:
    if not address.is_loopback:
        console.print(
            f"[bold yellow]warning:[/] {escape(address.host)} is reachable from your network without encryption:"
            " whoever sees a link can annotate under that name. An SSH tunnel to loopback is safer."
        )
    for fault in review.service.log.read().faults:
        console.print(f"[bold yellow]ignored:[/] {escape(str(fault))}", highlight=False)
    console.print("one secret link per person; the links stay valid after a restart:")
    for user in review.links.users:
        console.print(f"  {escape(user.name)} ({ROLES[user.role]})", highlight=False)
        console.print(f"    {address.site}/enter#{review.links.link(user)}", highlight=False, markup=False)
    console.print("Ctrl-C stops the server; every decision is saved at once", highlight=False)


def _own_address() -> str:
    """Return the address of this machine in its network, without sending any packet."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
