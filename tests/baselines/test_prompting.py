"""A prompted model: the prompt, a server that speaks the protocol and misbehaves, and runs that are cut short."""

import importlib
import json
import os
import re
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chat_server import Reply, Server, said, serving, trouble
from flows.cli.app import app
from process_support import COMMAND_LINE, running
from situatedgen.baselines.prompting import (
    INSTRUCTION,
    Order,
    demonstrations,
    prompt,
    prompts,
    read_sentences,
    sentences,
    texts,
)
from situatedgen.baselines.simple import Case, Lesson, cases, lessons
from situatedgen.chat.client import Endpoint, Manner, answers
from situatedgen.chat.costs import Answer, Memory, Outcome, Prices, Spent, spent
from situatedgen.dataset.folder import read_examples
from situatedgen.errors import ModelError, SettingsError, StoreError

KEY = "sk-secret-of-mine"
PROMPTS = {str(number): f"Keywords: word{number}\nSentences:" for number in range(12)}
QUICK = Manner(concurrency=3, tries=3, timeout=120)


def ask(server: Server, folder: Path, manner: Manner = QUICK, wanted: dict[str, str] = PROMPTS) -> Outcome:
    endpoint = Endpoint(server.address, "tiny", {"temperature": 0.0}, KEY)
    return answers(wanted, endpoint, Memory(folder), read=read_sentences, manner=manner)


def test_the_prompt_is_the_papers() -> None:
    """Table 8: the instruction, a block an example, and a block without an answer."""
    week = Lesson("1", ("seven days", "one day", "a week"), (1, 0, 1), ("One day is short.", "A week has seven days."))
    asked = prompt(Case("2", ("axis", "Moon")), [week, week])
    block = "Keywords: seven days, one day, a week\nSentences: One day is short. A week has seven days."
    assert asked == f"{INSTRUCTION}\n\n{block}\n\n{block}\n\nKeywords: axis, Moon\nSentences:"


def test_demonstrations_are_drawn_for_each_example_alone(tiny: Any) -> None:
    examples = read_examples(tiny.out)
    known, given = lessons(examples), cases(examples, "test")
    drawn = [demonstrations(case, known, shots=10, seed=0) for case in given[:50]]
    assert all(len({lesson.example_id for lesson in ten}) == 10 for ten in drawn)
    assert len({tuple(lesson.example_id for lesson in ten) for ten in drawn}) == 50
    assert demonstrations(given[7], known, shots=10, seed=0) == drawn[7]
    assert demonstrations(given[7], known, shots=10, seed=1) != drawn[7]
    with pytest.raises(SettingsError, match=f"--shots is 99999, but the dataset has {len(known)} training"):
        demonstrations(given[0], known, shots=99999, seed=0)


def test_no_prompt_holds_its_answer(tiny: Any) -> None:
    examples = read_examples(tiny.out)
    made = prompts(examples, Order())
    held = {row["example_id"]: row["statements"] for row in examples.iter_rows(named=True) if row["split"] == "test"}
    assert list(made) == sorted(held)
    assert all(statement not in made[each] for each, statements in held.items() for statement in statements)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("It is hot. It is cold.", "It is hot. It is cold."),  # as asked
        (" It is hot.\n\nIt is cold.\n", "It is hot. It is cold."),  # in lines
        ("Sentences: It is hot.", "It is hot."),  # with the label
        ("It is hot.\nKeywords: sun\nSentences: More.", "It is hot."),  # went on to another case
        ("Keywords: sun\nSentences: It is hot.", ""),  # nothing of its own before it
        ("Sentences:\n", ""),  # nothing
    ],
)
def test_sentences_of_an_answer(answer: str, text: str) -> None:
    assert sentences(answer) == text


