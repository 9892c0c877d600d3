"""The report: every example stands in it and comes back, and no text of the data can do anything there."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.dataset.counts import measure
from situatedgen.dataset.facts import Facts, Origin
from situatedgen.dataset.files import CONFIGURATIONS, Published
from situatedgen.dataset.html_report import embed_examples, page
from situatedgen.dataset.statistics import Basis, Validity
from situatedgen.pipeline import PIPELINE
from situatedgen.schemas import EXAMPLES
from situatedgen.vocabulary import Split
from table_support import example_row

EVIL = '</script><img src=x onerror="alert(1)"><!--<script>\u2028{{ 7 * 7 }}'
EMPTY = measure({stage.name: stage.schema.empty for stage in PIPELINE})
TEXTS = st.text(max_size=12) | st.just(EVIL)


def examples(*rows):
    """Examples of two ids, two texts, keywords with their sides, and a split."""
    return EXAMPLES.frame([example_row(*ids, split, texts=texts, words=words) for ids, texts, words, split in rows])


def told(table, record=None, statistics=EMPTY):
    """The page of some examples; of a release there is nothing but perhaps one record to show."""
    shown = () if record is None else (Published(CONFIGURATIONS[0], {Split.TRAIN: record}),)
    return page(Facts(statistics, (Origin(EVIL, EVIL, EVIL, 1),), shown), {}, table)


class Tags(HTMLParser):
    """The tags and attributes of a page, as a browser's parser takes it apart, and what scripts hold."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.scripts, self._open = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes.extend(attrs)
        self._open = tag
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        if self._open == "script":
            self.scripts[-1] += data


@pytest.mark.parametrize("place", ["statement", "keyword", "id", "record"])
def test_text_of_the_data_never_becomes_markup(place):
    row = (
        (EVIL if place == "id" else "a::1", "b::1"),
        (EVIL if place == "statement" else "Rome is old.", "Oslo is new."),
        [(EVIL if place == "keyword" else "Rome", 0), ("Oslo", 1)],
        "train",
    )
    table = examples(row)
    record = table.with_columns(statements=pl.Series([[EVIL, EVIL]])) if place == "record" else None
    found, harmless = Tags(told(table, record)), Tags(told(examples()))
    assert "img" not in found.tags
    assert found.tags.count("script") == 2
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert len(found.scripts) == len(harmless.scripts) == 2
    assert found.scripts[1] == harmless.scripts[1]


def test_nothing_is_asked_of_any_network():
    text = told(examples())
    found = Tags(text)
    outside = [value for name, value in found.attributes if name in ("src", "href", "srcset", "action", "data")]
    assert outside
    assert all(value.startswith("#") for value in outside)
    assert "@import" not in text
    assert "url(" not in text


def test_the_policy_lets_only_the_pages_own_style_and_script_work():
    def digest(text):
        return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

    text = told(examples())
    assert text == told(examples())
    policy = re.search(r'Policy" content="([^"]*)"', text)[1]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.replace("&#39;", "'").split(";"))
    style = re.search(r"<style>(.*?)</style>", text, re.S)[1]
    assert rules == {
        "default-src": "'none'",
        "style-src": f"'{digest(style)}'",
        "script-src": f"'{digest(Tags(text).scripts[1])}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


@given(
    st.lists(
        st.tuples(
            st.tuples(TEXTS, TEXTS),
            st.lists(st.tuples(TEXTS, st.integers(0, 1)), min_size=1, max_size=4),
            st.sampled_from(["train", "dev", "test"]),
        ),
        max_size=5,
    )
)
def test_every_example_comes_back(rows):
    """Statements are told by their ids, as in a dataset."""
    given_rows = [((f"a::{n}", f"b::{n}"), texts, words, split) for n, (texts, words, split) in enumerate(rows)]
    text = embed_examples(examples(*given_rows))
    assert "<" not in text
    assert unpacked(json.loads(text)) == given_rows


def unpacked(data):
    """What the script of the page makes of the data."""
    rows, at = [], 0
    for number, count in enumerate(data["counts"]):
        words = [(data["keywords"][word >> 1], word & 1) for word in data["words"][at : at + count]]
        sides = data["left"][number], data["right"][number]
        ids, texts = (tuple(data[what][side] for side in sides) for what in ("ids", "texts"))
        rows.append((ids, texts, words, data["splits"][data["split"][number]]))
        at += count
    return rows


def test_the_probability_stands_where_a_judge_was_asked():
    row = (("a::1", "b::1"), ("Rome is old.", "Oslo is new."), [("Rome", 0)], "train")
    other = (("a::2", "b::1"), ("Bern is old.", "Oslo is new."), [("Bern", 0)], "dev")
    table = examples(row, other)
    assert "probability" not in json.loads(embed_examples(table))
    judged = table.with_columns(probability=pl.Series([0.25, None], dtype=pl.Float32))
    assert json.loads(embed_examples(judged))["probability"] == [2500, None]


def test_the_share_of_valid_pairs_stands_at_the_top_with_what_it_rests_on():
    def tile(found):
        text = told(examples(), statistics=replace(EMPTY, validity=found)).partition('<section id="search"')[0]
        return re.findall(r'<dt>of the pairs are valid</dt><dd>(.*?)</dd><dd class="note">(.*?)</dd>', text)

    labelled = Validity(0.72, 0.68, 0.76, 412, Basis.HELD_BACK, {})
    assert tile(labelled) == [("72 %", "68 to 76, from 412 labelled pairs held out from the judge&#39;s training")]
    assert tile(Validity(0.72, None, None, 0, Basis.JUDGE, {})) == [("72 %", "expected by the judge")]
    assert tile(None) == []
