"""Fetching the sources: what comes, what stays, what breaks off, what is unpacked, and what waits for a person."""

import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from flows.cli.app import app
from process_support import running
from situatedgen.errors import SettingsError, SourceError
from situatedgen.fetch import download as downloads
from situatedgen.fetch.download import Part, Version, client, download, lock_partial, unpack
from situatedgen.fetch.fetch import Home, Options, Status, Wanted, fetch, homes, table, takes_place
from situatedgen.progress import Silent
from situatedgen.sources import sample_folder
from situatedgen.sources.builtin import COLLECTIONS
from situatedgen.sources.registry import choose
from web_site import ONE, TWO, Site, digest, files_in, home, mirrored, serving, statuses, zipped

SAMPLE = {part.file: (sample_folder() / part.file).read_bytes() for each in COLLECTIONS.values() for part in each.files}
QUICK = Options(pauses=(0.0, 0.0, 0.0))


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site({"/creak/train.json": ONE})) as served:
        yield served


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "sources"


def test_the_table_has_a_home_for_every_file_that_is_read() -> None:
    wanted = [each.file for name in table() for entry in table()[name] for each in entry.files]
    assert sorted(wanted) == sorted(SAMPLE)
    assert sorted(table()) == list(COLLECTIONS)
    assert all(each.address.startswith("https://") for name in table() for each in table()[name])


def test_places_on_a_mirror_are_the_documented_ones() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sources.md").read_text(encoding="utf-8")
    assert [each.place for each in homes() if f"MIRROR/{each.place}\n" not in page] == []
    assert [each.address for each in homes() if each.address not in page] == []


def test_a_mirror_replaces_all_but_the_place() -> None:
    assert [each.address for each in homes(["arc", "creak"], "http://localhost:1/x/")] == [
        "http://localhost:1/x/arc/ARC-V1-Feb2018.zip",
        "http://localhost:1/x/creak/train.json",
        "http://localhost:1/x/creak/dev.json",
    ]


