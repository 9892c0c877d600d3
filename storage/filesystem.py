"""Where a store is: a folder, or a prefix of a bucket at `s3://`, `gs://` or `az://`, by obstore."""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from importlib.util import find_spec
from io import BytesIO
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias

from situatedgen.errors import SettingsError, StoreError

if TYPE_CHECKING:
    from obstore import ObjectMeta
    from obstore.store import ClientConfig, ObjectStore

SCHEMES = ("s3", "gs", "az")
EXPECTED = "expected a folder, s3://bucket/prefix, gs://bucket/prefix or az://container/prefix"
SHA256 = "sha256"
"""The attribute of an object that holds the digest of its content, so that it is known without fetching the object."""
ONE_REQUEST = 256 * 2**20
"""Bytes that are sent in one request; what is larger goes in parts, and is visible once all of them are there."""
RETRIES = 2


@dataclass(frozen=True, order=True, slots=True)
class BucketPath:
    """An object in a bucket, or all objects below a prefix, with those methods of `pathlib.Path` that a store needs.

    All of them raise a `FileNotFoundError` for an object that is not there, and a `StoreError` for a service that
    refuses or does not answer.
    """

    bucket: str
    key: str
    client: "ObjectStore" = field(compare=False, repr=False)

    def __truediv__(self, below: str) -> "BucketPath":
        """A path below this one."""
        return BucketPath(self.bucket, f"{self.key}/{below}".strip("/"), self.client)

    def __str__(self) -> str:
        """The address."""
        return f"{self.bucket}/{self.key}".rstrip("/")

    def __reduce__(self) -> tuple[Callable[[str], "StorePath"], tuple[str]]:
        """Another process connects anew, with the credentials that it has."""
        return locate, (str(self),)

    @property
    def name(self) -> str:
        """What stands after the last slash."""
        return PurePosixPath(self.key).name

    @property
    def stem(self) -> str:
        """The name without its suffix."""
        return PurePosixPath(self.key).stem

    def read_bytes(self) -> bytes:
        """The content of the object."""
        with clear_errors(self):
            return self.client.get(self.key).bytes().to_bytes()

    def read_text(self, encoding: str = "utf-8") -> str:
        """The content of the object as text."""
        return self.read_bytes().decode(encoding)

    def open(self, mode: str = "rb") -> BytesIO:  # noqa: ARG002 (as of a path)
        """The content of the object, fetched whole, as a stream."""
        return BytesIO(self.read_bytes())

    def read_range(self, start: int, end: int) -> bytes:
        """A part of the content of the object."""
        with clear_errors(self):
            return self.client.get_range(self.key, start=start, end=end).to_bytes() if end > start else b""

    def read_digest(self) -> str | None:
        """The sha256 that was written with the object, without fetching it; nothing where another tool wrote it."""
        with clear_errors(self):
            found = self.client.get(self.key, options={"head": True}).attributes.get(SHA256)
        return str(found) if found else None

    def write_bytes(self, content: bytes) -> None:
        """Write the object, whole: a reader sees the old one, the new one, or none."""
        put = partial(self.client.put, self.key, content, chunk_size=ONE_REQUEST)
        with clear_errors(self):
            try:
                put(attributes={SHA256: hashlib.sha256(content).hexdigest()})
            except NotImplementedError:  # obstore's store on a disk has no attributes
                put()

    def unlink(self, *, missing_ok: bool = False) -> None:  # noqa: ARG002 (most services do not tell)
        """Delete the object, where there is one."""
        with suppress(FileNotFoundError), clear_errors(self):
            self.client.delete(self.key)

    def is_file(self) -> bool:
        """Whether there is such an object."""
        try:
            with clear_errors(self):
                self.client.head(self.key)
        except FileNotFoundError:
            return False
        return True

    exists = is_file

    def is_dir(self) -> bool:
        """Whether there are objects below."""
        return any(True for _ in self.list_objects())

    def glob(self, pattern: str) -> Iterator["BucketPath"]:
        """The objects right below whose names match a pattern."""
        with clear_errors(self):
            found = self.client.list_with_delimiter(self.key)["objects"]
        paths = (BucketPath(self.bucket, each["path"], self.client) for each in found)
        return (path for path in paths if fnmatchcase(path.name, pattern))

    def list_objects(self) -> Iterator[tuple[str, "ObjectMeta"]]:
        """All objects below, however deep: where each is below this path, with its size and time."""
        with clear_errors(self):
            for each in chain.from_iterable(self.client.list(self.key)):
                yield PurePosixPath(each["path"]).relative_to(self.key).as_posix(), each


StorePath: TypeAlias = Path | BucketPath
Readable: TypeAlias = Path | BytesIO


