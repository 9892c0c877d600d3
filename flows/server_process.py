"""Prefect's command line in a process that ends with its parent, so that a killed build leaves no server."""

import ctypes
import signal
import sys

PR_SET_PDEATHSIG = 1


def main() -> None:
    """Run Prefect's command line; on Linux the kernel ends this process when the parent is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    from prefect.cli import app  # noqa: PLC0415 (the signal must be set before this slow import)

    app()


if __name__ == "__main__":
    main()
