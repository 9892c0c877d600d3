"""The labeling configuration of Label Studio for our questions."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from situatedgen.review.criteria import Questionnaire

FIRST, SECOND, NOTE = "first", "second", "note"
STYLE = "border-left: 3px solid #8884; padding-left: 1em; margin: 1em 0"


def label_config(questions: Questionnaire) -> str:
    """The XML of a project that asks these questions: two sentences, a choice a question, and a note."""
    view = Element("View")
    SubElement(view, "Header", value=questions.title)
    SubElement(view, "Header", value=questions.goal, size="6")
    sentences = SubElement(view, "View", style=STYLE)
    for name in ("keywords", FIRST, SECOND):
        SubElement(sentences, "Text", name=name, value=f"${name}")
    for criterion in questions.criteria:
        SubElement(view, "Header", value=criterion.question, size="5")
        SubElement(view, "Header", value=criterion.help, size="6")
        choices = SubElement(view, "Choices", name=criterion.name, toName=FIRST, choice="single", required="true")
        for answer in criterion.answers:
            SubElement(choices, "Choice", value=answer.label, alias=answer.name, hotkey=answer.key)
    SubElement(view, "TextArea", name=NOTE, toName=FIRST, placeholder="Note", maxSubmissions="1", editable="true")
    indent(view)
    return tostring(view, encoding="unicode") + "\n"
