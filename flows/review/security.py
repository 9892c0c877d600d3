"""Security of the review server: signed links, sessions, trusted hosts, the same-origin check and response headers."""

import hashlib
import os
import secrets
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from filelock import FileLock
from itsdangerous import BadData, Signer, URLSafeSerializer
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.middleware.sessions import SessionMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from situatedgen.errors import SettingsError, StoreError

MAX_BODY_BYTES = 16 * 1024
SESSION_SECONDS = 30 * 24 * 3600
LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
SAFE_METHODS = frozenset({"GET", "HEAD"})
# The pages that a bookmark or a link on another site may open.
ENTRY_PATHS = frozenset({"/", "/enter", "/agreement"})
SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
        " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
KEY_NAME = "links.key"
KEY_BYTES = 32
GITIGNORE = f"# The key that signs annotators' links is secret; lock files are local.\n{KEY_NAME}\n.*.lock\n"


class Role(StrEnum):
    """What a link allows: annotating, adjudicating, or seeing the agreement."""

    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"
    LEAD = "lead"


@dataclass(frozen=True, slots=True, order=True)
class User:
    """The owner of a link."""

    role: Role
    name: str

    @property
    def may_annotate(self) -> bool:
        """Whether they may record decisions."""
        return self.role is not Role.LEAD

    @property
    def may_compare(self) -> bool:
        """Whether they may see the agreement; annotators work blind and may not."""
        return self.role is not Role.ANNOTATOR


@dataclass(frozen=True)
class Links:
    """The links of users, signed with one secret; nothing about them is stored."""

    secret: bytes
    users: tuple[User, ...]

    def link(self, user: User) -> str:
        """Return the secret part of a user's link, which depends only on the user and the secret."""
        return self._serializer.dumps([user.role, user.name])

    def open_link(self, link: str) -> User | None:
        """Return the user of a link, or None if its signature is invalid or the user was removed."""
        try:
            role, name = self._serializer.loads(link)
        except BadData:
            return None
        return self.find(role, name)

    def find(self, role: str, name: str) -> User | None:
        """Return the user with a role and a name, or None if there is none."""
        return next((user for user in self.users if (user.role, user.name) == (role, name)), None)

    def storage_key(self, user: User) -> str:
        """Return the name of a user's data in the browser storage; it grants no access."""
        signer = Signer(self.secret, salt="storage", digest_method=hashlib.sha256)
        return signer.get_signature(f"{user.role} {user.name}").decode("ascii")[:12]

    @property
    def _serializer(self) -> URLSafeSerializer:
        return URLSafeSerializer(self.secret, salt="link", signer_kwargs={"digest_method": hashlib.sha256})


def make_links(secret: bytes, annotators: Iterable[str], *, role: Role) -> Links:
    """Create a link for each person and, if they are annotators, one for a lead who only sees the agreement."""
    users = [User(role, name) for name in dict.fromkeys(annotators)]
    return Links(secret, (*users, *([User(Role.LEAD, "lead")] if role is Role.ANNOTATOR else [])))


def load_secret(folder: Path) -> bytes:
    """Return the key of a decisions folder that signs links and sessions, creating it if there is none.

    Raises:
        SettingsError: other users can read it, or it is damaged.
        StoreError: the folder cannot be written.
    """
    path = folder / KEY_NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / f".{KEY_NAME}.lock"):
            if not path.exists():
                _create_secret(path)
        mode, secret = stat.S_IMODE(path.stat().st_mode), path.read_bytes()
    except OSError as error:
        raise StoreError(f"cannot store the key of the links in {folder}: {error}") from error
    if mode & 0o077:
        raise SettingsError(
            f"{path} is readable by other users; run `chmod 600 {path}`, or delete it to make new links"
        )
    if len(secret) != KEY_BYTES:
        raise SettingsError(f"{path} has {len(secret)} bytes, expected {KEY_BYTES}; delete it to make new links")
    return secret


def _create_secret(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(secrets.token_bytes(KEY_BYTES))
    ignored = path.with_name(".gitignore")
    if not ignored.exists():
        ignored.write_text(GITIGNORE, encoding="utf-8")


def security_middleware(
    secret: bytes, *, cookie: str, hosts: Iterable[str] = LOOPBACK, any_address: bool = False
) -> list[Middleware]:
    """Return the middleware in front of the routes, outermost first."""
    host_check = AddressOrTrustedHost if any_address else TrustedHostMiddleware
    return [
        Middleware(SecurityHeaders),
        Middleware(host_check, allowed_hosts=sorted(hosts), www_redirect=False),
        Middleware(SameOrigin),
        Middleware(RequestBodyLimitMiddleware, max_body_size=MAX_BODY_BYTES),
        Middleware(
            SessionMiddleware,
            secret_key=secret.hex(),
            session_cookie=cookie,
            max_age=SESSION_SECONDS,
            same_site="strict",
        ),
    ]


class AddressOrTrustedHost(TrustedHostMiddleware):
    """Also accepts a bare IP address as host, which is safe because DNS rebinding needs a host name."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse its host."""
        if scope["type"] == "http" and is_address(Headers(scope=scope).get("host", "")):
            await self.app(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


def is_address(host: str) -> bool:
    """Whether a host, with or without a port, is an IP address rather than a name.

    Example:
        >>> [is_address(host) for host in ("192.168.1.5:8765", "[fe80::1]:8765", "box:8765", "1.2.3.4.example")]
        [True, True, False, False]
    """
    try:
        ip_address(urlsplit(f"//{host}").hostname or "")
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class SameOrigin:
    """Refuses requests from pages of other origins, except for opening an entry page."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request, or refuse its origin."""
        if scope["type"] != "http" or _is_same_origin(scope):
            await self.app(scope, receive, send)
        else:
            refusal = JSONResponse({"error": "Cross-origin request refused."}, HTTPStatus.FORBIDDEN)
            await refusal(scope, receive, send)


def _is_same_origin(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    is_own_site = headers.get("sec-fetch-site", "none") in {"same-origin", "none"}
    if scope["method"] in SAFE_METHODS:
        return is_own_site or scope["path"] in ENTRY_PATHS
    return is_own_site and headers.getlist("origin") == [f"{scope['scheme']}://{headers.get('host')}"]


@dataclass(frozen=True)
class SecurityHeaders:
    """Adds the security headers to every response."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request and add the headers to its response."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        await self.app(scope, receive, send_with_headers)
