"""What a bucket is asked over S3, request by request; what goes wrong is told in one sentence that says what to do."""

import base64
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

import boto3
from botocore import exceptions as boto
from botocore.config import Config

from situatedgen.errors import StoreError

CONNECT_SECONDS, READ_SECONDS, ATTEMPTS = 3, 30, 3
PAGE = 1000
"""Objects of one listing; the service gives no more."""
MISSING = frozenset({"NoSuchKey", "NotFound", "404"})
CONFLICTS = frozenset({"PreconditionFailed", "ConditionalRequestConflict", "412", "409"})
DENIED = frozenset(
    {"AccessDenied", "403", "Forbidden", "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken"}
)
UNREACHABLE = (boto.HTTPClientError, boto.ConnectionError, boto.InvalidEndpointConfigurationError)
NO_CREDENTIALS = (boto.NoCredentialsError, boto.PartialCredentialsError, boto.CredentialRetrievalError)


class Missing(FileNotFoundError):  # noqa: N818 (an answer like any other)
    """There is no such object; `date` is when the service said so, by its own clock."""

    def __init__(self, address: str, date: float) -> None:
        super().__init__(address)
        self.date = date


class Conflict(Exception):  # noqa: N818 (not an error: somebody else was first)
    """The condition of a write does not hold."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the service said of an object: its bytes where asked for, its version, and the time by its own clock."""

    content: bytes
    etag: str
    date: float


@dataclass(frozen=True, slots=True)
class Entry:
    """An object as a listing shows it."""

    key: str
    size: int
    modified: float


def get(bucket: str, key: str, span: str = "") -> Answer:
    """An object, or a span of its bytes such as `bytes=0-99`.

    Raises:
        Missing: there is none.
        StoreError: the service refuses, or does not answer.
    """
    options = {"Range": span} if span else {}
    for attempt in range(ATTEMPTS):
        with _worded(bucket, key):
            found = client().get_object(Bucket=bucket, Key=key, **options)
            try:
                return Answer(found["Body"].read(), found["ETag"], _date(found))
            except (boto.IncompleteReadError, boto.HTTPClientError):
                if attempt == ATTEMPTS - 1:
                    raise
    raise AssertionError


def checksum(bucket: str, key: str) -> str | None:
    """The sha256 that the service knows an object by, without fetching it; nothing where it knows none.

    Raises:
        Missing: there is none.
        StoreError: the service refuses, or does not answer.
    """
    with _worded(bucket, key):
        found = client().head_object(Bucket=bucket, Key=key, ChecksumMode="ENABLED")
    told = found.get("ChecksumSHA256", "")
    # That of an object that was uploaded in parts is a digest of digests, and ends with their number.
    return None if not told or "-" in told else base64.b64decode(told).hex()


def put(bucket: str, key: str, content: bytes, **condition: str) -> Answer:
    """The version of an object that was just written, whole; the service refuses bytes that were harmed on the way.

    Raises:
        Conflict: the condition, `IfMatch` or `IfNoneMatch`, does not hold.
        StoreError: the service refuses, or does not answer.
    """
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    try:
        with _worded(bucket, key):
            made = client().put_object(Bucket=bucket, Key=key, Body=content, ChecksumSHA256=digest, **condition)
    except Missing as error:
        raise Conflict from error
    return Answer(content, made["ETag"], _date(made))


def delete(bucket: str, key: str) -> None:
    """Delete an object, where there is one."""
    with _worded(bucket, key):
        client().delete_object(Bucket=bucket, Key=key)


def listed(bucket: str, prefix: str, *, deep: bool, first: bool = False) -> Iterator[Entry]:
    """The objects whose keys begin with a prefix, in order: all, or those with no further slash; or the first alone."""
    options: dict[str, Any] = {"MaxKeys": 1 if first else PAGE, **({} if deep else {"Delimiter": "/"})}
    while True:
        with _worded(bucket, prefix):
            page = client().list_objects_v2(Bucket=bucket, Prefix=prefix, **options)
        for each in page.get("Contents", ()):
            yield Entry(each["Key"], each["Size"], each["LastModified"].timestamp())
        if first or not page.get("IsTruncated"):
            return
        options["ContinuationToken"] = page["NextContinuationToken"]


@cache
def client() -> Any:  # Any: boto3 makes its clients at run time
    """The one client of this process; endpoint, region and credentials are those that boto3 finds."""
    session = boto3.Session()
    return session.client("s3", config=Config(**_options(session)))


def _options(session: Any) -> dict[str, Any]:
    """Short patience, no checksums that older services do not know, and plain addresses where there is an endpoint."""
    named = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    chosen = session._session.get_scoped_config().get("s3", {})
    style = {} if not named or "addressing_style" in chosen else {"s3": {"addressing_style": "path"}}
    return {
        "connect_timeout": CONNECT_SECONDS,
        "read_timeout": READ_SECONDS,
        "retries": {"mode": "standard", "total_max_attempts": ATTEMPTS},
        "request_checksum_calculation": "when_required",
        "response_checksum_validation": "when_required",
        **style,
    }


@contextmanager
def _worded(bucket: str, key: str) -> Iterator[None]:
    """Tell a missing object, a condition that fails, and all else that the service says apart."""
    try:
        yield
    except boto.ClientError as error:
        raise _answer(error, bucket, key) from error
    except NO_CREDENTIALS as error:
        raise StoreError(
            f"store s3://{bucket}: no credentials ({error});"
            " set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        ) from error
    except UNREACHABLE as error:
        raise StoreError(
            f"store s3://{bucket} cannot be reached: {error}; check AWS_ENDPOINT_URL and the network"
        ) from error
    except (boto.BotoCoreError, ValueError) as error:
        raise StoreError(f"store s3://{bucket} cannot be used: {error}") from error


def _answer(error: boto.ClientError, bucket: str, key: str) -> Exception:
    """What an answer of the service means that is no success."""
    code, said = error.response["Error"].get("Code", ""), error.response["Error"].get("Message", "")
    if code in MISSING:
        return Missing(f"s3://{bucket}/{key}", _date(error.response))
    if code in CONFLICTS:
        return Conflict()
    if code == "NoSuchBucket":
        return StoreError(f"store s3://{bucket}: there is no such bucket; create it, or name another")
    if code in DENIED:
        return StoreError(
            f"store s3://{bucket}: access denied ({code} {said});"
            " the credentials need s3:GetObject, PutObject, DeleteObject and ListBucket there"
        )
    return StoreError(f"store s3://{bucket}: the service answered {code}: {said}")


def _date(answer: Any) -> float:  # Any: as boto3 gives it
    """When the service answered, by its own clock: those of the machines that share a store may differ."""
    return parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"]).timestamp()
