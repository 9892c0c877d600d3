"""The task for EleutherAI's lm-evaluation-harness that goes with every dataset folder."""

from importlib.resources import files

FOLDER = "lm_eval"
FILES = ("situatedgen.yaml", "utils.py")


def harness() -> dict[str, bytes]:
    """The files of the task by their path in a dataset folder; it finds its data beside itself."""
    kept = files("situatedgen.resources").joinpath(FOLDER)
    return {f"{FOLDER}/{name}": kept.joinpath(name).read_bytes() for name in FILES}
