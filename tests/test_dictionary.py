"""The dictionary read line by line: it says what lemminflect itself says of every word."""

import gzip
from importlib import import_module

import pytest

from situatedgen.rules import dictionary
from situatedgen.rules.dictionary import Lines, inflections, lemmas


@pytest.mark.slow
def test_every_word_has_the_lemmas_that_lemminflect_reads():
    found = dictionary._lemmatizer()
    whole = import_module("lemminflect.codecs.LemmaLUCodec").LemmaLUCodec.load(found.lemma_lu_fn)
    assert len(whole) > 50_000
    assert {word: found.lemma_dict.get(word, {}) for word in whole} == whole


@pytest.mark.slow
def test_every_word_has_the_forms_that_lemminflect_reads():
    found = dictionary._inflections()
    whole = import_module("lemminflect.codecs.InflectionLUCodec").InflectionLUCodec.load(found.infl_lu_fn)
    assert len(whole) > 30_000
    assert {word: found.infl_dict.get(word, {}) for word in whole} == whole


@pytest.mark.slow
def test_words_and_their_forms():
    assert lemmas("leaves") == {"NOUN": ("leave", "leaf"), "VERB": ("leave",)}
    assert lemmas("zzyzx") == {}
    assert inflections("be", "VBD") == ("was", "were")
    assert inflections("breed", "VBN") == ("bred",)


def test_later_lines_of_a_word_add_to_earlier_ones(tmp_path):
    path = tmp_path / "table.csv.gz"
    path.write_bytes(gzip.compress(b"a,x,1\nb,x,2\na,y,3\n"))
    read = []

    def parts(line):
        read.append(line)
        _, name, form = line.split(",")
        return {name: (form,)}

    table = Lines(str(path), parts, {"b": {"z": ("9",)}})
    assert table.get("a", {}) == {"x": ("1",), "y": ("3",)}
    assert table.get("a", {}) == {"x": ("1",), "y": ("3",)}
    assert table.get("b", {}) == {"z": ("9",)}
    assert table.get("c", {"none": ()}) == {"none": ()}
    assert read == ["a,x,1", "a,y,3"]
