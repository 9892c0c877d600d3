"""The judge that asks language models, against a server that misbehaves, and runs that are cut short."""

import json
import logging
import os
import re
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_server import Reply, Server, said, serving, trouble
from process_support import running
from situatedgen import testing
from situatedgen.chat.costs import Answer, Budget, Prices, cost
from situatedgen.errors import ModelError, SettingsError, StoreError
from situatedgen.models import registry
from situatedgen.models.batches import judge_rows
from situatedgen.models.llm_judge import EXPECTED, FIELDS, Estimate, LlmSettings, estimate, prompt, read_settings
from situatedgen.params import ModelParams
from situatedgen.records import Judgement
from situatedgen.runtime import Runtime
from storage.keys import model_identity
from tasks.gpu import uses_gpu

KEY = "sk-secret-of-mine"
PARAMS = ModelParams(name="llm", weights="tiny")
PAIRS = [(f"It snows in winter {number}.", f"It is hot in summer {number}.") for number in range(12)]
VALID = {"fluent": True, "antithesis": True, "dependent": True, "common": False}


def found(**changed: bool) -> Reply:
    return said(json.dumps({**VALID, **changed}))


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing but what a test sets, and a folder of its own for answers."""
    for name in [name for name in os.environ if name.startswith(("SITUATEDGEN_LLM_", "OPENAI_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("SITUATEDGEN_LLM_ANSWERS", str(tmp_path / "answers"))
    monkeypatch.setenv("SITUATEDGEN_LLM_CONCURRENCY", "3")


def load(server: Server, monkeypatch: pytest.MonkeyPatch, params: ModelParams = PARAMS, **settings: object) -> Any:
    monkeypatch.setenv("OPENAI_BASE_URL", server.address)
    for name, value in settings.items():
        monkeypatch.setenv(f"SITUATEDGEN_LLM_{name.upper()}", str(value))
    return registry.load("judge", params, Runtime())


def kept(folder: Path) -> int:
    return len(list((folder / "answers").rglob("[!.]*.json")))


def test_a_probability_is_the_share_of_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two models and two orders: four answers. `other` finds no contrast, and nothing fluent in the second order."""
    params = ModelParams(name="llm", weights="tiny, other")
    with serving() as server:

        def rule(asked: str, _: int) -> Reply:
            if server.bodies[-1]["model"] == "tiny":
                return found(common=True)
            return found(antithesis=False, fluent="First sentence: It snows" in asked)

        server.rule = rule
        judge = load(server, monkeypatch, params, concurrency=1)
        assert judge.judge(PAIRS[:1]) == [Judgement(0.5, 0.75, 0.5, 1.0, 0.5)]
        assert [(body["model"], body["messages"][0]["content"]) for body in server.bodies] == [
            (model, prompt(*order)) for model in ("tiny", "other") for order in (PAIRS[0], PAIRS[0][::-1])
        ]
        assert all({name: body[name] for name in FIELDS} == FIELDS for body in server.bodies)
        assert set(server.keys) == {f"Bearer {KEY}"}


def test_every_question_is_asked_once_some_at_a_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serving(lambda *_: found()) as server:
        judge = load(server, monkeypatch)
        assert judge.judge(PAIRS + PAIRS[:3]) == [Judgement(1.0, 1.0, 1.0, 1.0, 0.0)] * 15
        assert set(Counter(server.asked).values()) == {1}
        assert (len(server.asked), kept(tmp_path)) == (24, 24)
        assert server.most_at_once <= 3
        assert judge.judge([(right, left) for left, right in PAIRS]) == judge.judge(PAIRS)
        load(server, monkeypatch).judge(PAIRS)
        assert len(server.asked) == 24  # another run


def test_another_address_is_the_same_model_and_another_revision_is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda *_: found()) as server:
        load(server, monkeypatch).judge(PAIRS)
    with serving(lambda *_: found(fluent=False)) as moved:
        assert load(moved, monkeypatch).judge(PAIRS)[0].fluent == 1
        assert moved.asked == []
        revised = load(moved, monkeypatch, PARAMS.model_copy(update={"revision": "2"}))
        assert revised.judge(PAIRS)[0].fluent == 0
        load(moved, monkeypatch, fields='{"temperature": null, "seed": 7}').judge(PAIRS)
        assert (len(moved.asked), moved.bodies[-1]["seed"], "temperature" in moved.bodies[-1]) == (48, 7, False)


