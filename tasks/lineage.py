"""Where a dataset came from, drawn: every stage with its rows, and whether it was made, partly made or reused."""

from collections.abc import Iterator, Sequence

from situatedgen.pipeline import PIPELINE, Stage
from situatedgen.report.card import markdown
from situatedgen.report.rows import Rows
from storage.outcomes import Build, Outcome
from tasks.showing import words

DRAWN = "```mermaid\n{}\n```\n\n{}\n"
COLOURS = {"made": "#bbdefb", "partial": "#f9e3a8", "reused": "#c8e6c9"}
GIVEN = {"precedent": "earlier dataset<br/>{:,} statements", "decisions": "what people decided<br/>{:,} decisions"}
HEADER = ("artifact", "rows", "how", "seconds", "content")


def lineage(build: Build) -> str:
    """The stages of a build as a Mermaid drawing, and below it a table of all artifacts, as Markdown."""
    rows = tuple(_row(outcome) for outcome in build.outcomes)
    return DRAWN.format("\n".join(drawing(build)), markdown(Rows("", HEADER, rows, frozenset({0, 2, 4}))))


def drawing(build: Build) -> Iterator[str]:
    """The lines of the Mermaid drawing: a node a stage, an arrow an input."""
    given = {outcome.ref.stage for outcome in build.outcomes}
    yield "flowchart TD"
    for ref in build.given:
        given.add(ref.stage)
        yield f'  {ref.stage}["{GIVEN[ref.stage].format(ref.rows)}"]'
    for each in (each for each in PIPELINE if each.name in given):
        yield _node(each, [outcome for outcome in build.outcomes if outcome.ref.stage == each.name])
        yield from (f"  {name} --> {each.name}" for name in each.inputs if name in given)
    yield from (f"  classDef {kind} fill:{colour},color:#222" for kind, colour in COLOURS.items())


def _node(each: Stage, outcomes: Sequence[Outcome]) -> str:
    rows = sum(outcome.ref.rows for outcome in outcomes)
    return f'  {each.name}["{each.name}<br/>{rows:,} rows<br/>{_how(outcomes)}"]:::{_kind(outcomes)}'


def _how(outcomes: Sequence[Outcome]) -> str:
    """How the artifacts of a stage came to be there, all together."""
    kind, computed = _kind(outcomes), sum(outcome.computed for outcome in outcomes)
    made = f"made in {sum(outcome.seconds for outcome in outcomes):.1f} s"
    return {"reused": "reused", "made": made, "partial": f"partly {made}: {computed:,} computed"}[kind]


def _kind(outcomes: Sequence[Outcome]) -> str:
    kinds = {"reused" if outcome.reused else "partial" if outcome.recalled else "made" for outcome in outcomes}
    return kinds.pop() if len(kinds) == 1 else "partial"


def _row(outcome: Outcome) -> tuple[str, ...]:
    ref = outcome.ref
    return ref.name, f"{ref.rows:,}", words(outcome), f"{outcome.seconds:.1f}", ref.digest[:12]
