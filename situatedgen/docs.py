"""The parts of the documentation that are made from the code, and how they get into the pages."""

from pathlib import Path

from situatedgen.pipeline import PIPELINE
from situatedgen.stages.stage import Stage
from situatedgen.vocabulary import Verdict

PAGES = ("README.md",)


def stage_table() -> str:
    """The stages as a Markdown table."""
    rows = (_stage_row(stage) for stage in PIPELINE)
    return "\n".join(["| stage | makes | from | models |", "|---|---|---|---|", *rows])


def verdict_list() -> str:
    """Every reason for which a row can be out, as words."""
    return ", ".join(f"`{verdict.value}`" for verdict in Verdict if verdict is not Verdict.KEPT)


GENERATED = {"stages": stage_table, "verdicts": verdict_list}


def renew(page: str) -> str:
    """A page with the text between each pair of `<!-- name -->` and `<!-- /name -->` made anew."""
    for name, make in GENERATED.items():
        page = _with_part(page, f"<!-- {name} -->", f"<!-- /{name} -->", f"\n{make()}\n")
    return page


def _with_part(page: str, start: str, end: str, text: str) -> str:
    head, found, rest = page.partition(start)
    return f"{head}{start}{text}{end}{rest.partition(end)[2]}" if found else page


def main() -> None:
    """Renew the pages in the working folder."""
    for page in map(Path, PAGES):
        page.write_text(renew(page.read_text(encoding="utf-8")), encoding="utf-8")


def _stage_row(stage: Stage) -> str:
    origin = ", ".join(stage.inputs) or "source files"
    return f"| {stage.name} | {stage.meaning} | {origin} | {', '.join(stage.models)} |"


if __name__ == "__main__":
    main()
