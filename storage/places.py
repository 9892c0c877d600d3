"""Where a store is: a folder of this machine, or a prefix of a bucket that several machines share."""

from io import BytesIO
from pathlib import Path
from typing import TypeAlias

from situatedgen.errors import SettingsError
from storage.buckets import SCHEME, BucketPath, bucket_path

Place: TypeAlias = Path | BucketPath
Readable: TypeAlias = Path | BytesIO


def located(address: str | Path) -> Place:
    """The place that an address means: `s3://bucket/prefix`, or a folder.

    Raises:
        SettingsError: it looks like an address, but of no kind that we know.
    """
    text = str(address)
    if text.startswith(SCHEME):
        return bucket_path(text)
    if "://" in text or text.startswith("s3:"):
        raise SettingsError(f"store {text!r} is of no known kind; expected a folder or s3://bucket/prefix")
    return Path(text).resolve()


def readable(place: Place) -> Readable:
    """What can be read more than once and stays the same: the file, or the bytes of the object, fetched once."""
    return place if isinstance(place, Path) else place.open()
