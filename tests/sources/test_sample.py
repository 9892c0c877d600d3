"""The sample that ships with the package: layout, counts, formats, and the English of its sentences."""

import json
import re
import unicodedata
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from situatedgen.sources.builtin import COLLECTIONS
from situatedgen.sources.params import ItemParams, SourceParams
from situatedgen.stages.items import items
from situatedgen.vocabulary import Verdict

SAMPLE = Path(str(resources.files("situatedgen"))) / "sample"
CREAK = ("creak/train.json", "creak/dev.json")
STRATEGYQA = ("strategyqa/strategyqa_train.json", "strategyqa/strategyqa_train_filtered.json")
COMMONSENSEQA = ("commonsenseqa/train_rand_split.jsonl", "commonsenseqa/dev_rand_split.jsonl")
ARC = tuple(
    f"arc/ARC-{level}/ARC-{level}-{split}.jsonl"
    for level in ("Easy", "Challenge")
    for split in ("Train", "Dev", "Test")
)
OPENBOOK, CROWDSOURCED = "openbookqa/Main/openbook.txt", "openbookqa/Additional/crowdsourced-facts.txt"
FILES = {*CREAK, *STRATEGYQA, *COMMONSENSEQA, *ARC, OPENBOOK, CROWDSOURCED, "README.md", "licence.toml"}
SENTENCE = re.compile(r"[A-Z].*[^\s.]\.")
QUESTION = re.compile(r"[A-Z].*[^\s?]\?")
FACT = re.compile(r"[A-Z].*[^\s.]")
Records = list[dict[str, Any]]  # Any: records as JSON gives them


def text(file: str) -> str:
    return (SAMPLE / file).read_bytes().decode("utf-8")


def lines(file: str) -> Records:
    return [json.loads(line) for line in text(file).splitlines()]


def facts() -> list[str]:
    return [line[1:-1] for line in text(OPENBOOK).splitlines()] + text(CROWDSOURCED).splitlines()[1:]


CLAIMS = [claim for file in CREAK for claim in lines(file)]
YES_NO = [question for file in STRATEGYQA for question in json.loads(text(file))]
CHOICE = [question for file in (*COMMONSENSEQA, *ARC) for question in lines(file)]


def asked() -> list[str]:
    stems = (question["question"]["stem"] for question in CHOICE)
    return [*(claim["sentence"] for claim in CLAIMS), *(each["question"] for each in YES_NO), *stems, *facts()]


def kept(source: str) -> Counter[str]:
    rows = items(SAMPLE, params=ItemParams(source=SourceParams(name=source)))
    return Counter(rows.filter(rows["verdict"] == Verdict.KEPT)["file"].to_list())


def test_sample_holds_exactly_its_files_and_is_small():
    found = {path.relative_to(SAMPLE).as_posix() for path in SAMPLE.rglob("*") if path.is_file()}
    assert found == FILES
    assert sum((SAMPLE / file).stat().st_size for file in FILES) < 400_000


def test_readme_counts_what_the_readers_keep_of_a_rich_sample():
    told = dict(re.findall(r"\| `(\S+)` \| \d+ \| (\d+) \|", text("README.md")))
    sizes = {source: kept(source) for source in COLLECTIONS}
    assert all(size.total() >= 90 for size in sizes.values())
    read = sum(sizes.values(), Counter())
    assert {file: int(count) for file, count in told.items()} == read
    assert re.findall(r"\| all \| \d+ \| (\d+) \|", text("README.md")) == [str(read.total())]


@pytest.mark.parametrize("file", sorted(FILES))
def test_text_is_composed_utf8_without_odd_characters(file):
    content = text(file)
    assert content == unicodedata.normalize("NFC", content)
    assert {sign for sign in content if unicodedata.category(sign) in {"Cc", "Cf", "Co", "Cn"}} <= {"\n"}
    assert "\ufffd" not in content
    assert content.endswith("\n")


