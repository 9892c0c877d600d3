"""Sources that update: what is seen, what is said of it, what a build then computes, and the run on a server."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prefect.client.orchestration import SyncPrefectClient

from flows.local_server import prepare_pool
from process_support import run_python
from review_support import decision
from situatedgen.errors import SituatedGenError, SourceError
from situatedgen.sources import source
from situatedgen.sources.params import SourceParams
from storage import watch
from storage.annotation.log import Log
from storage.builds import Build
from storage.maintenance.gc import plan_collection
from storage.maintenance.inventory import inventory
from storage.maintenance.verify import verify
from storage.store import Store
from storage.watch import SourceCheck, Upstream
from store_support import built
from tasks import watch as tasks
from web_site import Site, mirrored, serving

CREAK, QUESTIONS = "creak/train.json", "strategyqa/strategyqa_train.json"
CLAIM = json.dumps({"sentence": "Iceland has many tall mountains.", "label": "true"}) + "\n"
ZIP = "/strategyqa/strategyqa_dataset.zip"
NAMES = ["creak", "strategyqa"]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


@pytest.fixture
def folder(few: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(few, tmp_path / "sources"))


@pytest.fixture
def site(few: Path) -> Iterator[Site]:
    files = {path.relative_to(few).as_posix(): path.read_bytes() for path in few.rglob("*.json")}
    with serving(Site(mirrored(files))) as served:
        yield served


def looked(store: Store, folder: Path) -> dict[str, SourceCheck]:
    """A look at every source, written down."""
    looks = [watch.check_source(source, folder, store) for source in watch.watched_sources((), folder)]
    for each in looks:
        watch.record(store, each.now)
    return {each.now.source: each for each in looks}


def refreshed(store: Store, folder: Path, site: Site, upstream: Upstream = "accept") -> list[str]:
    """The problems of bringing a folder up to date with a site."""
    found = watch.refresh(NAMES, folder, store, upstream=upstream, mirror=site.address, pauses=())
    return [problem for each in found for problem in each.problems]


def changed(looks: dict[str, SourceCheck]) -> list[str]:
    return [name for name, each in looks.items() if each.changed]


def append_claim(folder: Path) -> None:
    with (folder / CREAK).open("a") as stream:
        stream.write(CLAIM)


def test_a_change_is_told_once_with_digests_rows_and_files(store: Store, folder: Path) -> None:
    """Time and name of a file are no content."""
    first = looked(store, folder)
    for path in folder.rglob("*.json"):
        path.write_bytes(path.read_bytes())
        os.utime(path, (1, 1))
    (folder / "creak" / "train.json.old").write_bytes(b"not read")
    second, before = looked(store, folder), first["creak"].now
    assert (changed(first), changed(second)) == ([], [])
    assert [each.words for each in first.values()] == [f"first check: {rows} rows" for rows in (24, 18)]
    assert [each.words for each in second.values()] == ["unchanged: 24 rows", "unchanged: 18 rows"]
    append_claim(folder)
    looks = looked(store, folder)
    assert changed(looks) == ["creak"]
    assert looks["creak"].payload() == {
        "source": "creak",
        "folder": str(folder),
        "old_digest": before.digest,
        "new_digest": looks["creak"].now.digest,
        "old_rows": 24,
        "new_rows": 25,
        "files": [CREAK],
    }
    assert changed(looked(store, folder)) == []


def test_two_folders_are_watched_apart(store: Store, folder: Path) -> None:
    other = Path(shutil.copytree(folder, folder.parent / "other"))
    append_claim(other)
    assert [changed(looked(store, each)) for each in (folder, other, folder, other)] == [[], [], [], []]


@settings(max_examples=20)
@given(edits=st.lists(st.sampled_from(["", CLAIM, CLAIM * 2]), min_size=1, max_size=5))
def test_every_look_tells_of_exactly_the_changes_since_the_last(edits: list[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        store, folder = Store(Path(place, "store")), Path(place, "sources")
        (folder / "creak").mkdir(parents=True)
        (folder / "creak/dev.json").write_text(CLAIM)
        seen = []
        for text in edits:
            (folder / CREAK).write_text(CLAIM + text)
            seen.append(bool(changed(looked(store, folder))))
        assert seen == [False, *(one != other for one, other in pairwise(edits))]


def test_a_source_that_cannot_be_read_is_not_recorded(store: Store, folder: Path) -> None:
    before = looked(store, folder)["strategyqa"].now
    whole = (folder / QUESTIONS).read_bytes()
    (folder / QUESTIONS).write_bytes(b"")
    with pytest.raises(SourceError):
        looked(store, folder)
    assert watch.last_snapshot(store, folder, "strategyqa") == before
    (folder / QUESTIONS).write_bytes(whole)
    assert changed(looked(store, folder)) == []


def test_a_file_that_grows_while_it_is_read_is_left_for_later(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def growing(*arguments: object) -> object:
        append_claim(folder)
        return source.read(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(watch, "read", growing)
    with pytest.raises(SourceError, match="'creak' changed while it was read; check again"):
        watch.check_source(SourceParams(name="creak"), folder, store)


def test_a_lost_or_altered_record_makes_a_first_look(store: Store, folder: Path) -> None:
    looked(store, folder)
    for path in (store.root / "seen").rglob("creak.json"):
        path.write_text(path.read_text().replace("24", "25"))
    assert watch.last_snapshot(store, folder, "creak") is None
    assert [problem.place.rpartition("/")[2] for problem in verify(store)] == ["creak.json"]
    assert changed(looked(store, folder)) == []


def test_what_was_seen_is_known_to_the_store_and_never_collected(store: Store, folder: Path, site: Site) -> None:
    refreshed(store, folder, site)
    looked(store, folder)
    assert inventory(store).unknown == ()
    assert (plan_collection(store, keep=0).files, verify(store)) == ((), [])


def test_there_may_be_no_folder_yet(tmp_path: Path) -> None:
    assert watch.watched_sources((), tmp_path / "none") == ()
    assert watch.missing_folder([], tmp_path / "none") == [
        f"there is no folder {tmp_path / 'none'} yet; `situatedgen fetch` creates one"
    ]
    with pytest.raises(SourceError, match="expected a folder of sources"):
        watch.watched_sources([SourceParams(name="creak")], tmp_path / "none")


@pytest.mark.parametrize(
    ("named", "there", "asked"),
    [
        ([], [], ["arc", "commonsenseqa", "creak", "openbookqa", "strategyqa"]),  # nothing yet: all
        ([], ["creak/dev.json"], ["creak"]),  # a folder with one source stays one with one source
        ([SourceParams(name="arc")], ["creak/dev.json"], ["arc"]),  # what is named comes
        ([SourceParams(name="own", files=("own.txt",), kind="claim", statement="text")], [], []),  # has no home
    ],
)
def test_the_homes_that_are_asked(
    named: list[SourceParams], there: list[str], asked: list[str], tmp_path: Path
) -> None:
    for name in there:
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(CLAIM)
    assert watch.fetchable_sources(named, tmp_path) == asked


def test_homes_are_asked_on_condition(store: Store, site: Site, tmp_path: Path) -> None:
    folder = tmp_path / "fetched"
    assert refreshed(store, folder, site) == []
    site.asked.clear()
    assert refreshed(store, folder, site) == []
    assert site.asked == [("/creak/train.json", 304), ("/creak/dev.json", 304), (ZIP, 304)]
    site.heeds_conditions = False
    looked(store, folder)
    assert refreshed(store, folder, site) == []
    assert changed(looked(store, folder)) == []


def test_a_change_at_home_waits_for_a_person_or_is_taken(store: Store, folder: Path, site: Site) -> None:
    refreshed(store, folder, site)
    looked(store, folder)
    before = (folder / CREAK).read_bytes()
    site.files[f"/{CREAK}"] += CLAIM.encode()
    assert len(refreshed(store, folder, site, "report")) == 1
    site.asked.clear()
    found = watch.refresh(NAMES, folder, store, upstream="report", mirror=site.address)
    assert {status for _, status in site.asked} == {304}
    assert watch.pending_reviews(found, folder) == [
        f"{folder / CREAK}.new awaits review: the upstream file has changed and differs from the current one;"
        " compare them, then accept the change or delete the new file"
    ]
    assert changed(looked(store, folder)) == []
    assert refreshed(store, folder, site, "accept") == []
    assert changed(looked(store, folder)) == ["creak"]
    assert (folder / f"{CREAK}.old").read_bytes() == before
    assert watch.refresh(NAMES, folder, store, upstream="ignore") == []


def work(finished: Build) -> dict[str, tuple[int, int]]:
    """What was computed and what was remembered, of the artifacts that were made."""
    made = [outcome for outcome in finished.outcomes if not outcome.reused]
    return {outcome.ref.name: (outcome.computed, outcome.recalled) for outcome in made}


def grow(site: Site, few: Path) -> None:
    """One more claim at the home of creak, one more question in the archive of strategyqa."""
    site.files[f"/{CREAK}"] += CLAIM.encode()
    asked = json.loads((few / QUESTIONS).read_bytes())
    more = json.dumps([*asked, {"question": "Is breakfast served late in Iceland?", "answer": True}])
    kept = f"strategyqa/{Path(QUESTIONS).stem}_filtered.json"
    site.files |= mirrored({QUESTIONS: more.encode(), kept: (few / kept).read_bytes()})


def test_only_the_changed_rows_of_sources_that_changed_at_home_are_computed(
    store: Store, few: Path, folder: Path, site: Site
) -> None:
    """The two new statements have the masked text of others, which is known: nothing is encoded."""
    refreshed(store, folder, site)
    looked(store, folder)
    cold = work(built(store, folder))
    grow(site, few)
    assert refreshed(store, folder, site) == []
    assert changed(looked(store, folder)) == ["creak", "strategyqa"]
    warm = work(built(store, folder))
    asking = ("statements/creak", "statements/strategyqa", "entities", "keywords", "embeddings")
    assert [cold[name] for name in asking] == [(0, 0), (16, 0), (40, 0), (40, 0), (7, 0)]
    assert [warm[name] for name in asking] == [(0, 0), (1, 16), (2, 40), (2, 40), (0, 7)]
    assert work(built(store, folder)) == {}


def test_decisions_are_watched_as_a_build_takes_them_in(store: Store, tmp_path: Path) -> None:
    log = Log(tmp_path / "decisions")
    log.add(decision("anna", "Rome", token="token-001"))

    def look() -> watch.SourceCheck:
        found = watch.check_decisions(log.folder, store)
        watch.record(store, found.now)
        return found

    assert [look().words, look().words] == ["first check: 1 rows", "unchanged: 1 rows"]
    log.add(decision("anna", "Rome", token="token-002", note="on second thoughts", seconds=99))
    assert not look().changed
    log.add(decision("anna", "Oslo", "sound"))
    assert look().words == "changed: 1 → 2 rows (decisions)"


def test_every_event_names_both_folders(
    store: Store, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(tasks, "emit_event", lambda **event: told.append(event) or event)
    monkeypatch.setattr(tasks.EventsWorker, "instance", lambda: SimpleNamespace(wait_until_empty=lambda: None))
    log = Log(tmp_path / "decisions")
    for name in ("Rome", "Oslo"):
        log.add(decision("anna", name))
        tasks.check_source.fn(SourceParams(name="creak"), folder, store=store, decisions=log.folder)
        tasks.check_decisions.fn(log.folder, store=store, sources=folder)
        append_claim(folder)
    named = [{name: each["payload"].get(name) for name in ("folder", "sources", "decisions")} for each in told]
    assert [each["event"] for each in told] == ["situatedgen.source.updated", "situatedgen.decisions.updated"]
    assert named == [
        {"folder": str(folder), "sources": None, "decisions": str(log.folder)},
        {"folder": str(log.folder), "sources": str(folder), "decisions": None},
    ]


def test_a_change_that_nobody_could_be_told_of_is_told_the_next_time(
    store: Store, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = looked(store, folder)["creak"].now
    append_claim(folder)
    monkeypatch.setattr(tasks, "emit_event", lambda **_: None)
    with pytest.raises(SituatedGenError, match="'creak' has changed, but no Prefect server accepts the event"):
        tasks.check_source.fn(SourceParams(name="creak"), folder, store=store)
    assert watch.last_snapshot(store, folder, "creak") == before


SCRIPT = """
import json, sys, time
from pathlib import Path
from prefect.client.orchestration import get_client
from prefect.events.filters import EventFilter, EventNameFilter, EventOccurredFilter
from flows.build_dataset import build_dataset
from flows.watch_sources import watch_sources
from storage.builds import latest
from storage.store import Store

