"""What the runs of flows are called."""

from pathlib import Path

from prefect.runtime import flow_run

SAMPLE = "sample"


def build_name() -> str:
    """What a build makes of what, for example `data, embedded → dataset`."""
    given = flow_run.parameters
    sources = Path(given["sources"]).name if given["sources"] else SAMPLE
    return f"{sources}, {Path(given['preset']).stem} → {given['out']}"