def test_nothing_is_said_twice_and_spaces_are_single():
    said = Counter(re.sub(r"\W+", " ", sentence).strip().lower() for sentence in asked())
    assert [sentence for sentence, times in said.items() if times > 1] == []
    assert [sentence for sentence in asked() if "  " in sentence or sentence != sentence.strip()] == []


@pytest.mark.parametrize("file", CREAK)
def test_claims_are_sentences_about_an_entity_they_mention(file):
    split = Path(file).stem
    for index, claim in enumerate(lines(file)):
        assert list(claim) == [
            "ex_id", "sentence", "explanation", "label", "entity", "en_wiki_pageid", "entity_mention_loc",
        ]  # fmt: skip
        assert claim["ex_id"] == f"{split}_{index}"
        assert SENTENCE.fullmatch(claim["sentence"]), claim["sentence"]
        assert SENTENCE.fullmatch(claim["explanation"]), claim["explanation"]
        ((start, end),) = claim["entity_mention_loc"]
        assert claim["sentence"][start:end].lower()[:3] in claim["entity"].lower(), claim
    assert Counter(claim["label"] for claim in CLAIMS)["false"] >= 20


@pytest.mark.parametrize(
    ("file", "more"),
    [
        (STRATEGYQA[0], ["facts", "decomposition", "evidence"]),  # the train file explains its answers
        (STRATEGYQA[1], []),  # the filtered one does not
    ],
)
def test_yes_no_questions_have_the_fields_of_their_file(file, more):
    fields = ["qid", "term", "description", "question", "answer", *more]
    for question in json.loads(text(file)):
        assert list(question) == fields
        assert QUESTION.fullmatch(question["question"]), question["question"]
        assert isinstance(question["answer"], bool)
        assert all(SENTENCE.fullmatch(fact) for fact in question.get("facts", ())), question
        assert all(QUESTION.fullmatch(step) for step in question.get("decomposition", ())), question


def test_yes_no_questions_have_both_answers_and_their_own_ids():
    answers = Counter(question["answer"] for question in YES_NO)
    assert min(answers[True], answers[False]) >= 30
    assert len({question["qid"] for question in YES_NO}) == len(YES_NO)


@pytest.mark.parametrize(
    ("files", "count"),
    [
        (COMMONSENSEQA, 5),  # A to E
        (ARC, 4),  # A to D, or 1 to 4
    ],
)
def test_answer_is_one_of_the_distinct_choices(files, count):
    for question in (question for file in files for question in lines(file)):
        choices = question["question"]["choices"]
        labels = "".join(each["label"] for each in choices)
        assert labels in {"ABCDE"[:count], "12345"[:count]}
        assert question["answerKey"] in labels
        assert len({each["text"] for each in choices}) == count, choices


def test_choice_questions_have_their_own_ids_and_every_answer_key():
    assert len({question["id"] for question in CHOICE}) == len(CHOICE)
    assert {question["answerKey"] for question in CHOICE} >= set("ABCDE1234")


@pytest.mark.parametrize(("files", "open_end"), [(COMMONSENSEQA, "(?!)"), (ARC, r"[A-Z].*(\w|:|.*_____.*\.)")])
def test_stems_ask_and_those_of_arc_may_leave_the_end_open(files, open_end):
    for record in (record for file in files for record in lines(file)):
        stem = record["question"]["stem"]
        assert QUESTION.fullmatch(stem) or re.fullmatch(open_end, stem), stem


def test_core_facts_stand_in_quotes_and_crowdsourced_ones_after_a_blank_line():
    assert [line for line in text(OPENBOOK).splitlines() if not (line[0] == line[-1] == '"')] == []
    assert [fact for fact in facts() if not FACT.fullmatch(fact)] == []
    first, *rest = text(CROWDSOURCED).splitlines()
    assert (first, all(rest)) == ("", True)
