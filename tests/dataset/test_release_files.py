"""Releases as files: the same bytes each time, every kind of harm named, nothing unsafe unpacked."""

import gzip
import io
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from situatedgen.dataset.release import archive
from situatedgen.dataset.release.archive import pack, unpack
from situatedgen.dataset.release.verify import Fault, Kind, file_faults
from situatedgen.errors import StoreError
from web_site import files_in

FILES = {"README.md": b"Read me.\n", "data/train.jsonl": b"{}\n" * 500, "data/dev.jsonl": b""}
NAMES = st.from_regex(r"[a-z]{1,5}(/[a-z]{1,5})?", fullmatch=True)


def written(folder: Path, files: dict[str, bytes] = FILES) -> dict[str, str]:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return {name: archive.digest(content) for name, content in files.items()}


def faults(folder: Path, digests: dict[str, str]) -> list[tuple[str, str]]:
    sizes = {name: len(content) for name, content in FILES.items()}
    return [(fault.kind.value, fault.file) for fault in file_faults(folder, digests, sizes, ours=frozenset())]


def swap(one: Path, two: Path) -> None:
    left, right = one.read_bytes(), two.read_bytes()
    one.write_bytes(right)
    two.write_bytes(left)


def link(path: Path, outside: Path) -> None:
    path.rename(outside)
    path.symlink_to(outside)


@pytest.mark.parametrize(
    ("harm", "expected"),
    [
        (lambda folder: None, []),
        (lambda folder: (folder / "README.md").unlink(), [("missing", "README.md")]),
        (lambda folder: (folder / "more.txt").write_bytes(b"x"), [("extra", "more.txt")]),
        (lambda folder: (folder / "README.md").write_bytes(b"Read mE.\n"), [("altered", "README.md")]),
        (lambda folder: (folder / "README.md").write_bytes(b"Read me.\n\n"), [("altered", "README.md")]),
        (lambda folder: (folder / "README.md").write_bytes(b"Read"), [("truncated", "README.md")]),
        (lambda folder: (folder / "README.md").rename(folder / "readme"), [("renamed", "README.md")]),
        (
            lambda folder: swap(folder / "README.md", folder / "data/train.jsonl"),
            [("altered", "README.md"), ("truncated", "data/train.jsonl")],
        ),
        (lambda folder: link(folder / "README.md", folder.parent / "outside"), [("unsafe", "README.md")]),
        (lambda folder: (folder / "elsewhere").symlink_to("/"), [("unsafe", "elsewhere")]),
    ],
    ids=["none", "missing", "extra", "altered", "grown", "truncated", "renamed", "swapped", "linked", "folder linked"],
)
def test_each_kind_of_harm_is_named(tmp_path, harm, expected):
    digests = written(tmp_path)
    harm(tmp_path)
    assert faults(tmp_path, digests) == expected


def test_a_lost_file_says_where_its_bytes_are(tmp_path):
    digests = written(tmp_path)
    (tmp_path / "README.md").rename(tmp_path / "LIESMICH")
    detail = "it was renamed to LIESMICH"
    assert file_faults(tmp_path, digests, {}, ours=frozenset()) == [Fault(Kind.RENAMED, "README.md", detail)]


@given(st.dictionaries(NAMES, st.from_regex(r"[0-9a-f]{64}", fullmatch=True)))
def test_sums_survive_being_written(digests):
    assert archive.read_sums(archive.format_sums(digests), "sums") == digests


def test_sums_are_what_sha256sum_reads(tmp_path):
    (tmp_path / archive.FILE).write_bytes(archive.format_sums(written(tmp_path)))
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", archive.FILE], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


DIGEST = "0" * 64


@pytest.mark.parametrize(
    "text",
    [
        f"{DIGEST}  ../outside\n",
        f"{DIGEST}  /etc/passwd\n",
        f"{DIGEST}  a\\b\n",
        f"{DIGEST}  C:a\n",
        f"{DIGEST}  a\n{DIGEST}  a\n",
        f"{DIGEST[:-1]}  a\n",
        f"{DIGEST} a\n",
        "\xff\n",
    ],
)
def test_sums_that_name_nothing_inside_are_refused(text):
    with pytest.raises(StoreError, match="is not a valid checksum line"):
        archive.read_sums(text.encode("latin-1"), "SHA256SUMS")


