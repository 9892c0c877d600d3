"""OpenbookQA: facts of elementary science, one a line; core facts stand in quotes."""

from situatedgen.sources.collection import Collection
from situatedgen.sources.fields import as_text
from situatedgen.sources.records import text_lines
from situatedgen.sources.source import Content, Part
from situatedgen.vocabulary import ItemKind

FILES = ("Additional/crowdsourced-facts.txt", "Main/openbook.txt")


def content(value: object) -> Content:
    """The fact on a line, without the quotes around it.

    Raises:
        RecordError: there is nothing within the quotes.
    """
    line = str(value).strip()
    quoted = len(line) > 1 and line.startswith('"') and line.endswith('"')
    return Content(statement=as_text(line[1:-1] if quoted else line, "line"))


OPENBOOKQA = Collection(
    name="openbookqa",
    kind=ItemKind.CLAIM,
    licence="not stated",
    citation="Mihaylov, Clark, Khot, Sabharwal (2018): OpenBookQA. EMNLP, 2381–2391. arXiv:1809.02789",
    files=tuple(Part(file, f"openbookqa/{file}") for file in FILES),
    format=text_lines,
    understand=content,
)
