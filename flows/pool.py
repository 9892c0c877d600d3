"""The work pool on a server: made where it is missing, and rid of runs that nobody makes any more."""

import json
import time
import urllib.error
import urllib.request
from http import HTTPStatus
from typing import Any

STOPPED = "Prefect was stopped while this run was going on; `prefect flow-run retry` goes on with it"
ATTEMPTS, PAUSE = 10, 1.0
UNFINISHED = ["PENDING", "RUNNING", "CANCELLING"]


def ensure_pool(address: str, pool: str) -> None:
    """Make a work pool whose runs are processes, where there is none of that name; its worker fills in the rest."""
    try:
        post(f"{address}/work_pools/", {"name": pool, "type": "process"})
    except urllib.error.HTTPError as error:
        if error.code != HTTPStatus.CONFLICT:
            raise


def end_leftovers(address: str, pool: str) -> int:
    """How many runs of a pool were marked as crashed: those that were going on when their server was ended.

    They would look alive for ever, and keep others waiting.
    """
    asked = {
        "flow_runs": {"state": {"type": {"any_": UNFINISHED}}},
        "work_pools": {"name": {"any_": [pool]}},
    }
    runs = post(f"{address}/flow_runs/filter", asked)
    for run in runs:
        state = {"type": "CRASHED", "name": "Crashed", "message": STOPPED}
        post(f"{address}/flow_runs/{run['id']}/set_state", {"state": state, "force": True})
    return len(runs)


def post(address: str, content: dict[str, object], *, attempts: int = ATTEMPTS) -> Any:  # Any: parsed JSON
    """What a server answers to some content; one that says that it is busy, as under load, is asked again."""
    request = urllib.request.Request(
        address, data=json.dumps(content).encode("utf-8"), headers={"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code != HTTPStatus.SERVICE_UNAVAILABLE or attempts <= 1:
            raise
    time.sleep(PAUSE)
    return post(address, content, attempts=attempts - 1)
