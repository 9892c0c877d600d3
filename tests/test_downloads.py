"""Downloads that break off, stumble, and are taken up again."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from situatedgen.errors import SourceError
from situatedgen.fetching.download import Part, Version, client, download, held
from situatedgen.fetching.fetch import Options, Status, fetch, homes
from situatedgen.progress import Silent
from situatedgen.sources import sample_folder
from situatedgen.sources.registry import COLLECTIONS
from web_site import ONE, TWO, Site, files_in, home, mirrored, serving, statuses

SAMPLE = {part.file: (sample_folder() / part.file).read_bytes() for each in COLLECTIONS.values() for part in each.files}
QUICK = Options(pauses=(0.0, 0.0, 0.0))


@pytest.fixture
def site() -> Iterator[Site]:
    with serving(Site({"/creak/train.json": ONE})) as served:
        yield served


@pytest.fixture
def into(tmp_path: Path) -> Path:
    return tmp_path / "sources"


@pytest.fixture(scope="module")
def web() -> Iterator[httpx.Client]:
    with client() as opened:
        yield opened


@settings(deadline=None, max_examples=30)
@given(cuts=st.lists(st.integers(0, len(ONE)), max_size=6), ranges=st.booleans(), etags=st.booleans())
def test_a_download_cut_anywhere_ends_with_the_same_bytes(
    web: httpx.Client, cuts: list[int], ranges: bool, etags: bool
) -> None:
    site = Site({"/file": ONE}, cuts=cuts, ranges=ranges, etags=etags)
    with tempfile.TemporaryDirectory() as folder, serving(site):
        part = Part(Path(folder, "file.part"))
        while not _downloaded(site, part, web):
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
    assert stopped.problem.endswith("the 700 bytes that came are kept, run the command again to go on")
    assert (into / ".downloads/creak/train.json.part").read_bytes() == ONE[:700]
    assert statuses(fetch([home(site)], into, Options(pauses=()))) == [Status.FETCHED]
    assert site.asked == [("/creak/train.json", 200), ("/creak/train.json", 206)]
    assert files_in(into) == {"creak/train.json": ONE}


def test_a_download_whose_last_step_is_missing_is_not_made_again(site: Site, into: Path) -> None:
    part = Part(into / ".downloads/creak/train.json.part")
    part.path.parent.mkdir(parents=True)
    part.begin(home(site).address, Version(site.etag("/creak/train.json")))
    part.path.write_bytes(ONE)
    assert statuses(fetch([home(site)], into, QUICK)) == [Status.FETCHED]
    assert site.asked == [("/creak/train.json", 416)]


@pytest.mark.parametrize(
    ("etag", "held"),
    [
        ('"another"', TWO[:100]),  # the file changed in between: the server sends it whole
        (None, TWO[:100]),  # the disk lost what was written: found by the digest, then downloaded whole
        (None, TWO + TWO),  # more than there is
    ],
)
def test_parts_that_do_not_belong_together_are_never_joined(
    site: Site, into: Path, etag: str | None, held: bytes
) -> None:
    part = Part(into / ".downloads/creak/train.json.part")
    part.path.parent.mkdir(parents=True)
    part.begin(home(site).address, Version(etag or site.etag("/creak/train.json")))
    part.path.write_bytes(held)
    assert statuses(fetch([home(site)], into, QUICK)) == [Status.FETCHED]
    assert files_in(into) == {"creak/train.json": ONE}


def test_a_server_that_stumbles_is_asked_again(site: Site, into: Path) -> None:
    site.statuses = [503, 429, 500]
    assert statuses(fetch([home(site)], into, QUICK)) == [Status.FETCHED]
    assert [status for _, status in site.asked] == [503, 429, 500, 200]


@pytest.mark.parametrize(
    ("faults", "asked", "message"),
    [
        ([404], 1, "answered 404 Not Found; has the file moved\\? `--mirror URL`"),  # moved: no use to ask again
        ([403], 1, "answered 403 Forbidden"),  # not public any more
        ([503] * 9, 4, "answered 503 Service Unavailable"),  # down
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
    assert "No space left on device; what came is kept, run the command again to go on" in stopped.problem
    assert statuses(fetch([home(site)], into)) == [Status.FETCHED]
    assert [status for _, status in site.asked] == [200, 206]
    assert files_in(into) == {"creak/train.json": ONE}


def test_two_at_once_do_not_mix(site: Site, into: Path) -> None:
    with held(into / ".downloads/creak/train.json.part"):
        (other,) = fetch([home(site)], into, QUICK)
    assert other.problem == "creak: another process is downloading creak/train.json; wait for it to end"


SLOW = """
import sys, time
from pathlib import Path
from situatedgen.fetching.download import Part
from situatedgen.fetching.fetch import fetch, homes

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
        process = subprocess.Popen([sys.executable, "-c", SLOW, site.address, str(into)])
        part = into / ".downloads/creak/train.json.part"
        while not (part.exists() and part.stat().st_size > 1000):
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        fetch(homes(["creak"], site.address), into, Options(accept_changed=True))
    assert files_in(into) == {f"creak/{name}.json": SAMPLE[f"creak/{name}.json"] * 40 for name in ("train", "dev")}
    assert ("/creak/train.json", 206) in site.asked