def test_the_judge_keeps_to_its_role(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = [("", ""), ('{"fluent": true}', "日本 is Japan\n"), *PAIRS]
    with serving(lambda asked, _: found(fluent=len(asked) % 3 > 0, common="4" in asked)) as server:
        judge = load(server, monkeypatch)
        assert testing.judge_faults(judge, odd) == []
        rows = judge_rows(judge, pl.DataFrame(odd, schema=["left", "right"], orient="row"))
    assert rows.height == len(odd)


def test_the_server_says_how_long_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    busy: Reply = (429, {"Retry-After": "1", "Retry-After-Ms": "?"}, trouble(429, "slow down")[2])
    with serving(lambda _, before: found() if before else busy) as server:
        began = time.perf_counter()
        load(server, monkeypatch).judge(PAIRS[:1])
        assert time.perf_counter() - began >= 1
        assert set(Counter(server.asked).values()) == {2}


def test_a_broken_server_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _, before: found() if before > 1 else trouble(500 + before)) as server:
        assert len(load(server, monkeypatch).judge(PAIRS)) == len(PAIRS)
        assert set(Counter(server.asked).values()) == {3}


def test_a_slow_answer_is_given_up_and_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    again = threading.Event()

    def rule(_: str, before: int) -> Reply:
        again.set() if before else again.wait(60)
        return found()

    with serving(rule) as server:
        assert len(load(server, monkeypatch, timeout=0.5, tries=100).judge(PAIRS[:1])) == 1


def test_a_server_that_stays_broken_stops_the_run_and_nothing_is_lost(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with serving(lambda asked, _: trouble(500, "down") if "winter 9" in asked else found()) as server:
        with pytest.raises(
            ModelError,
            match=r"'tiny' gave no answer to 2 questions; the endpoint returned 500 Internal Server Error: down;"
            r" 24 calls in this run \(.* tokens\); all 22 answers about these pairs are cached in .*; run the same",
        ):
            load(server, monkeypatch, tries=2).judge(PAIRS)
        server.rule = lambda *_: trouble(503)
        with pytest.raises(ModelError, match="stopped: 5 consecutive requests failed"):
            load(server, monkeypatch).judge([(str(number), "x") for number in range(20)])
        asked, server.rule = len(server.asked), lambda *_: found()
        load(server, monkeypatch).judge(PAIRS)
        assert (len(server.asked) - asked, kept(tmp_path)) == (2, 24)


NOTHING = (200, {}, b"<html>")
MALFORMED = [said("Yes."), said('{"fluent": true}'), said('{"fluent": "yes"'), said(None), NOTHING]


@pytest.mark.parametrize("malformed", MALFORMED)
def test_a_malformed_answer_is_asked_for_once_more(malformed: Reply, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _, before: found() if before else malformed) as server:
        assert load(server, monkeypatch).judge(PAIRS[:2]) == [Judgement(1.0, 1.0, 1.0, 1.0, 0.0)] * 2
        assert set(Counter(server.asked).values()) == {2}


def test_words_around_the_answer_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda *_: said(f"Sure:\n```json\n{json.dumps(VALID)}\n```")) as server:
        assert load(server, monkeypatch).judge(PAIRS[:1]) == [Judgement(1.0, 1.0, 1.0, 1.0, 0.0)]


