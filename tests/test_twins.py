"""Questions shared with a copy of this process: the same answers, whatever becomes of it."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

from flows.testing import alive
from situatedgen.models import registry
from situatedgen.presets import load
from situatedgen.records import Question
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind
from storage import twins
from storage.attending import Charge, Desk
from storage.twins import MANY, halved


@pytest.fixture(autouse=True)
def cores(monkeypatch):
    monkeypatch.setattr(twins.os, "sched_getaffinity", lambda _: {0, 1})


@pytest.mark.parametrize("count", [0, 1, MANY - 1, MANY, MANY + 1, 5 * MANY])
def test_each_question_has_its_answer_in_order(count):
    assert halved(lambda questions: [2 * each for each in questions], range(count)) == [2 * n for n in range(count)]


def where(questions):
    return [os.getpid()] * len(questions)


def test_many_questions_are_answered_by_two_and_few_by_one():
    assert len(set(halved(where, range(MANY)))) == 2
    assert set(halved(where, range(MANY - 1))) == {os.getpid()}


def test_nobody_shares_one_core(monkeypatch):
    monkeypatch.setattr(twins.os, "sched_getaffinity", lambda _: {0})
    assert set(halved(where, range(MANY))) == {os.getpid()}


@pytest.mark.parametrize("end", ["killed", "fails", "answers what cannot be sent"])
def test_what_a_twin_does_not_answer_is_answered_here(end):
    own = os.getpid()

    def answer(questions):
        if os.getpid() != own:
            if end == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if end == "fails":
                raise ValueError
            return [lambda: None for _ in questions]
        return where(questions)

    assert halved(answer, range(MANY)) == [own] * MANY


def test_a_failure_here_is_told_and_leaves_no_twin(monkeypatch):
    begun, fork = [], os.fork

    def noted():
        begun.append(fork())
        return begun[-1]

    def answer(questions):
        raise ValueError(len(questions))

    monkeypatch.setattr(twins.os, "fork", noted)
    with pytest.raises(ValueError, match=str(MANY // 2)):
        halved(answer, range(MANY))
    (twin,) = begun
    with pytest.raises(ChildProcessError):
        os.waitpid(twin, os.WNOHANG)


def test_a_twin_ends_with_its_work_when_nobody_waits_for_it():
    script = textwrap.dedent("""
        import os, time
        from storage import twins

        def answer(questions):
            os.write(1, f"{os.getpid()}\\n".encode())  # in one piece, as both write
            time.sleep(1)
            return questions

        twins.os.sched_getaffinity = lambda _: {0, 1}
        twins.halved(answer, range(twins.MANY))
    """)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        both = {int(process.stdout.readline()) for _ in range(2)}
        process.kill()
    deadline = time.monotonic() + 20
    while alive(both) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not alive(both)


@pytest.mark.weights
def test_questions_are_stated_as_they_are_by_one():
    months = [f"What is the weather like in town {number} in July?" for number in range(MANY)]
    questions = [Question(text, "hot", ItemKind.CHOICE) for text in months]
    params = load("embedded", ()).statements.converter
    alone = registry.load("converter", params, Runtime()).convert(questions)
    assert Desk(Charge({"converter": params}, Runtime())).answer("converter", questions) == (True, alone)
