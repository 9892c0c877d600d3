"""What the runs of flows are called."""

from pathlib import Path

from prefect.runtime import flow_run

SAMPLE = "sample"


def build_name() -> str:
    """What a build makes of what, for example `data, embedded → dataset`."""
    given = flow_run.parameters
    sources = Path(given["sources"]).name if given["sources"] else SAMPLE
    return f"{sources}, {Path(given['preset']).stem} → {given['out']}"


def concepts_name() -> str:
    """What a build of concept sets makes of what, for example `captions → concept-sets`."""
    given = flow_run.parameters
    return f"{Path(given['captions']).name} → {given['out']}"