mirror, command = sys.argv[1:]
ours = {"preset": "tiny", "store": Path("store")}


def say(value):
    print("SAID", json.dumps(value), flush=True)


def watch():
    given = {"sources": Path("sources"), "decisions": Path("decisions")}
    looks = watch_sources(upstream="accept", mirror=mirror, **given, **ours)
    return [look.words for look in looks]


def events(client):
    chosen = EventFilter(event=EventNameFilter(prefix=["situatedgen."]))
    found = client.request("POST", "/events/filter", json={"filter": chosen.model_dump(mode="json")}).json()["events"]
    ours = [each for each in found if Path(each["payload"]["folder"]).parent == Path.cwd()]
    return [[each["resource"]["prefect.resource.id"], each["payload"]] for each in ours]


with get_client(sync_client=True) as client:
    if command == "first":
        say(watch())
        build_dataset(sources=Path("sources"), out=Path("dataset"), **ours)
        say([watch(), events(client)])
    if command == "again":
        say(watch())
        deadline, runs, store = time.monotonic() + 600, [], str(Path("store").resolve())
        while time.monotonic() < deadline and len(runs) < 3:
            time.sleep(0.5)
            runs = [run for run in client.read_flow_runs() if run.parameters.get("store") == store]
        say([sorted(events(client)), [[str(run.id), run.parameters] for run in runs]])
    if command == "built":
        made = [each for each in latest(Store(Path("store").resolve())).outcomes if not each.reused]
        say({each.ref.name: [each.computed, each.recalled] for each in made})
