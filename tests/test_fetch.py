"""Fetching the sources: what comes, what stays, and what waits for a person."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from flows.cli.app import app
from situatedgen.errors import SettingsError, SourceError
from situatedgen.fetching.fetch import Home, Options, Status, Wanted, fetch, homes, table, takes_place
from situatedgen.sources import sample_folder
from situatedgen.sources.names import BUILT_IN
from situatedgen.sources.registry import COLLECTIONS, choose
from web_site import ONE, TWO, Site, digest, files_in, home, mirrored, serving, statuses

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
    assert tuple(sorted(table())) == BUILT_IN
    assert all(each.address.startswith("https://") for name in table() for each in table()[name])


def test_places_on_a_mirror_are_the_documented_ones() -> None:
    page = (Path(__file__).parent.parent / "docs" / "sources.md").read_text(encoding="utf-8")
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
        ([], "ftp://example.org", "expected an address that begins with http"),  # what nobody serves any more
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
    assert [params.name for params in choose((), into)] == list(BUILT_IN)


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
        f"creak/train.json has changed where it lives: sha256 {digest(TWO)}, expected {digest(ONE)}; it is kept as"
        f" {into}/creak/train.json.new. Look at it; `--accept-changed` takes it",
    )
    (accepted,) = fetch([home(site)], into, Options(force=True, accept_changed=True))
    assert (accepted.problems, statuses([accepted])) == ((), [Status.REPLACED])
    assert files_in(into) == {"creak/train.json": TWO, "creak/train.json.old": ONE}
    assert statuses(fetch([home(site)], into, Options(accept_changed=True))) == [Status.OTHER]


def test_a_file_of_ones_own_is_left_until_it_is_forced(site: Site, into: Path) -> None:
    (into / "creak").mkdir(parents=True)
    (into / "creak/train.json").write_bytes(TWO)
    (left,) = fetch([home(site)], into)
    assert "is there, but is not the pinned file" in left.problems[0]
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
    assert "openbookqa/Main/openbook.txt has changed where it lives" in str(refused.exception)
    assert refused.stdout.count("missing") == 2
    assert (accepted.exit_code, accepted.stdout.count("fetched")) == (0, 2)
    assert [params.name for params in choose((), into)] == ["openbookqa"]
