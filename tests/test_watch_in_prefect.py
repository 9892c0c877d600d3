"""From a changed file at its home, or a new decision, to the build of it, on a Prefect server with all its services."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from prefect.client.orchestration import SyncPrefectClient

from flows.local_server import prepare_pool
from review_support import decision
from storage.decisions import Log
from web_site import Site, mirrored, serving

ROOT = Path(__file__).parent.parent
CREAK, QUESTIONS = "creak/train.json", "strategyqa/strategyqa_train.json"
CLAIM = json.dumps({"sentence": "Iceland has many tall mountains.", "label": "true"}) + "\n"


@pytest.fixture
def folder(few: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(few, tmp_path / "sources"))


@pytest.fixture
def site(few: Path) -> Iterator[Site]:
    files = {path.relative_to(few).as_posix(): path.read_bytes() for path in few.rglob("*.json")}
    with serving(Site(mirrored(files))) as served:
        yield served


def grow(site: Site, few: Path) -> None:
    """One more claim at the home of creak, one more question in the archive of strategyqa."""
    site.files[f"/{CREAK}"] += CLAIM.encode()
    asked = json.loads((few / QUESTIONS).read_bytes())
    more = json.dumps([*asked, {"question": "Is breakfast served late in Iceland?", "answer": True}])
    kept = f"strategyqa/{Path(QUESTIONS).stem}_filtered.json"
    site.files |= mirrored({QUESTIONS: more.encode(), kept: (few / kept).read_bytes()})


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

    environment = {**prefect_server, "PYTHONPATH": str(ROOT)}

    def run(*arguments: str, cwd: Path = tmp_path) -> list[Any]:
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, env=environment, cwd=cwd, capture_output=True, text=True, timeout=900, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("SAID ")]

    given = {"preset": "tiny", "store": str(tmp_path / "store"), "out": str(tmp_path / "dataset")}
    overriding = [part for name, value in given.items() for part in ("--param", f"{name}={value}")]
    prepare_pool(prefect_client)
    run("-m", "prefect", "--no-prompt", "deploy", "-n", "full", *overriding, cwd=ROOT)

    log = Log(tmp_path / "decisions")
    log.add(decision("anna", "Rome"))
    first, (same, told) = run("-c", SCRIPT, site.address, "first")
    assert first == [f"seen for the first time: {rows} rows" for rows in (24, 18, 1)]
    assert (same, told) == ([f"as before: {rows} rows" for rows in (24, 18, 1)], [])

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
    assert (tmp_path / "dataset" / "README.md").is_file()
