"""What stands before the page: foreign hosts, foreign pages and endless bodies are turned away, answers are sealed."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any

Message = MutableMapping[str, Any]  # Any: as ASGI has it
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

LONGEST_BODY = 16 * 1024
BODY_SECONDS = 10
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
READING = frozenset({"GET", "HEAD"})
# The two pages that somebody may come to from outside: by their link, or by a bookmark.
OPEN_PATHS = frozenset({"/", "/enter", "/agreement"})
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SEALS = (
    (b"content-security-policy", POLICY.encode("ascii")),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cache-control", b"no-store"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
)


@dataclass(frozen=True)
class Guard:
    """An ASGI app behind a guard. `hosts` are the names it answers to; `any_address`: to every bare address, too.

    A page that points a name of its own at this machine (DNS rebinding) comes with that name, and is refused.
    """

    app: App
    hosts: Collection[str]
    any_address: bool = False

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Let a request through, or say why not."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, _sealed(send))
        # Anything else, such as a WebSocket, is let go of unanswered, which refuses it.

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = _headers(scope)
        status, reason = self._refusal(scope, headers)
        body = b""
        if not status:
            try:
                body = await asyncio.wait_for(_body(headers, receive), BODY_SECONDS)
            except (ValueError, TimeoutError):
                status, reason = HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "that is more than an answer can be"
        if status:
            await _refuse(send, status, reason)
        else:
            await self.app(scope, _replay(body, receive), send)

    def _refusal(self, scope: Message, headers: dict[str, list[str]]) -> tuple[int, str]:
        """Why a request is turned away; no status where it is not."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or not self._is_host(hosts[0]):
            return HTTPStatus.MISDIRECTED_REQUEST, "this server does not go by that name"
        site = headers.get("sec-fetch-site", ["none"])[-1]
        if scope["method"] in READING:
            if site not in {"same-origin", "none"} and scope["path"] not in OPEN_PATHS:
                return HTTPStatus.FORBIDDEN, "only this server's own pages may ask for this"
            return 0, ""
        if site not in {"same-origin", "none"} or headers.get("origin") != [f"{scope['scheme']}://{hosts[0]}"]:
            return HTTPStatus.FORBIDDEN, "only this server's own pages may change anything"
        return 0, ""

    def _is_host(self, host: str) -> bool:
        name = _host_name(host)
        return name in self.hosts or (self.any_address and _is_address(name))


def _headers(scope: Message) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _host_name(host: str) -> str:
    """The name in a Host header, without its port.

    Example:
        >>> _host_name("[::1]:8765"), _host_name("localhost:80"), _host_name("127.0.0.1")
        ('::1', 'localhost', '127.0.0.1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.rpartition(":")[0].lower() if ":" in host else host.lower()


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


async def _body(headers: dict[str, list[str]], receive: Receive) -> bytes:
    """The whole body of a request.

    Raises:
        ValueError: it is too long.
    """
    if int(headers.get("content-length", ["0"])[0]) > LONGEST_BODY:
        raise ValueError
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > LONGEST_BODY:
            raise ValueError
    return body


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def _sealed(send: Send) -> Send:
    async def seal(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *SEALS]}
        await send(message)

    return seal


async def _refuse(send: Send, status: int, reason: str) -> None:
    body = json.dumps({"error": reason}).encode("utf-8")
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
