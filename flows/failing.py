"""How a run ends that cannot go on: with words for a person."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar, cast

from prefect.states import Failed

from situatedgen.errors import SituatedGenError

Given = ParamSpec("Given")
Made = TypeVar("Made")


def failing_in_words(work: Callable[Given, Made]) -> Callable[Given, Made]:
    """The work of a flow, whose run fails with the message of an error of ours and without a stack trace.

    Whoever called the flow as a function still gets the error raised: Prefect raises what a failed state holds.
    """

    @wraps(work)
    def worded(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        try:
            return work(*args, **kwargs)
        except SituatedGenError as error:
            return cast("Made", Failed(message=str(error), data=error))

    return worded
