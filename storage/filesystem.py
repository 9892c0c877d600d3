"""Paths of a store: a local folder, or a bucket prefix at `s3://`, `gs://` or `az://` accessed with obstore."""

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
"""The object attribute that holds the digest of its content, so that it is known without a download."""
ONE_REQUEST = 256 * 2**20
"""Largest upload in bytes sent in one request; larger objects go in parts and become visible when complete."""
RETRIES = 2


@dataclass(frozen=True, order=True, slots=True)
class BucketPath:
    """An object in a bucket, or all objects below a prefix, with the methods of `pathlib.Path` that a store needs.

    All methods raise `FileNotFoundError` for a missing object, and `StoreError` if the service refuses or does not
    respond.
    """

    bucket: str
    key: str
    client: "ObjectStore" = field(compare=False, repr=False)

    def __truediv__(self, below: str) -> "BucketPath":
        """Return a path below this one."""
        return BucketPath(self.bucket, f"{self.key}/{below}".strip("/"), self.client)

    def __str__(self) -> str:
        """Return the address."""
        return f"{self.bucket}/{self.key}".rstrip("/")

    def __reduce__(self) -> tuple[Callable[[str], "StorePath"], tuple[str]]:
        """Pickle the address only: another process reconnects with its own credentials."""
        return locate, (str(self),)

    @property
    def name(self) -> str:
        """The part after the last slash."""
        return PurePosixPath(self.key).name

    @property
    def stem(self) -> str:
        """The name without its suffix."""
        return PurePosixPath(self.key).stem

    def read_bytes(self) -> bytes:
        """Return the content of the object."""
        with translate_errors(self):
            return self.client.get(self.key).bytes().to_bytes()

    def read_text(self, encoding: str = "utf-8") -> str:
        """Return the content of the object as text."""
        return self.read_bytes().decode(encoding)

    def open(self, mode: str = "rb") -> BytesIO:  # noqa: ARG002 (same signature as Path.open)
        """Download the whole object and return it as a stream."""
        return BytesIO(self.read_bytes())

    def read_range(self, start: int, end: int) -> bytes:
        """Return a byte range of the object."""
        with translate_errors(self):
            return self.client.get_range(self.key, start=start, end=end).to_bytes() if end > start else b""

    def read_digest(self) -> str | None:
        """Return the SHA-256 stored with the object, without a download; None if another tool wrote it."""
        with translate_errors(self):
            found = self.client.get(self.key, options={"head": True}).attributes.get(SHA256)
        return str(found) if found else None

    def write_bytes(self, content: bytes) -> None:
        """Write the object atomically: a reader sees the old one, the new one, or none."""
        put = partial(self.client.put, self.key, content, chunk_size=ONE_REQUEST)
        with translate_errors(self):
            try:
                put(attributes={SHA256: hashlib.sha256(content).hexdigest()})
            except NotImplementedError:  # obstore's local store has no attributes
                put()

    def unlink(self, *, missing_ok: bool = False) -> None:  # noqa: ARG002 (most services do not report it)
        """Delete the object if it exists."""
        with suppress(FileNotFoundError), translate_errors(self):
            self.client.delete(self.key)

    def is_file(self) -> bool:
        """Whether the object exists."""
        try:
            with translate_errors(self):
                self.client.head(self.key)
        except FileNotFoundError:
            return False
        return True

    exists = is_file

    def is_dir(self) -> bool:
        """Whether there are objects below this path."""
        return any(True for _ in self.list_objects())

    def glob(self, pattern: str) -> Iterator["BucketPath"]:
        """Return the objects directly below this path whose names match a pattern."""
        with translate_errors(self):
            found = self.client.list_with_delimiter(self.key)["objects"]
        paths = (BucketPath(self.bucket, each["path"], self.client) for each in found)
        return (path for path in paths if fnmatchcase(path.name, pattern))

    def list_objects(self) -> Iterator[tuple[str, "ObjectMeta"]]:
        """Yield all objects below this path, recursively: relative path and metadata (size and time)."""
        with translate_errors(self):
            for each in chain.from_iterable(self.client.list(self.key)):
                yield PurePosixPath(each["path"]).relative_to(self.key).as_posix(), each


StorePath: TypeAlias = Path | BucketPath
Readable: TypeAlias = Path | BytesIO