def locate(address: str | Path) -> StorePath:
    """The path that an address names: a folder, or a prefix of a bucket such as `s3://bucket/prefix`.

    Raises:
        SettingsError: it is an address of another kind or names no bucket, or obstore is not installed.
        StoreError: the service needs a setting that is not there.
    """
    text = str(address)
    scheme, is_address, rest = text.partition("://")
    if not is_address and not re.match(rf"({'|'.join(SCHEMES)}):", text):
        return Path(text).resolve()
    if scheme not in SCHEMES or not is_address:
        raise SettingsError(f"store {text!r} is of no known kind; {EXPECTED}")
    bucket, _, key = rest.partition("/")
    if not bucket:
        raise SettingsError(f"store {text!r} names no bucket; {EXPECTED}")
    if find_spec("obstore") is None:
        raise SettingsError("a store in a bucket needs obstore; pip install 'situatedgen[buckets]'")
    url = f"{scheme}://{bucket}"
    return BucketPath(url, "/".join(part for part in key.split("/") if part), _connect(url))


def readable(path: StorePath) -> Readable:
    """What can be read more than once and stays the same: the file, or the content of the object, fetched once."""
    return path if isinstance(path, Path) else path.open()


def _connect(url: str) -> "ObjectStore":
    """A client of a bucket; endpoint, region and credentials are those that obstore finds in the environment."""
    from obstore.store import from_url  # noqa: PLC0415 (an extra)

    options: ClientConfig = {
        "allow_http": True,  # where the environment names such an endpoint
        "connect_timeout": "3s",
        "read_timeout": "30s",
        "timeout": "1h",  # of a whole request: a large object takes its time
    }
    given: dict[str, Any] = {}
    if url.startswith("s3:"):
        options |= _root_certificate()
        given = _boto3_credentials()
    with clear_errors(url):
        return from_url(url, client_options=options, retry_config={"max_retries": RETRIES}, **given)


def _root_certificate() -> "ClientConfig":
    """The certificates of `AWS_CA_BUNDLE`, which obstore does not read."""
    bundle = os.environ.get("AWS_CA_BUNDLE")
    try:
        return {"root_certificate": Path(bundle).read_bytes()} if bundle else {}
    except OSError as error:
        raise SettingsError(f"AWS_CA_BUNDLE names a file that cannot be read: {error}") from error


def _boto3_credentials() -> dict[str, Any]:  # Any: as obstore takes them
    """Credentials of `AWS_PROFILE` and `~/.aws`, which obstore does not read, where boto3 is there and finds some."""
    if "AWS_ACCESS_KEY_ID" in os.environ or find_spec("boto3") is None:
        return {}
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415 (not installed with us)
    from obstore.auth.boto3 import Boto3CredentialProvider  # noqa: PLC0415 (as above)

    try:
        return {"credential_provider": Boto3CredentialProvider()}
    except ValueError:  # it finds none
        return {}
    except BotoCoreError as error:
        raise StoreError(f"no credentials for s3://: {error}") from error


CREDENTIALS = {
    "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE where boto3 is installed",
    "gs": "GOOGLE_APPLICATION_CREDENTIALS",
    "az": "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY",
}
ENDPOINTS = {"s3": "AWS_ENDPOINT_URL", "gs": "GOOGLE_BASE_URL", "az": "AZURE_STORAGE_ENDPOINT"}
ANSWERS = (
    (
        r"NoSuchBucket|ContainerNotFound|specified bucket does not exist",
        "there is no such bucket; create it, or name another",
    ),
    (
        r"169\.254\.|token request|Missing \w*AccessKey|Account must be specified",
        "no credentials ({said}); set {credentials}",
    ),
    (
        r"status code: 40[13]|PermissionDenied|Unauthenticated",
        "access denied ({said}); the credentials must allow to list, read, write and delete objects",
    ),
    (r"HTTP error|status code: 5\d\d", "cannot be reached ({said}); check {endpoint} and the network"),
)
"""What an error means, by what is in its text, and what to do about it; the first that fits counts."""


@contextmanager
def clear_errors(path: BucketPath | str) -> Iterator[None]:
    """Say in one sentence what obstore says in many lines."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 (an extra)

    try:
        yield
    except (FileNotFoundError, BaseError) as error:
        raise _explain(error, str(path)) from error


def _explain(error: Exception, address: str) -> Exception:
    text, said = f"{type(error).__name__} {error}", _summarize(error)
    scheme, _, rest = address.partition("://")
    store = f"store {scheme}://{rest.partition('/')[0]}"
    for pattern, meaning in ANSWERS:
        if re.search(pattern, text):
            told = meaning.format(said=said, credentials=CREDENTIALS.get(scheme), endpoint=ENDPOINTS.get(scheme))
            return StoreError(f"{store}: {told}")
    return FileNotFoundError(address) if isinstance(error, FileNotFoundError) else StoreError(f"{store}: {said}")


def _summarize(error: Exception) -> str:
    """What an error of obstore says before it shows its insides; of an answer in XML, the code and the message."""
    text = str(error).partition("\n\nDebug source")[0]
    told = [found[1] for tag in ("Code", "Message") if (found := re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL))]
    return " ".join(told) or " ".join(text.split())
