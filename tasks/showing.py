"""What a task run says of the artifact it made: found whole, made of much that was known, or made."""

from prefect.client.schemas.objects import State
from prefect.states import Completed

from storage.outcomes import Outcome


def state_of(outcome: Outcome) -> State[Outcome]:
    """The state that a task run ends in, with its outcome: `Cached`, `PartiallyCached` or `Completed`."""
    name = "Cached" if outcome.reused else "PartiallyCached" if outcome.recalled else "Completed"
    return Completed(name=name, message=words(outcome), data=outcome)


def words(outcome: Outcome) -> str:
    """How an artifact came to be there, in a few words."""
    if outcome.reused:
        return f"{outcome.ref.rows:,} rows reused"
    if outcome.recalled:
        return f"{outcome.computed:,} of {outcome.computed + outcome.recalled:,} rows computed"
    return f"{outcome.ref.rows:,} rows made in {outcome.seconds:.1f} s"
