"""How a flow run ends that cannot go on: with an error message for a person."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar, cast

from prefect.states import Failed

from situatedgen.errors import SituatedGenError

Given = ParamSpec("Given")
Made = TypeVar("Made")

LOGS = ("prefect.flow_runs", "prefect.task_runs", "prefect.engine")
"""Where Prefect writes that a run has failed, with a stack trace."""


def user_errors(work: Callable[Given, Made]) -> Callable[Given, Made]:
    """The work of a flow, whose run fails with the message of an error of ours and without a stack trace.

    Whoever called the flow as a function still gets the error raised: Prefect raises what a failed state holds.
    """

    @wraps(work)
    def worded(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        for name in LOGS:
            logging.getLogger(name).addFilter(describe_error)
        try:
            return work(*args, **kwargs)
        except SituatedGenError as error:
            return cast("Made", Failed(message=str(error), data=error))

    return worded


def describe_error(record: logging.LogRecord) -> bool:
    """Let every line into a log; one that tells of an error of ours becomes the error's message."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, SituatedGenError):
        record.msg, record.args, record.exc_info, record.exc_text = str(error), (), None, None
    return True
