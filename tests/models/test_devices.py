"""The device that models run on."""

import importlib

import pytest

from situatedgen.errors import SettingsError
from situatedgen.runtime import Runtime

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("cuda", "mps", "asked", "given"),
    [
        (False, False, "auto", "cpu"),
        (False, True, "auto", "mps"),
        (True, True, "auto", "cuda"),  # the faster one first
        (True, True, "cpu", "cpu"),  # asked for by name
    ],
)
def test_auto_is_the_best_there_is(monkeypatch, cuda, mps, asked, given):
    devices, torch = importlib.import_module("situatedgen.models.weights"), importlib.import_module("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    assert devices.choose(asked).type == given


def test_a_device_that_is_not_there_is_refused_with_those_that_are(monkeypatch):
    devices, torch = importlib.import_module("situatedgen.models.weights"), importlib.import_module("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    with pytest.raises(SettingsError, match="device 'cuda' is not available here; available: auto, cpu"):
        devices.prepare(Runtime(device="cuda"))


def test_threads_are_limited_only_when_asked(monkeypatch):
    devices, torch = importlib.import_module("situatedgen.models.weights"), importlib.import_module("torch")
    limits: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", limits.append)
    devices.prepare(Runtime(device="cpu"))
    devices.prepare(Runtime(device="cpu", threads=3))
    assert limits == [3]
