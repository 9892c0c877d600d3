"""Ends a failed flow run with a readable error message instead of a stack trace."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar, cast

from prefect.states import Failed

from situatedgen.errors import SituatedGenError

Given = ParamSpec("Given")
Made = TypeVar("Made")

LOGS = ("prefect.flow_runs", "prefect.task_runs", "prefect.engine")
"""The loggers to which Prefect reports a failed run, with a stack trace."""


def user_errors(work: Callable[Given, Made]) -> Callable[Given, Made]:
    """Decorate a flow so that one of our errors fails its run with a message and without a stack trace.

    Calling the flow as a function still raises the error, because Prefect raises the exception of a failed state.
    """

    @wraps(work)
    def wrapper(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        for name in LOGS:
            logging.getLogger(name).addFilter(describe_error)
        try:
            return work(*args, **kwargs)
        except SituatedGenError as error:
            return cast("Made", Failed(message=str(error), data=error))

    return wrapper


def describe_error(record: logging.LogRecord) -> bool:
    """Log filter that accepts every record, but replaces the stack trace of our own errors by their message."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, SituatedGenError):
        record.msg, record.args, record.exc_info, record.exc_text = str(error), (), None, None
    return True
