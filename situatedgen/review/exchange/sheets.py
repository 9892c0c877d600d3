"""Decisions as CSV: a row a decision, a column a question; for spreadsheets."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from situatedgen.errors import DecisionError
from situatedgen.review.criteria import CRITERIA, Mode
from situatedgen.review.decisions import Content, Decision
from situatedgen.review.exchange.arriving import Arrivals, arrivals, made_id, mode_of, person, seconds_of, time_of
from situatedgen.review.queue import Pair

NEEDED = ("annotator", "statement_1", "statement_2", "context")
COLUMNS = ("annotator", "mode", "statement_1", "statement_2", "context", *CRITERIA, "valid", "note", "seconds", "at")
HEADER = (*COLUMNS, "decision_id", "pair")
# What a spreadsheet takes for a formula when a cell begins with it.
FORMULA = tuple("=+-@\t\r")
QUOTE = "'"


def to_csv(decisions: Iterable[Decision], pairs: Iterable[Pair] = ()) -> str:
    """Decisions as CSV, and after them pairs that are still to be judged, with their answers left blank.

    Text that a spreadsheet would take for a formula gets a quote before it, which is taken off again on the way in.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, HEADER, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(_row(decision) for decision in decisions)
    writer.writerows(_blank(pair) for pair in pairs)
    return stream.getvalue()


def from_csv(text: str, *, at: str, people: Mapping[str, str]) -> Arrivals:
    """The decisions of a CSV file; `at` is their time where none is written.

    Ids, times, notes and seconds may be left out, and the mode where the answered questions tell it. Rows without
    any answer are counted and left.

    Raises:
        DecisionError: the file has no header that tells who judged which sentences.
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            raise DecisionError(f"the header lacks {', '.join(missing)}; expected {', '.join(HEADER)}")
        rows = list(_numbered(reader))
    except csv.Error as error:
        raise DecisionError(f"after line {reader.line_num}: invalid CSV: {error}") from error
    return arrivals(rows, lambda row: _decision(row, at, people))


def _numbered(reader: "csv.DictReader[str]") -> Iterator[tuple[str, dict[str, str]]]:
    """The rows with the lines that they begin on."""
    begins = reader.line_num + 1
    for row in reader:
        if None in row:
            raise DecisionError(f"line {begins}: it has more cells than the header")
        yield f"line {begins}", {name: _opened(cell or "") for name, cell in row.items()}
        begins = reader.line_num + 1


def _row(decision: Decision) -> dict[str, str]:
    first, second = decision.content.statements
    told = {
        "annotator": decision.annotator,
        "mode": decision.mode.value,
        "statement_1": first,
        "statement_2": second,
        "context": decision.content.context,
        **decision.answers,
        "valid": "yes" if decision.is_valid else "no",
        "note": decision.note,
        "seconds": repr(float(decision.seconds)),
        "at": decision.at,
        "decision_id": decision.decision_id,
        "pair": decision.pair,
    }
    return {name: _closed(cell) for name, cell in told.items()}


def _blank(pair: Pair) -> dict[str, str]:
    first, second = pair.content.statements
    told = {"statement_1": first, "statement_2": second, "context": pair.content.context, "pair": pair.key}
    return {name: _closed(cell) for name, cell in told.items()}


def _closed(cell: str) -> str:
    return QUOTE + cell if cell.lstrip(QUOTE).startswith(FORMULA) else cell


def _opened(cell: str) -> str:
    return cell[1:] if cell.startswith(QUOTE) and cell.lstrip(QUOTE).startswith(FORMULA) else cell


def _decision(row: Mapping[str, str], at: str, people: Mapping[str, str]) -> Decision | None:
    answers = {name: row[name].strip().lower() for name in CRITERIA if row.get(name, "").strip()}
    if not answers:
        return None
    mode, content = _mode(row, answers), Content((row["statement_1"], row["statement_2"]), row["context"])
    _check_pair(row, content)
    annotator = person(row["annotator"], people)
    return Decision(
        decision_id=row.get("decision_id") or made_id(annotator, mode, content, answers),
        annotator=annotator,
        mode=mode,
        content=content,
        answers=answers,
        at=time_of(row.get("at"), at),
        note=row.get("note", ""),
        seconds=seconds_of(row.get("seconds")),
    )


def _mode(row: Mapping[str, str], answers: Mapping[str, str]) -> Mode:
    written = row.get("mode", "").strip()
    if not written:
        return mode_of(answers)
    if written not in set(Mode):
        raise DecisionError(f"{written!r} is not a mode; known: {', '.join(Mode)}")
    return Mode(written)


def _check_pair(row: Mapping[str, str], content: Content) -> None:
    """A row whose sentences were edited is not about the pair that was asked."""
    written = row.get("pair", "")
    if written and written != content.key:
        raise DecisionError(f"its sentences were changed: they are no longer those of pair {written}")
