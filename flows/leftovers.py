"""Runs that were going on when their server was ended: nobody makes them any more, and they must not look alive."""

import json
import urllib.request
from typing import Any

MESSAGE = "Prefect was stopped while this run was going on; `prefect flow-run retry` goes on with it"
UNFINISHED = ["PENDING", "RUNNING", "CANCELLING"]


def end_leftovers(address: str, pool: str) -> int:
    """How many runs of a work pool were marked as crashed; whatever waited for them can go on."""
    asked = {
        "flow_runs": {"state": {"type": {"any_": UNFINISHED}}},
        "work_pools": {"name": {"any_": [pool]}},
    }
    runs = _post(f"{address}/flow_runs/filter", asked)
    for run in runs:
        state = {"type": "CRASHED", "name": "Crashed", "message": MESSAGE}
        _post(f"{address}/flow_runs/{run['id']}/set_state", {"state": state, "force": True})
    return len(runs)


def _post(address: str, content: dict[str, object]) -> Any:  # Any: parsed JSON
    request = urllib.request.Request(
        address, data=json.dumps(content).encode("utf-8"), headers={"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)
