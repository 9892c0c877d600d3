"""`DATASHEET.md`: the questions that users of a dataset should ask, answered from the build."""

import re

from situatedgen.report.card import limits, markdown, settings_rows
from situatedgen.report.facts import PAPER, SUMMARY, Facts
from situatedgen.report.licences import hub_licences
from situatedgen.report.rows import funnel_rows, source_rows, split_rows
from situatedgen.resources import read_text


def datasheet(facts: Facts) -> str:
    """The text of the page."""
    graph = facts.statistics.graph
    parts = {
        "summary": SUMMARY,
        "paper": PAPER,
        "version": facts.version,
        "configurations": " ".join(
            f"In `{each.configuration.name}`: {each.configuration.title} ({each.rows:,} rows)."
            for each in facts.released
        ),
        "splits": markdown(split_rows(facts.statistics)),
        "funnel": markdown(funnel_rows(facts.statistics)),
        "statements": f"{graph.statements:,}",
        "communities": f"{graph.communities:,}",
        "limits": "\n".join(limits()),
        "sources": markdown(source_rows(facts.statistics)),
        "settings": markdown(settings_rows(facts)),
        "licences": f"In this build: {', '.join(hub_licences(facts.origins)) or 'none'}.",
    }
    return re.sub(r"<<(\w+)>>", lambda match: parts[match[1]], read_text("datasheet.md"))
