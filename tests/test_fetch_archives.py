"""Files out of archives that nobody has checked."""

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from situatedgen.errors import SourceError
from situatedgen.fetching import download
from situatedgen.fetching.fetch import Home, Status, Wanted, fetch
from web_site import ONE, TWO, Site, digest, files_in, serving, statuses, zipped


def archive(site: Site, **members: bytes) -> Home:
    files = tuple(Wanted(file=f"creak/{name}", member=name, sha256=digest(data)) for name, data in members.items())
    return Home(source="creak", address=f"{site.address}/all.zip", files=files)


def altered(data: bytes, position: int, bit: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 1 << bit]) + data[position + 1 :]


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site({"/creak/train.json": ONE})) as served:
        yield served


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "sources"


def test_only_the_files_that_are_read_are_unpacked(site: Site, into: Path) -> None:
    site.files["/all.zip"] = zipped({"Pack/a": ONE, "Pack/b": TWO, "Pack/c": ONE, "__MACOSX/Pack/._a": b"x"})
    assert statuses(fetch([archive(site, a=ONE, b=TWO)], into)) == [Status.FETCHED, Status.FETCHED]
    assert files_in(into) == {"creak/a": ONE, "creak/b": TWO}


def test_an_archive_with_one_changed_file_gives_the_other(site: Site, into: Path) -> None:
    site.files["/all.zip"] = zipped({"a": ONE, "b": ONE})
    assert statuses(fetch([archive(site, a=ONE, b=TWO)], into)) == [Status.FETCHED, Status.ASIDE]
    assert files_in(into) == {"creak/a": ONE, "creak/b.new": ONE}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped({"a": ONE, "../b": ONE}), "'../b', which leads elsewhere"),
        (zipped({"a": ONE, "/etc/b": ONE}), "'/etc/b', which leads elsewhere"),
        (zipped({"a": ONE, "C:b": ONE}), "'C:b', which leads elsewhere"),
        (zipped({"a": ONE, "x\\..\\b": ONE}), "which leads elsewhere"),
        (zipped({"b": ONE}), "expected one file a in the archive, found none"),
        (zipped({"x/a": ONE, "y/a": ONE}), "expected one file a in the archive, found x/a, y/a"),
        (zipped({"a": ONE}).replace(b"PK\x05\x06", b"PK\x05\x07"), "found a damaged one"),
        (altered(zipped({"a": ONE}), 40, 7), "found a damaged one"),  # a bit of the packed bytes
        (b"<html>Please log in</html>", "found a damaged one: File is not a zip file"),  # a page of a hotel's network
    ],
)
def test_an_archive_that_is_not_right_is_refused_and_taken_away(
    site: Site, into: Path, data: bytes, message: str
) -> None:
    site.files["/all.zip"] = data
    (fetched,) = fetch([archive(site, a=ONE)], into)
    assert message in fetched.problem
    assert files_in(into) == {}


def test_links_and_giants_in_an_archive_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    link = zipfile.ZipInfo("a")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as opened:
        opened.writestr(link, "/etc/passwd")
    with pytest.raises(SourceError, match="'a', which is a link"):
        download.unpack(tmp_path / "all.zip", "a", tmp_path / "a")
    (tmp_path / "all.zip").write_bytes(zipped({"a": ONE}))
    monkeypatch.setattr(download, "LARGEST", 100)
    with pytest.raises(SourceError, match="a would have 2,000 bytes"):
        download.unpack(tmp_path / "all.zip", "a", tmp_path / "a")


@given(position=st.integers(0, len(zipped({"a": ONE})) - 1), bit=st.integers(0, 7))
@settings(deadline=None)
def test_an_altered_archive_gives_the_file_or_an_error(position: int, bit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "all.zip")
        path.write_bytes(altered(zipped({"a": ONE}), position, bit))
        try:
            download.unpack(path, "a", Path(folder, "a"))
        except SourceError:
            return
        assert Path(folder, "a").read_bytes() == ONE