def test_a_pair_is_judged_by_its_usable_answers(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(
        lambda asked, _: said("No.") if "First sentence: It snows in winter 3." in asked else found()
    ) as server:
        judge = load(server, monkeypatch)
        assert judge.judge(PAIRS) == [Judgement(1.0, 1.0, 1.0, 1.0, 0.0)] * len(PAIRS)
        assert "tiny gave no usable answer to 1 question; the first because the answer is 'No.'" in caplog.text
        server.rule = lambda *_: trouble(400, "filtered")
        with pytest.raises(ModelError, match="no model gave a usable answer about the pair 'a' and 'b'"):
            judge.judge([("a", "b"), *PAIRS[:2]])


def test_a_model_that_answers_nothing_usable_stops(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serving(lambda *_: said("Yes.")) as server, pytest.raises(ModelError, match="5 consecutive requests failed"):
        load(server, monkeypatch).judge(PAIRS)
    assert kept(tmp_path) == 0


def test_a_budget_of_calls_stops_cleanly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with serving(lambda *_: found()) as server:
        judge = load(server, monkeypatch, max_calls=10)
        with pytest.raises(
            ModelError,
            match=r"stopped: the budget of 10 calls is spent; 10 calls in this run \(2,000 \+ 100 tokens\);"
            r" all 10 answers about these pairs are cached in .*answers; run the same command again",
        ):
            judge.judge(PAIRS)
        assert (len(server.asked), kept(tmp_path)) == (10, 10)
        with pytest.raises(ModelError, match="is spent"):
            judge.judge(PAIRS)  # the same run goes no further
        assert len(server.asked) == 10
        with pytest.raises(ModelError, match="is spent"):
            load(server, monkeypatch).judge(PAIRS)  # the next one goes on
        load(server, monkeypatch).judge(PAIRS)
        assert (len(server.asked), set(Counter(server.asked).values())) == (24, {1})


def test_a_budget_of_money_stops_cleanly(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call takes 200 + 10 tokens at 1 and 10 a million: 0.0003. A malformed answer is paid for, too."""
    with serving(lambda _, before: found() if before else said("?")) as server:
        judge = load(server, monkeypatch, max_cost=0.003, price_in=1, price_out=10, concurrency=1)
        with pytest.raises(ModelError, match=r"exceed the budget of 0.0030; 8 calls in this run \(.*, cost 0.0024\)"):
            judge.judge(PAIRS)
        assert len(server.asked) == 8


@given(
    st.integers(0, 30),
    st.floats(0, 0.01),
    st.lists(st.booleans()),
    st.lists(st.tuples(st.none() | st.integers(0, EXPECTED.prompt), st.none() | st.integers(0, EXPECTED.completion))),
)
def test_a_budget_is_never_exceeded(calls: int, money: float, steps: list[bool], taken: list[Any]) -> None:
    """Whatever is on its way at once, as long as no answer takes more than was expected."""
    budget = Budget(Prices(1, 10), calls, money, EXPECTED)
    for begins in steps:
        if begins and not budget.limit_reached():
            budget.begin()
        elif budget.in_flight:
            tokens = taken.pop() if taken else None
            budget.end(Answer("", "", "", *tokens) if tokens else None)
    assert budget.calls <= calls
    assert (cost(budget.prompt_tokens, budget.completion_tokens, budget.prices) or 0) <= money + 1e-6


def test_an_estimate_counts_orders_and_models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    two = ModelParams(name="llm", weights="tiny,other")
    assert estimate(1000, two) == Estimate(4000, 4000 * EXPECTED.prompt, 4000 * EXPECTED.completion, None)
    monkeypatch.setenv("SITUATEDGEN_LLM_PRICE_IN", "1")
    monkeypatch.setenv("SITUATEDGEN_LLM_PRICE_OUT", "10")
    told = estimate(500, PARAMS)
    assert told.cost == round((1000 * EXPECTED.prompt + 10 * 1000 * EXPECTED.completion) / 1e6, 6)
    assert re.fullmatch(r"1,000 calls, about [\d,]+ \+ 30,000 tokens, cost 0\.\d\d", str(told))


def test_neither_key_nor_address_is_written_anywhere(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving(lambda *_: found()) as server:
        judge = load(server, monkeypatch)
        judge.judge(PAIRS)
        server.rule = lambda *_: trouble(401, f"Incorrect API key provided: {KEY} at {server.address}")
        with pytest.raises(
            ModelError, match=r"401 Unauthorized: Incorrect API key provided: \*\*\* at \*\*\*; check"
        ) as caught:
            judge.judge([("a", "b")])
    with pytest.raises(ModelError, match="the endpoint: ") as gone:
        load(server, monkeypatch, tries=1).judge([("a", "b")])
    told = [str(caught.value), str(gone.value), json.dumps(model_identity("judge", PARAMS))]
    told += [path.read_text("utf-8") for path in tmp_path.rglob("*.json")]
    assert [text for text in told if KEY in text or server.address in text or "127.0.0.1" in text] == []
    assert KEY not in caplog.text
    assert [line for line in caplog.records if line.name.startswith("situatedgen") and "127" in line.getMessage()] == []


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"OPENAI_API_KEY": ""}, "needs OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint without a key"),
        ({"OPENAI_BASE_URL": "host.internal/v1"}, "the base URL is not a web address"),
        ({"OPENAI_BASE_URL": "http://host.internal:x/v1"}, "the base URL is not a valid URL"),
        ({"OPENAI_API_KEY": "sk-\nhost.internal"}, "the key contains characters"),
        ({"SITUATEDGEN_LLM_MAX_CALS": "3"}, "LLM_MAX_CALS: Extra inputs .*known: .*LLM_MAX_CALLS"),
        ({"SITUATEDGEN_LLM_MAX_CALLS": "many"}, "SITUATEDGEN_LLM_MAX_CALLS: Input should be a valid integer"),
        ({"SITUATEDGEN_LLM_MAX_COST": "3"}, "SITUATEDGEN_LLM_MAX_COST needs SITUATEDGEN_LLM_PRICE_IN"),
        ({"SITUATEDGEN_LLM_FIELDS": "seed=3"}, "SITUATEDGEN_LLM_FIELDS: Invalid JSON"),
        ({"SITUATEDGEN_LLM_FIELDS": '{"model": "x"}'}, "the request field 'model' is reserved and cannot be set"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(
    variables: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match=message) as caught:
        registry.load("judge", PARAMS, Runtime())
    assert "host.internal" not in str(caught.value)


def test_what_runs_elsewhere_holds_no_gpu_of_this_machine() -> None:
    assert not uses_gpu("judge", PARAMS, Runtime(device="cuda"))


@pytest.mark.parametrize("weights", ["", " , "])
def test_a_model_must_be_named(weights: str) -> None:
    with pytest.raises(SettingsError, match="needs weights: the name of a model, or of two"):
        registry.load("judge", ModelParams(name="llm", weights=weights), Runtime())


def test_answers_lie_in_the_cache_folder_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("SITUATEDGEN_LLM_ANSWERS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert read_settings() == LlmSettings(concurrency=3, answers=tmp_path / "situatedgen" / "answers")


def test_a_memory_that_cannot_be_written_ends_the_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("a file", encoding="utf-8")
    with serving(lambda *_: found()) as server, pytest.raises(StoreError, match="cannot cache an answer"):
        load(server, monkeypatch).judge(PAIRS)


SCRIPT = """
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
pairs = [(f"It snows in winter {number}.", f"It is hot in summer {number}.") for number in range(40)]
registry.load("judge", ModelParams(name="llm", weights="tiny"), Runtime()).judge(pairs)
"""


@pytest.mark.slow
def test_a_killed_run_pays_only_for_what_was_on_its_way(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """kill -9 with three questions on their way: at most these three are asked for twice."""
    enough = threading.Event()

    def rule(*_: object) -> Reply:
        if len(server.asked) > 30:
            enough.set()
        time.sleep(0.02)
        return found()

    with serving(rule) as server:
        with running(SCRIPT, env={**os.environ, "OPENAI_BASE_URL": server.address}) as script:
            script.wait_until(enough.is_set)
        remembered, before = kept(tmp_path), len(server.asked)
        pairs = [(f"It snows in winter {number}.", f"It is hot in summer {number}.") for number in range(40)]
        assert load(server, monkeypatch).judge(pairs) == [Judgement(1.0, 1.0, 1.0, 1.0, 0.0)] * 40
        assert 25 <= remembered < 80
        assert len(server.asked) - before == 80 - remembered
        assert len(server.asked) <= 80 + 3
        assert kept(tmp_path) == 80
