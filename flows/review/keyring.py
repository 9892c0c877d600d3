"""Who may come in: a secret link for each person, a session in its place, and a token for each form."""

import hmac
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

SESSION_SECONDS = 30 * 24 * 3600


class Role(StrEnum):
    """What a link lets its holder do: judge, settle what others differ about, or see how far they agree."""

    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"
    LEAD = "lead"


@dataclass(frozen=True, slots=True, order=True)
class Holder:
    """Somebody with a link."""

    role: Role
    name: str

    @property
    def may_judge(self) -> bool:
        """Whether they may decide anything."""
        return self.role is not Role.LEAD

    @property
    def may_compare(self) -> bool:
        """Whether they may see figures made from everybody's answers; who judges blindly may not."""
        return self.role is not Role.ANNOTATOR


@dataclass(frozen=True)
class Keyring:
    """Links, sessions and form tokens, all made from one secret: none can be guessed, and none is written down.

    Each is a keyed digest of 256 bits of what it stands for, so that one never passes for another.
    """

    secret: bytes
    holders: tuple[Holder, ...]

    def link(self, holder: Holder) -> str:
        """The secret part of a person's link; the same as long as the secret is."""
        return self._digest("link", holder.role, holder.name)

    def entering(self, link: str) -> Holder | None:
        """Whose link this is; nobody's where it is none. It takes as long whoever it is."""
        matches = [holder for holder in self.holders if _is_same(self.link(holder), link)]
        return matches[0] if matches else None

    def session(self, holder: Holder, now: float | None = None) -> str:
        """What a person's browser keeps in place of the link."""
        issued = str(int(time.time() if now is None else now))
        name = _encoded(holder.name.encode("utf-8"))
        return ".".join([holder.role, name, issued, self._digest("session", holder.role, name, issued)])

    def inside(self, session: str, now: float | None = None) -> Holder | None:
        """Whose session this is; nobody's where it was made up, is too old, or its holder has no link any more."""
        role, name, issued, digest = [*session.split("."), *[""] * 4][:4]
        if not _is_same(self._digest("session", role, name, issued), digest) or session.count(".") != 3:
            return None
        if (time.time() if now is None else now) - int(issued) > SESSION_SECONDS:
            return None
        return self._holder(role, name)

    def form_token(self, session: str) -> str:
        """What a page of ours sends with every change; a foreign page cannot know it."""
        return self._digest("form", session)

    def is_form_token(self, session: str, token: str) -> bool:
        """Whether a change was sent by a page of this very session."""
        return _is_same(self.form_token(session), token)

    def mark(self, holder: Holder) -> str:
        """A name for what a person's browser keeps; it opens nothing."""
        return self._digest("mark", holder.role, holder.name)[:12]

    def _holder(self, role: str, name: str) -> Holder | None:
        try:
            found = Holder(Role(role), urlsafe_b64decode(name + "=" * (-len(name) % 4)).decode("utf-8"))
        except (ValueError, Error):
            return None
        return found if found in self.holders else None

    def _digest(self, *parts: str) -> str:
        told = "\x1f".join(parts).encode("utf-8", "surrogatepass")
        return _encoded(hmac.digest(self.secret, told, "sha256"))


def keyring(secret: bytes, annotators: Iterable[str], *, role: Role) -> Keyring:
    """The keys of a round: a link for each person, and one for whoever leads and does not judge."""
    holders = [Holder(role, name) for name in dict.fromkeys(annotators)]
    return Keyring(secret, (*holders, *([Holder(Role.LEAD, "lead")] if role is Role.ANNOTATOR else [])))


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).decode("ascii").rstrip("=")


def _is_same(left: str, right: str) -> bool:
    """Whether two texts are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(left.encode("utf-8"), right.encode("utf-8", "surrogatepass"))