"""


@pytest.mark.prefect
@pytest.mark.slow
def test_a_change_starts_a_build_of_what_changed(
    prefect_server: dict[str, str],
    prefect_client: SyncPrefectClient,
    few: Path,
    folder: Path,
    site: Site,
    tmp_path: Path,
) -> None:
    """From the home of a source to the dataset: file, fetch, event, trigger, run, build of the new rows."""

    def run(*arguments: str, cwd: Path = tmp_path) -> list[Any]:
        done = run_python(*arguments, cwd=cwd, env=prefect_server)
        return [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("SAID ")]

    given = {"preset": "tiny", "store": str(tmp_path / "store"), "out": str(tmp_path / "dataset")}
    overriding = [part for name, value in given.items() for part in ("--param", f"{name}={value}")]
    prepare_pool(prefect_client)
    run("-m", "prefect", "--no-prompt", "deploy", "-n", "full", *overriding, cwd=ROOT)

    log = Log(tmp_path / "decisions")
    log.add(decision("anna", "Rome"))
    first, (same, told) = run("-c", SCRIPT, site.address, "first")
    assert first == [f"first check: {rows} rows" for rows in (24, 18, 1)]
    assert (same, told) == ([f"unchanged: {rows} rows" for rows in (24, 18, 1)], [])

    grow(site, few)
    log.add(decision("ben", "Rome"))
    seen, (events, runs) = run("-c", SCRIPT, site.address, "again")
    assert seen == [
        "changed: 24 → 25 rows (creak/train.json)",
        "changed: 18 → 19 rows (strategyqa/strategyqa_train.json)",
        "changed: 1 → 2 rows (decisions)",
    ]
    assert [(name, each["source"], each["old_rows"], each["new_rows"]) for name, each in events] == [
        ("situatedgen.decisions", "decisions", 1, 2),
        ("situatedgen.source.creak", "creak", 24, 25),
        ("situatedgen.source.strategyqa", "strategyqa", 18, 19),
    ]
    wanted = {**given, "sources": str(folder), "decisions": str(log.folder)}
    assert [{name: parameters[name] for name in wanted} for _, parameters in runs] == [wanted] * 3

    run("-m", "prefect", "flow-run", "execute", runs[0][0])
    (made,) = run("-c", SCRIPT, site.address, "built")
    assert [made[name] for name in ("statements/strategyqa", "entities", "embeddings")] == [[1, 16], [2, 40], [0, 7]]
    told = json.loads((tmp_path / "dataset" / "stats.json").read_text("utf-8"))["stability"]
    assert (told["kept"] + told["gone"], told["moved"]) == (told["statements"], [])