def test_the_same_files_give_the_same_archive_and_come_back(tmp_path):
    first, again = pack("v1", FILES), pack("v1", dict(reversed(FILES.items())))
    assert first == again
    (tmp_path / "v1.tar.gz").write_bytes(first)
    folder = unpack(tmp_path / "v1.tar.gz", tmp_path / "there")
    assert folder == tmp_path / "there" / "v1"
    assert files_in(folder) == FILES
    subprocess.run(["tar", "xzf", "v1.tar.gz"], cwd=tmp_path, check=True)
    assert files_in(tmp_path / "v1") == FILES  # other tools can unpack it, too


def packed(path: Path, *members: tarfile.TarInfo) -> Path:
    """An archive of a release with other members after its own file."""
    with tarfile.open(path, "w:gz") as tar:
        for member in (tarfile.TarInfo("v1/README.md"), *members):
            tar.addfile(member, io.BytesIO(b"x" * member.size))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, **given: object) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type = kind
    for key, value in given.items():
        setattr(found, key, value)
    return found


@pytest.mark.parametrize(
    ("evil", "message"),
    [
        (member("v1/../../outside"), "is not safe to unpack: .*outside"),
        (member("/tmp/outside"), "expected a single folder in it, found 2"),  # written below the folder, then refused
        (member("outside"), "expected a single folder in it, found 2"),
        (member("v1/link", tarfile.SYMTYPE, linkname="/etc/passwd"), "is not a regular file"),
        (member("v1/link", tarfile.LNKTYPE, linkname="v1/README.md"), "is not a regular file"),
        (member("v1/device", tarfile.CHRTYPE), "is not a regular file"),
        (member("v1/README.md"), "occurs twice"),
    ],
    ids=lambda value: value.name if isinstance(value, tarfile.TarInfo) else "",
)
def test_what_is_unsafe_is_not_unpacked(tmp_path, evil, message):
    path = packed(tmp_path / "v1.tar.gz", evil)
    with pytest.raises(StoreError, match=message):
        unpack(path, tmp_path / "there")
    outside = [path for path in tmp_path.iterdir() if path.name not in ("there", "v1.tar.gz")]
    assert outside == []
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


def test_bombs_do_not_go_off(tmp_path, monkeypatch):
    """Of zeros in a file, of zeros in a header, and of many files."""
    monkeypatch.setattr(archive, "FREE", 1 << 16)
    monkeypatch.setattr(archive, "MOST_FILES", 3)
    zeros = packed(tmp_path / "zeros.tar.gz", member("v1/zeros", size=64 << 20))
    header = member("v1/x", tarfile.XHDTYPE, size=64 << 20)
    with gzip.open(tmp_path / "header.tar.gz", "wb") as stream:
        stream.write(header.tobuf(tarfile.PAX_FORMAT) + b"0" * (64 << 20))
    many = packed(tmp_path / "many.tar.gz", *(member(f"v1/{number}") for number in range(4)))
    for path in (zeros, tmp_path / "header.tar.gz"):
        with pytest.raises(StoreError, match="it is far larger than a release"):
            unpack(path, tmp_path / "there")
    assert not (tmp_path / "there" / "v1" / "zeros").exists()
    with pytest.raises(StoreError, match="exceeds the maximum number of files"):
        unpack(many, tmp_path / "more")


@settings(max_examples=40)
@given(st.data())
def test_an_archive_cut_short_is_never_taken_for_whole(tmp_path_factory, data):
    whole = pack("v1", FILES)
    cut = data.draw(st.integers(0, len(whole) - 1))
    folder = tmp_path_factory.mktemp("cut")
    (folder / "v1.tar.gz").write_bytes(whole[:cut])
    with pytest.raises(StoreError, match=r"truncated or corrupt|not a release archive"):
        unpack(folder / "v1.tar.gz", folder / "there")


@settings(max_examples=60)
@given(st.data())
def test_a_flipped_bit_never_gives_other_files(tmp_path_factory, data):
    """The stream's own sum tells, or the bit stood where nothing depends on it."""
    whole = bytearray(pack("v1", FILES))
    place, bit = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 7))
    whole[place] ^= 1 << bit
    folder = tmp_path_factory.mktemp("flipped")
    (folder / "v1.tar.gz").write_bytes(whole)
    try:
        found = unpack(folder / "v1.tar.gz", folder / "there")
    except StoreError:
        return
    assert files_in(found) == FILES
