"""What a run says of what it made: an artifact found whole, made of much that was known, or made; and a dataset."""

from pathlib import Path

from prefect.client.schemas.objects import State
from prefect.states import Completed

from storage.builds import Build, Outcome


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


def done(build: Build, folder: Path) -> State[Build]:
    """The state that the run of a build ends in: what was published, and how much of it was reused."""
    return Completed(message=f"{published(build, folder)}; {counted(build)}", data=build)


def concepts_done(build: Build, folder: Path) -> State[Build]:
    """The state that the run of a build of concept sets ends in."""
    found = sum(ref.rows for ref in build.refs("concept_examples"))
    return Completed(message=f"up to {found:,} concept sets in {folder}; {counted(build)}", data=build)


def published(build: Build, folder: Path) -> str:
    """How many examples are where, in one line."""
    return f"{sum(ref.rows for ref in build.refs('examples')):,} examples in {folder}"


def counted(build: Build) -> str:
    """What was made and what was reused, in one line."""
    reused = sum(outcome.reused for outcome in build.outcomes)
    return f"{len(build.outcomes)} artifacts, {reused} reused"