def test_every_question_is_asked_once_some_at_a_time_and_not_in_a_second_run(tmp_path: Path) -> None:
    with serving(lambda prompt, _: said(f"About {prompt.split()[1]}.")) as server:
        first, second = ask(server, tmp_path), ask(server, tmp_path)
        assert {each: answer.text for each, answer in first.answers.items()} == {
            each: f"About word{each}." for each in PROMPTS
        }
        assert sorted(server.asked) == sorted(PROMPTS.values())
        assert server.most_at_once <= QUICK.concurrency
        assert set(server.keys) == {f"Bearer {KEY}"}
        assert all(body["model"] == "tiny" and body["temperature"] == 0.0 for body in server.bodies)
        other = Endpoint(server.address, "tiny", {"temperature": 0.7}, KEY)
        answers(PROMPTS, other, Memory(tmp_path), read=read_sentences, manner=QUICK)
        assert len(server.asked) == 2 * len(PROMPTS)  # other fields are another question
    assert second.answers == first.answers
    assert (second.asked, second.retries) == ([], 0)


@pytest.mark.parametrize(
    "reply",
    [
        trouble(429, "slow down"),
        trouble(500),
        (200, {"Content-Length": "500"}, b'{"choi'),  # broken off
    ],
)
def test_passing_trouble_is_tried_again(reply: Reply, tmp_path: Path) -> None:
    with serving(lambda _, before: said() if before else reply) as server:
        outcome = ask(server, tmp_path)
    assert (len(outcome.answers), outcome.lost, outcome.stopped) == (len(PROMPTS), {}, "")
    assert outcome.retries == len(PROMPTS)
    assert set(Counter(server.asked).values()) == {2}


def test_a_slow_answer_is_given_up_and_asked_for_again(tmp_path: Path) -> None:
    again = threading.Event()

    def rule(_: str, before: int) -> Reply:
        if before:
            again.set()
        else:
            again.wait(60)
        return said()

    with serving(rule) as server:
        outcome = ask(server, tmp_path, replace(QUICK, timeout=0.5, tries=100), {"0": "a"})
    assert list(outcome.answers) == ["0"]
    assert outcome.retries >= 1


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<html>", "other than a chat completion"),
        (b'{"choices": []}', "other than a chat completion"),
        (b'{"choices": [{"message": "hello"}]}', "other than a chat completion"),
        (said(None)[2], "contains no sentence .*--max-tokens"),
        (said("Sentences: \n")[2], "contains no sentence .*--max-tokens"),
    ],
)
def test_what_is_no_answer_is_told_and_not_remembered(content: bytes, reason: str, tmp_path: Path) -> None:
    with serving(lambda *_: (200, {}, content)) as server:
        outcome = ask(server, tmp_path, wanted={"0": "a"})
    assert re.search(reason, outcome.lost["0"])
    assert (len(server.asked), list(tmp_path.rglob("*.json"))) == (1, [])


def test_a_prompt_that_keeps_failing_is_lost_after_so_many_tries(tmp_path: Path) -> None:
    with serving(lambda *_: trouble(500, "down")) as server:
        outcome = ask(server, tmp_path, replace(QUICK, tries=4), {"0": "a"})
    assert (len(server.asked), outcome.retries) == (4, 3)
    assert outcome.lost["0"].endswith("returned 500 Internal Server Error: down")
    nobody_there = ask(server, tmp_path, wanted={"0": "a"})
    assert "connection attempts failed" in nobody_there.lost["0"]


def test_one_refused_question_does_not_stop_the_others(tmp_path: Path) -> None:
    with serving(lambda asked, _: trouble(400, "filtered") if "word5\n" in asked else said()) as server:
        outcome = ask(server, tmp_path)
        assert Counter(server.asked)[PROMPTS["5"]] == 1  # no use in trying again
    assert list(outcome.lost) == ["5"]
    assert "400 Bad Request: filtered" in outcome.lost["5"]
    with pytest.raises(ModelError, match=r"1 of 12 prompts failed:\n.*5: .*filtered\n.*--instead(.|\n)*11 of 12"):
        texts(outcome, list(PROMPTS))
    assert texts(outcome, list(PROMPTS), instead="Nothing.")["5"] == "Nothing."


def test_an_answer_with_half_a_sign_is_remembered_as_text(tmp_path: Path) -> None:
    with serving(lambda *_: said("It is \ud83d hot.")) as server:
        first = ask(server, tmp_path, wanted={"0": "a"})
        assert ask(server, tmp_path, wanted={"0": "a"}).asked == []
    assert first.answers["0"].text == "It is ? hot."