@pytest.mark.parametrize(
    ("names", "mirror", "message"),
    [
        (["creek"], None, "unknown source 'creek'.*did you mean 'creak'"),  # a slip of the pen
        ([], "/mnt/files", "expected an address that begins with http"),  # a folder
    ],
)
def test_what_cannot_be_fetched_is_refused_before_any_work(names: list[str], mirror: str | None, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        homes(names, mirror)


def test_what_is_fetched_is_what_build_reads(into: Path) -> None:
    with serving(Site(mirrored(SAMPLE))) as site:
        fetched = fetch(homes(mirror=site.address), into, Options(accept_changed=True, pauses=()))
    assert [each.problems for each in fetched if each.problems] == []
    assert files_in(into) == SAMPLE
    assert [params.name for params in choose((), into)] == list(COLLECTIONS)


def test_what_is_there_is_not_asked_for_again(site: Site, into: Path) -> None:
    first, again = fetch([home(site)], into, QUICK), fetch([home(site)], into, QUICK)
    forced = fetch([home(site)], into, Options(force=True))
    assert [statuses(each) for each in (first, again, forced)] == [
        [Status.FETCHED],
        [Status.THERE],
        [Status.UNCHANGED],
    ]
    assert site.asked == [("/creak/train.json", 200)] * 2
    assert files_in(into) == {"creak/train.json": ONE}


def test_offline_is_said_and_the_other_sources_come(site: Site, into: Path) -> None:
    gone = Home(source="arc", address="http://127.0.0.1:9/arc.zip", files=(Wanted(file="arc/x", sha256="0" * 64),))
    found = fetch([gone, home(site)], into, QUICK)
    assert "arc: 127.0.0.1 cannot be reached" in found[0].problem
    assert "is this machine online? `--mirror URL`" in found[0].problem
    assert files_in(into) == {"creak/train.json": ONE}


def test_a_changed_file_waits_beside_until_it_is_accepted(site: Site, into: Path) -> None:
    fetch([home(site)], into)
    site.files["/creak/train.json"] = TWO
    (refused,) = fetch([home(site)], into, Options(force=True))
    assert files_in(into) == {"creak/train.json": ONE, "creak/train.json.new": TWO}
    assert refused.problems == (
        f"creak/train.json has changed on the server: sha256 {digest(TWO)}, expected {digest(ONE)}; it was saved as"
        f" {into}/creak/train.json.new. Inspect it; `--accept-changed` accepts it",
    )
    (accepted,) = fetch([home(site)], into, Options(force=True, accept_changed=True))
    assert (accepted.problems, statuses([accepted])) == ((), [Status.REPLACED])
    assert files_in(into) == {"creak/train.json": TWO, "creak/train.json.old": ONE}
    assert statuses(fetch([home(site)], into, Options(accept_changed=True))) == [Status.OTHER]


def test_a_file_of_ones_own_is_left_until_it_is_forced(site: Site, into: Path) -> None:
    (into / "creak").mkdir(parents=True)
    (into / "creak/train.json").write_bytes(TWO)
    (left,) = fetch([home(site)], into)
    assert "exists, but is not the pinned file" in left.problems[0]
    assert (files_in(into), site.asked) == ({"creak/train.json": TWO}, [])
    assert statuses(fetch([home(site)], into, Options(force=True))) == [Status.REPLACED]
    assert files_in(into) == {"creak/train.json": ONE, "creak/train.json.old": TWO}


@given(there=st.sampled_from(["", "a", "b", "c"]), came=st.sampled_from("abc"), force=st.booleans())
def test_nothing_but_the_pinned_file_takes_a_place_unasked(there: str, came: str, force: bool) -> None:
    taken = takes_place(there, came, "a", force=force, accept_changed=False)
    assert not taken or came == "a"
    assert not taken or force or there in ("", "a")
    assert takes_place(there, came, "a", force=force, accept_changed=True)


def test_a_disk_that_fills_up_while_placing_leaves_the_file_that_was_there(
    site: Site, into: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch([home(site)], into)
    site.files["/creak/train.json"] = TWO
    with monkeypatch.context() as patched:
        patched.setattr("shutil.copy2", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left")))
        (stopped,) = fetch([home(site)], into, Options(force=True, accept_changed=True))
    assert "No space left" in stopped.problem
    assert (into / "creak/train.json").read_bytes() == ONE
    assert statuses(fetch([home(site)], into, Options(force=True, accept_changed=True))) == [Status.REPLACED]


def test_a_folder_in_the_way_is_named(site: Site, into: Path) -> None:
    (into / "creak/train.json").mkdir(parents=True)
    (stopped,) = fetch([home(site)], into)
    assert stopped.problem.startswith(f"creak: {into}/creak/train.json: Is a directory")


def test_the_command_fetches_says_what_came_and_refuses(into: Path) -> None:
    with serving(Site(mirrored(SAMPLE))) as site:
        arguments = ["fetch", "openbookqa", "--into", str(into), "--mirror", site.address]
        refused = CliRunner().invoke(app, arguments)
        accepted = CliRunner().invoke(app, [*arguments, "--accept-changed"])
    assert isinstance(refused.exception, SourceError)
    assert "openbookqa/Main/openbook.txt has changed on the server" in str(refused.exception)
    assert refused.stdout.count("missing") == 2
    assert (accepted.exit_code, accepted.stdout.count("fetched")) == (0, 2)
    assert [params.name for params in choose((), into)] == ["openbookqa"]


# Downloads that break off, stumble, and are taken up again.


@pytest.fixture(scope="module")
def web() -> Iterator[httpx.Client]:
    with client() as opened:
        yield opened


@settings(max_examples=30)
@given(cuts=st.lists(st.integers(0, len(ONE)), max_size=6), ranges=st.booleans(), etags=st.booleans())
def test_a_download_cut_anywhere_ends_with_the_same_bytes(
    web: httpx.Client, cuts: list[int], ranges: bool, etags: bool
) -> None:
    site = Site({"/file": ONE}, cuts=cuts, ranges=ranges, etags=etags)
    with tempfile.TemporaryDirectory() as folder, serving(site):
        part = Part(Path(folder, "file.part"))
        for _ in range(len(cuts) + 1):
            if _downloaded(site, part, web):
                break
            assert ONE.startswith(part.path.read_bytes())
        assert part.path.read_bytes() == ONE


def _downloaded(site: Site, part: Part, web: httpx.Client) -> bool:
    try:
        return bool(download(f"{site.address}/file", part, web=web, progress=Silent(), pauses=(0.0,)))
    except SourceError:
        return False


def test_a_cut_download_asks_only_for_the_rest(site: Site, into: Path) -> None:
    site.cuts = [700]
    (stopped,) = fetch([home(site)], into, Options(pauses=()))
    assert stopped.problem.endswith("the 700 bytes received are kept, run the command again to resume")
    assert (into / ".downloads/creak/train.json.part").read_bytes() == ONE[:700]
    assert statuses(fetch([home(site)], into, Options(pauses=()))) == [Status.FETCHED]
    assert site.asked == [("/creak/train.json", 200), ("/creak/train.json", 206)]
    assert files_in(into) == {"creak/train.json": ONE}


@pytest.mark.parametrize(
    ("etag", "held", "asked"),
    [
        (None, ONE, [416]),  # all but the last step was done: it is not downloaded again
        ('"another"', TWO[:100], [200]),  # the file changed in between: the server sends it whole
        (None, TWO[:100], [206, 200]),  # the disk lost what was written: found by the digest, then downloaded whole
        (None, TWO + TWO, [416, 200]),  # more than there is
    ],
)
def test_parts_that_do_not_belong_together_are_never_joined(
    site: Site, into: Path, etag: str | None, held: bytes, asked: list[int]
) -> None:
    part = Part(into / ".downloads/creak/train.json.part")
    part.path.parent.mkdir(parents=True)
    part.begin(home(site).address, Version(etag or site.etag("/creak/train.json")))
    part.path.write_bytes(held)
    assert statuses(fetch([home(site)], into, QUICK)) == [Status.FETCHED]
    assert files_in(into) == {"creak/train.json": ONE}
    assert [status for _, status in site.asked] == asked


def test_a_server_that_stumbles_is_asked_again(site: Site, into: Path) -> None:
    site.statuses = [503, 429, 500]
    assert statuses(fetch([home(site)], into, QUICK)) == [Status.FETCHED]
    assert [status for _, status in site.asked] == [503, 429, 500, 200]


@pytest.mark.parametrize(
    ("faults", "asked", "message"),
    [
        ([404], 1, "returned 404 Not Found; has the file moved\\? `--mirror URL`"),  # moved: no use to ask again
        ([503] * 9, 4, "returned 503 Service Unavailable"),  # down
    ],
)
def test_a_server_that_refuses_is_named(site: Site, into: Path, faults: list[int], asked: int, message: str) -> None:
    site.statuses = faults
    (fetched,) = fetch([home(site)], into, QUICK)
    with pytest.raises(SourceError, match=message):
        raise SourceError(*fetched.problems)
    assert len(site.asked) == asked
    assert files_in(into) == {}


def test_what_has_not_changed_is_not_sent(site: Site, into: Path) -> None:
    (first,) = fetch([home(site)], into)
    known = {first.home.address: first.version or Version()}
    (same,) = fetch([home(site)], into, Options(refresh=True), known=known)
    assert (statuses([same]), same.version) == ([Status.UNCHANGED], first.version)
    (into / "creak/train.json").unlink()
    assert statuses(fetch([home(site)], into, Options(refresh=True), known=known)) == [Status.FETCHED]
    assert [status for _, status in site.asked] == [200, 304, 200]


def test_a_full_disk_loses_nothing(site: Site, into: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(part: Part, chunks: Iterator[bytes]) -> Iterator[int]:
        part.path.write_bytes(next(iter(chunks))[:300])
        yield 300
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(Part, "extend", full)
        (stopped,) = fetch([home(site)], into)
    assert "No space left on device; what was received is kept, run the command again to resume" in stopped.problem
    assert statuses(fetch([home(site)], into)) == [Status.FETCHED]
    assert [status for _, status in site.asked] == [200, 206]
    assert files_in(into) == {"creak/train.json": ONE}


def test_two_at_once_do_not_mix(site: Site, into: Path) -> None:
    with lock_partial(into / ".downloads/creak/train.json.part"):
        (other,) = fetch([home(site)], into, QUICK)
    assert other.problem == "creak: another process is downloading creak/train.json; wait for it to end"


SLOW = """
import sys, time
from pathlib import Path
from situatedgen.fetch.download import Part
from situatedgen.fetch.fetch import fetch, homes

def slowly(self, chunks):
    for chunk in chunks:
        for start in range(0, len(chunk), 100):
            with self.path.open("ab") as stream:
                stream.write(chunk[start:start + 100])
            time.sleep(0.01)
            yield 100

Part.extend = slowly
fetch(homes(["creak"], sys.argv[1]), Path(sys.argv[2]))
"""


@pytest.mark.slow
def test_a_fetch_that_was_killed_goes_on_where_it_was(into: Path) -> None:
    with serving(Site(mirrored({name: data * 40 for name, data in SAMPLE.items()}))) as site:
        part = into / ".downloads/creak/train.json.part"
        with running(SLOW, site.address, into) as script:
            script.wait_until(lambda: part.exists() and part.stat().st_size > 1000)
        fetch(homes(["creak"], site.address), into, Options(accept_changed=True))
    assert files_in(into) == {f"creak/{name}.json": SAMPLE[f"creak/{name}.json"] * 40 for name in ("train", "dev")}
    assert ("/creak/train.json", 206) in site.asked


# Files out of archives that nobody has checked.


def archive(site: Site, **members: bytes) -> Home:
    files = tuple(Wanted(file=f"creak/{name}", member=name, sha256=digest(data)) for name, data in members.items())
    return Home(source="creak", address=f"{site.address}/all.zip", files=files)


def altered(data: bytes, position: int, bit: int) -> bytes:
    return data[:position] + bytes([data[position] ^ 1 << bit]) + data[position + 1 :]


def test_only_the_files_that_are_read_are_unpacked(site: Site, into: Path) -> None:
    """One of them has changed, and waits beside."""
    site.files["/all.zip"] = zipped({"Pack/a": ONE, "Pack/b": ONE, "Pack/c": ONE, "__MACOSX/Pack/._a": b"x"})
    assert statuses(fetch([archive(site, a=ONE, b=TWO)], into)) == [Status.FETCHED, Status.ASIDE]
    assert files_in(into) == {"creak/a": ONE, "creak/b.new": ONE}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped({"a": ONE, "../b": ONE}), "unsafe path '../b'"),
        (zipped({"a": ONE, "/etc/b": ONE}), "unsafe path '/etc/b'"),
        (zipped({"a": ONE, "C:b": ONE}), "unsafe path 'C:b'"),
        (zipped({"b": ONE}), "expected one file a in the archive, found none"),
        (zipped({"x/a": ONE, "y/a": ONE}), "expected one file a in the archive, found x/a, y/a"),
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
        unpack(tmp_path / "all.zip", "a", tmp_path / "a")
    (tmp_path / "all.zip").write_bytes(zipped({"a": ONE}))
    monkeypatch.setattr(downloads, "LARGEST", 100)
    with pytest.raises(SourceError, match="a unpacks to 2,000 bytes"):
        unpack(tmp_path / "all.zip", "a", tmp_path / "a")


@given(position=st.integers(0, len(zipped({"a": ONE})) - 1), bit=st.integers(0, 7))
def test_an_altered_archive_gives_the_file_or_an_error(position: int, bit: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "all.zip")
        path.write_bytes(altered(zipped({"a": ONE}), position, bit))
        try:
            unpack(path, "a", Path(folder, "a"))
        except SourceError:
            return
        assert Path(folder, "a").read_bytes() == ONE
