"""Documentation that is generated from the code, and the script that inserts it into the pages."""

from pathlib import Path

from situatedgen.pipeline import PIPELINE
from situatedgen.stages.stage import Stage
from situatedgen.vocabulary import Verdict

PAGES = ("README.md",)


def stage_table() -> str:
    """The stages as a Markdown table."""
    rows = (_stage_row(stage) for stage in PIPELINE)
    return "\n".join(["| stage | what it does | inputs | models |", "|---|---|---|---|", *rows])


def verdict_list() -> str:
    """Every verdict that excludes a row, as a comma-separated list."""
    return ", ".join(f"`{verdict.value}`" for verdict in Verdict if verdict is not Verdict.KEPT)


GENERATED = {"stages": stage_table, "verdicts": verdict_list}


def renew(page: str) -> str:
    """Regenerate the text between each pair of `<!-- name -->` and `<!-- /name -->` in a page."""
    for name, make in GENERATED.items():
        page = _replace_part(page, f"<!-- {name} -->", f"<!-- /{name} -->", f"\n{make()}\n")
    return page


def _replace_part(page: str, start: str, end: str, text: str) -> str:
    head, found, rest = page.partition(start)
    return f"{head}{start}{text}{end}{rest.partition(end)[2]}" if found else page


def main() -> None:
    """Regenerate the pages in the working directory."""
    for page in map(Path, PAGES):
        page.write_text(renew(page.read_text(encoding="utf-8")), encoding="utf-8")


def _stage_row(stage: Stage) -> str:
    origin = ", ".join(stage.inputs) or "source files"
    return f"| {stage.name} | {stage.meaning} | {origin} | {', '.join(stage.models)} |"


if __name__ == "__main__":
    main()