def test_a_wrong_key_stops_at_once_and_stays_hidden(tmp_path: Path) -> None:
    with serving(lambda *_: trouble(401, f"Incorrect API key provided: {KEY}")) as server:
        outcome = ask(server, tmp_path)
    assert len(server.asked) <= QUICK.concurrency
    assert (
        "401 Unauthorized: Incorrect API key provided: ***; check the base URL, the name of the model and the key"
        in outcome.stopped
    )
    assert KEY not in repr(Endpoint(server.address, "tiny", {}, KEY))
    assert KEY not in repr(outcome)


def test_without_a_key_none_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even one that the client would find in the environment."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as server:
        answers({"0": "a"}, Endpoint(server.address, "tiny", {}), Memory(tmp_path), read=read_sentences, manner=QUICK)
    assert server.keys == [None]


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "situatedgen.chat.client")
    with pytest.raises(SettingsError, match=r"pip install 'situatedgen\[llm\]'"):
        importlib.import_module("situatedgen.chat.client")


def test_many_lost_in_a_row_stop_the_run(tmp_path: Path) -> None:
    manner = replace(QUICK, concurrency=1, tries=1)
    with serving(lambda asked, _: said() if "word0\n" in asked else trouble(500)) as server:
        outcome = ask(server, tmp_path, manner)
        assert len(server.asked) == 1 + manner.most_lost_in_a_row
        with pytest.raises(
            ModelError, match=r"stopped: 5 consecutive requests failed(.|\n)*1 of 12 answers are cached"
        ):
            texts(outcome, list(PROMPTS), instead="Nothing.")
        server.rule = lambda *_: said()
        assert len(ask(server, tmp_path).answers) == len(PROMPTS)
        assert len(server.asked) == 6 + 11


def test_an_answer_that_was_altered_is_asked_for_again(tmp_path: Path) -> None:
    with serving() as server:
        ask(server, tmp_path)
        for number, path in enumerate(sorted(tmp_path.rglob("*.json"))[:4]):
            path.write_text(("", "{", "[]", '{"answer": {"text": "x"}}')[number], encoding="utf-8")
        assert len(ask(server, tmp_path).asked) == 4


def test_a_memory_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file", encoding="utf-8")
    with serving() as server, pytest.raises(StoreError, match="cannot cache an answer"):
        ask(server, tmp_path / "answers")


