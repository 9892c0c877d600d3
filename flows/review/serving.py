"""Serves a round of judging until Ctrl-C, and says on the terminal who came and how far they are."""

import socket
from collections import Counter
from dataclasses import dataclass, field, replace
from ipaddress import ip_address

import uvicorn
from rich.console import Console
from rich.markup import escape

from flows.review.app import Round, review_app
from flows.review.guard import LOOPBACK
from flows.review.keyring import Holder, Role
from situatedgen.errors import SettingsError

EVERY = 10
"""After how many decisions of a person a line is printed."""
ANYWHERE = frozenset({"0.0.0.0", "::"})
CLOSING_SECONDS = 2
WORDS = {Role.ANNOTATOR: "judges", Role.ADJUDICATOR: "settles, and sees the agreement", Role.LEAD: "sees the agreement"}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    @property
    def is_loopback(self) -> bool:
        """Whether only programs of this machine reach it."""
        return self.host in LOOPBACK or (_is_address(self.host) and ip_address(self.host).is_loopback)

    @property
    def shown_host(self) -> str:
        """The host that people put into their browser."""
        return _own_address() if self.host in ANYWHERE else self.host

    @property
    def site(self) -> str:
        """The address of its pages."""
        host = f"[{self.shown_host}]" if ":" in self.shown_host else self.shown_host
        return f"http://{host}:{self.port}"


@dataclass(frozen=True)
class Reporter:
    """Prints who came in, and how far each is, now and then."""

    console: Console
    made: Counter[str] = field(default_factory=Counter)

    def __call__(self, holder: Holder, what: str) -> None:
        """Tell of something that somebody did, where it is worth a line."""
        if what != "decided":
            self._print(f"{holder.name} {what}")
            return
        self.made[holder.name] += 1
        if self.made[holder.name] % EVERY == 0:
            self._print(f"{holder.name}: {self.made[holder.name]:,} decisions since the start")

    def _print(self, text: str) -> None:
        self.console.print(escape(text), highlight=False)


def serve(served: Round, address: Address, console: Console) -> None:
    """Serve until Ctrl-C.

    Raises:
        SettingsError: the port is taken, or the host is none of this machine.
    """
    listener = _listener(address)
    address = replace(address, port=listener.getsockname()[1])
    _announce(served, address, console)
    named = replace(served, told=Reporter(console), cookie=f"{served.cookie}-{address.port}")
    hosts = LOOPBACK | {address.host.lower(), address.shown_host.lower(), socket.gethostname().lower()}
    app = review_app(named, hosts=LOOPBACK if address.is_loopback else hosts, any_address=address.host in ANYWHERE)
    _run(app, listener)


def _run(app: object, listener: socket.socket) -> None:
    config = uvicorn.Config(
        app,  # type: ignore[arg-type]  # an ASGI app, whose types uvicorn has under names of its own
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        timeout_graceful_shutdown=CLOSING_SECONDS,
    )
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        return
    finally:
        listener.close()


def _listener(address: Address) -> socket.socket:
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((address.host, address.port))
        # Asked at once: two servers that share a port would both bind, and the second fail only when it listens.
        listener.listen()
    except OSError as error:
        listener.close()
        raise SettingsError(
            f"cannot listen on {address.host}, port {address.port}: {error.strerror or error};"
            " choose another with --port, or 0 for any that is free"
        ) from error
    return listener


def _announce(served: Round, address: Address, console: Console) -> None:
    if not address.is_loopback:
        console.print(
            f"[bold yellow]careful:[/] this serves on {escape(address.host)}, where others on your network reach it,"
            " without encryption: whoever sees a link can judge under that name. An SSH tunnel to loopback is safer."
        )
    for fault in served.desk.log.read().faults:
        console.print(f"[bold yellow]set aside:[/] {escape(str(fault))}", highlight=False)
    console.print("one secret link for each person; the same after a restart:")
    for holder in served.keys.holders:
        console.print(f"  {escape(holder.name)} ({WORDS[holder.role]})", highlight=False)
        console.print(f"    {address.site}/enter#{served.keys.link(holder)}", highlight=False, markup=False)
    console.print("Ctrl-C stops; every decision is on disk the moment it is made", highlight=False)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _own_address() -> str:
    """An address by which the network knows this machine; nothing is sent to find it out."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            return socket.gethostname()
        return str(probe.getsockname()[0])
