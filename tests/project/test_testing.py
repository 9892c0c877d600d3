"""The builders that tests use make tables as the schemas say, and the checks of roles find faults."""

import numpy as np
import polars as pl
import pytest

from situatedgen import schemas, testing
from situatedgen.records import Conversion, Entity, Question, Span
from situatedgen.vocabulary import Context, ItemKind, Label, Verdict

STATEMENTS = testing.statements(("s::2", "It snows in Peru."), ("s::1", "It rains in May."))


@pytest.mark.parametrize(
    ("table", "schema"),
    [
        (testing.items(("s::2", "It snows."), ("s::1", "It rains.")), schemas.ITEMS),
        (STATEMENTS, schemas.STATEMENTS),
        (testing.entities(STATEMENTS, ("s::2", "Peru", Label.GPE), ("s::1", "May", Label.DATE)), schemas.ENTITIES),
        (testing.keywords(STATEMENTS, ("s::2", "Peru", Label.GPE), ("s::1", "rains", None)), schemas.KEYWORDS),
        (testing.masks(("s::2", "It snows in [UNK].", Context.GEO)), schemas.MASKS),
        (testing.pairs(("s::2", "s::1")), schemas.PAIRS),
    ],
)
def test_tables_are_as_their_schemas_say(table, schema):
    assert schemas.check(table, schema, name="table").height == table.height > 0


def test_entities_stand_where_their_text_is():
    found = testing.entities(STATEMENTS, ("s::2", "Peru", Label.GPE))
    assert found.select("start", "end").row(0) == (12, 16)
    assert testing.masks(("s::1", "[UNK] in [UNK]", Context.TEMP)).item(0, "mask_count") == 2
    assert pl.Series(STATEMENTS["source"]).to_list() == ["s", "s"]


class Faulty:
    """A model of every text role that does something wrong: its answer depends on the batch."""

    def __init__(self, spans: tuple):
        self.spans = spans

    def tag(self, texts):
        return [self.spans for _ in texts]

    def find(self, texts):
        return [(Span(0, len(texts)),) for _ in texts]

    def encode(self, texts):
        return np.full((len(texts), 4), 0.5 * len(texts), dtype=np.float32)

    def convert(self, questions):
        return [Conversion("", "none", 2.0, Verdict.KEPT)] * (len(questions) - 1)


@pytest.mark.parametrize(
    "faults",
    [
        testing.tagger_faults(Faulty((Entity(0, 9, Label.GPE),)), ["short"]),  # beyond the text
        testing.tagger_faults(Faulty((Entity(2, 3, Label.GPE), Entity(0, 1, Label.GPE))), ["short"]),  # not sorted
        testing.tagger_faults(Faulty((Entity(0, 3, Label.GPE), Entity(2, 4, Label.GPE))), ["short"]),  # overlapping
        testing.noun_faults(Faulty(()), ["one", "two"]),  # another answer in a batch
        testing.encoder_faults(Faulty(()), ["one", "two"]),  # not of unit length, and another in a batch
        testing.converter_faults(Faulty(()), [Question("", "", ItemKind.CLAIM)] * 2),  # one too few
    ],
)
def test_faults_are_found(faults):
    assert faults