def locate(address: str | Path) -> StorePath:
    """Return the path of an address: a folder, or a bucket prefix such as `s3://bucket/prefix`.

    Raises:
        SettingsError: the address has another scheme or names no bucket, or obstore is not installed.
        StoreError: the service needs a setting that is missing.
    """
    text = str(address)
    scheme, is_address, rest = text.partition("://")
    if not is_address and not re.match(rf"({'|'.join(SCHEMES)}):", text):
        return Path(text).resolve()
    if scheme not in SCHEMES or not is_address:
        raise SettingsError(f"unknown kind of store {text!r}; {EXPECTED}")
    bucket, _, key = rest.partition("/")
    if not bucket:
        raise SettingsError(f"store {text!r} has no bucket name; {EXPECTED}")
    if find_spec("obstore") is None:
        raise SettingsError("a store in a bucket needs obstore; pip install 'situatedgen[buckets]'")
    url = f"{scheme}://{bucket}"
    return BucketPath(url, "/".join(part for part in key.split("/") if part), _connect(url))


def check_output(out: Path, marker: str, *, command: str) -> None:
    """Refuse an output folder that a command did not write, recognized by a file or subfolder it always has.

    Raises:
        SettingsError: the folder contains other files, or is a file.
    """
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / marker).exists())):
        raise SettingsError(f"{out} was not written by `situatedgen {command}`; choose another folder")


def readable(path: StorePath) -> Readable:
    """Return something that can be read repeatedly without changing: the file, or the downloaded object."""
    return path if isinstance(path, Path) else path.open()


def _connect(url: str) -> "ObjectStore":
    """Connect to a bucket, with the endpoint, region and credentials that obstore finds in the environment."""
    from obstore.store import from_url  # noqa: PLC0415 (an extra)

    options: ClientConfig = {
        "allow_http": True,  # if the environment names an HTTP endpoint
        "connect_timeout": "3s",
        "read_timeout": "30s",
        "timeout": "1h",  # for a whole request: large objects take long
    }
    given: dict[str, Any] = {}
    if url.startswith("s3:"):
        options |= _root_certificate()
        given = _boto3_credentials()
    with translate_errors(url):
        return from_url(url, client_options=options, retry_config={"max_retries": RETRIES}, **given)


def _root_certificate() -> "ClientConfig":
    """Return the certificates of `AWS_CA_BUNDLE`, which obstore does not read."""
    bundle = os.environ.get("AWS_CA_BUNDLE")
    try:
        return {"root_certificate": Path(bundle).read_bytes()} if bundle else {}
    except OSError as error:
        raise SettingsError(f"AWS_CA_BUNDLE names a file that cannot be read: {error}") from error


def _boto3_credentials() -> dict[str, Any]:  # Any: the type that obstore accepts
    """Return credentials of `AWS_PROFILE` and `~/.aws`, which obstore does not read, if boto3 finds any."""
    if "AWS_ACCESS_KEY_ID" in os.environ or find_spec("boto3") is None:
        return {}
    from botocore.exceptions import BotoCoreError  # noqa: PLC0415 (not one of our dependencies)
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
KNOWN_ERRORS = (
    (
        r"NoSuchBucket|ContainerNotFound|specified bucket does not exist",
        "there is no such bucket; create it, or choose another",
    ),
    (
        r"169\.254\.|token request|Missing \w*AccessKey|Account must be specified",
        "no credentials ({said}); set {credentials}",
    ),
    (
        r"status code: 40[13]|PermissionDenied|Unauthenticated",
        "access denied ({said}); the credentials must allow listing, reading, writing and deleting objects",
    ),
    (r"HTTP error|status code: 5\d\d", "cannot be reached ({said}); check {endpoint} and the network"),
)
"""Error patterns, each with its meaning and remedy; the first match wins."""


@contextmanager
def translate_errors(path: BucketPath | str) -> Iterator[None]:
    """Replace obstore's long errors by one-sentence ones."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 (an extra)

    try:
        yield
    except (FileNotFoundError, BaseError) as error:
        raise _explain(error, str(path)) from error


def _explain(error: Exception, address: str) -> Exception:
    text, said = f"{type(error).__name__} {error}", _summarize(error)
    scheme, _, rest = address.partition("://")
    store = f"store {scheme}://{rest.partition('/')[0]}"
    for pattern, meaning in KNOWN_ERRORS:
        if re.search(pattern, text):
            message = meaning.format(said=said, credentials=CREDENTIALS.get(scheme), endpoint=ENDPOINTS.get(scheme))
            return StoreError(f"{store}: {message}")
    return FileNotFoundError(address) if isinstance(error, FileNotFoundError) else StoreError(f"{store}: {said}")


def _summarize(error: Exception) -> str:
    """Return an obstore error without its debug output; for an XML response, only code and message."""
    text = str(error).partition("\n\nDebug source")[0]
    parts = [found[1] for tag in ("Code", "Message") if (found := re.search(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL))]
    return " ".join(parts) or " ".join(text.split())