@pytest.mark.parametrize(
    ("base_url", "fields", "key", "message"),
    [
        ("api.openai.com/v1", {}, "", "expected one like"),
        ("https://me:word@host/v1", {}, "", "must not contain a password"),
        ("http://host:port/v1", {}, "", "not a valid URL"),
        ("http://host/v1", {"stream": True}, "", "field 'stream' is reserved and cannot be set"),
        ("http://host/v1", {}, "sk-\nx", "characters that a header cannot carry"),
    ],
)
def test_what_cannot_be_asked_is_refused(base_url: str, fields: dict[str, Any], key: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        Endpoint(base_url, "tiny", fields, key)
    assert not key or key not in str(caught.value)
    assert "word" not in str(caught.value).replace("password", "")


def test_spending() -> None:
    """2 answers of 300 + 30 tokens at 2 and 10 a million cost 0.0009; a third tells nothing."""
    told = [Answer("a", "stop", "m", 100, 10), Answer("b", "stop", "m", 200, 20), Answer("c", "stop", "m", None, None)]
    assert spent(told, Prices(2, 10)) == Spent(3, 300, 30, 1, 0.0009)
    assert spent(told, Prices()).cost is None


def command(server: Server, dataset: Path, out: Path, *more: str) -> list[str]:
    given = ["--model", "org/tiny:1", "--base-url", server.address, "--dataset", str(dataset), "--out", str(out)]
    return ["baseline", "prompt", *given, "--split", "dev", *more]


def run(server: Server, dataset: Path, out: Path, *more: str) -> Any:
    environment = {"COLUMNS": "200", "OPENAI_API_KEY": KEY}
    return CliRunner().invoke(app, command(server, dataset, out, *more), env=environment)


def test_the_command_writes_predictions_and_a_report(tiny: Any, tmp_path: Path) -> None:
    with serving() as server:
        priced = ("--price-in", "1", "--price-out", "10", "--set", "top_p=0.5", "--set", "max_tokens=null")
        result = run(server, tiny.out, tmp_path, *priced)
        assert result.exit_code == 0, result.output
        again = run(server, tiny.out, tmp_path, *priced)
    wanted = [case.example_id for case in cases(read_examples(tiny.out), "dev")]
    rows = [json.loads(line) for line in (tmp_path / "org-tiny-1.jsonl").read_text("utf-8").splitlines()]
    assert rows == [{"example_id": each, "text": "It is hot. It is cold."} for each in wanted]
    assert len(server.asked) == len(wanted)
    assert all(body["top_p"] == 0.5 and "max_tokens" not in body for body in server.bodies)
    report, count = json.loads((tmp_path / "org-tiny-1.report.json").read_text("utf-8")), len(wanted)
    assert report["this_run"] == {**report["this_run"], "answers": 0, "prompt_tokens": 0, "cost": 0.0}
    assert report["in_all"] == {
        "answers": count,
        "prompt_tokens": 200 * count,
        "completion_tokens": 10 * count,
        "without_tokens": 0,
        "cost": round(300 * count / 1e6, 6),
    }
    assert report["answered_by"] == {"tiny-2": count}
    assert f"0 new answers (0 + 0 tokens, cost 0.0000), {count:,} cached" in again.output
    assert all(KEY not in path.read_text("utf-8") for path in tmp_path.rglob("*") if path.is_file())


def test_the_command_keeps_the_report_of_a_run_that_failed(tiny: Any, tmp_path: Path) -> None:
    with serving(lambda asked, _: trouble(404, "no such model")) as server:
        result = run(server, tiny.out, tmp_path)
    assert isinstance(result.exception, ModelError)
    assert "no such model" in json.loads((tmp_path / "org-tiny-1.report.json").read_text("utf-8"))["stopped"]
    assert not (tmp_path / "org-tiny-1.jsonl").exists()


def test_showing_a_prompt_asks_nothing(tiny: Any, tmp_path: Path) -> None:
    with serving() as server:
        result = run(server, tiny.out, tmp_path, "--show", "--shots", "2")
    assert result.output.startswith(f"{INSTRUCTION}\n\nKeywords: ")
    assert result.output.count("Keywords:") == 3
    assert (server.asked, list(tmp_path.iterdir())) == ([], [])


@pytest.mark.slow
def test_a_killed_run_pays_only_for_what_was_on_its_way(tiny: Any, tmp_path: Path) -> None:
    """kill -9 with three questions on their way: at most these three are asked for twice."""
    enough = threading.Event()

    def rule(asked: str, _: int) -> Reply:
        if len(server.asked) > 20:
            enough.set()
        time.sleep(0.02)
        return said(asked[-40:])

    with serving(rule) as server:
        arguments = command(server, tiny.out, tmp_path, "--concurrency", "3")
        with running(COMMAND_LINE, *arguments, env={**os.environ, "OPENAI_API_KEY": KEY}) as script:
            script.wait_until(enough.is_set)
        remembered = len(list((tmp_path / "answers").rglob("[!.]*.json")))
        server.rule = lambda asked, _: said(asked[-40:])
        before = len(server.asked)
        result = run(server, tiny.out, tmp_path)
        assert result.exit_code == 0, result.output
    total = len(cases(read_examples(tiny.out), "dev"))
    assert 15 <= remembered < total
    assert len(server.asked) - before == total - remembered
    assert len(server.asked) <= total + 3
    whole = tmp_path / "whole"
    with serving(lambda asked, _: said(asked[-40:])) as server:
        run(server, tiny.out, whole)
    assert (whole / "org-tiny-1.jsonl").read_bytes() == (tmp_path / "org-tiny-1.jsonl").read_bytes()
