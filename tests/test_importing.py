"""Importing a model's code: without what its libraries would import unasked, and with it where it is needed."""

import subprocess
import sys

import pytest

from situatedgen.models.importing import imported


def modules_after(code: str) -> set[str]:
    script = f"import sys\nfrom situatedgen.models.importing import imported\n{code}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.slow
def test_spacy_comes_without_pytorch():
    found = modules_after("imported('situatedgen.models.spacy_model', ('spacy',))")
    assert "spacy" in found
    assert "torch" not in found


@pytest.mark.slow
def test_igraph_comes_without_pictures():
    found = modules_after("imported('situatedgen.models.graphs', ('igraph', 'leidenalg'))")
    assert "igraph" in found
    assert "matplotlib" not in found


@pytest.mark.slow
def test_pytorch_can_be_imported_afterwards():
    code = "imported('situatedgen.models.spacy_model', ('spacy',))\nimported('situatedgen.models.devices', ('torch',))"
    assert {"spacy", "torch"} <= modules_after(code)


def test_a_users_own_module_finds_everything(tmp_path, monkeypatch):
    (tmp_path / "theirs.py").write_text("import json\nfound = json.dumps({})\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert imported("theirs", ()).found == "{}"


@pytest.mark.slow
def test_spacy_comes_without_its_command_line_and_finds_it_when_asked():
    code = "spacy = imported('spacy', ('spacy',))\nbefore = [name for name in sys.modules if 'spacy.cli' in name]"
    code += "\nassert not before, before\nassert spacy.info(silent=True)['spacy_version'] == spacy.__version__"
    assert "spacy.cli.info" in modules_after(code)


@pytest.mark.slow
def test_pytorch_comes_without_its_compiler_and_finds_it_when_asked():
    code = "from situatedgen.models.importing import import_torch_to_ask\nimport_torch_to_ask()\nimport torch"
    code += "\nassert 'torch.export' not in sys.modules and not hasattr(torch, '_meta_registrations')"
    code += "\nassert torch.ones(2).sum().item() == 2\nfrom torch.export import export"
    assert "torch.export" in modules_after(code)


SAME_POINTS = """
from importlib.metadata import entry_points
import catalogue
imported('situatedgen.models.spacy_model', ('spacy',))
found = {(group, point.name) for group, points in catalogue.AVAILABLE_ENTRY_POINTS.items() for point in points}
assert found == {(group, point.name) for group in entry_points().groups for point in entry_points(group=group)}
assert catalogue.create('console_scripts', entry_points=True)._get_entry_points()
"""


@pytest.mark.slow
def test_spacy_finds_the_same_entry_points_by_their_group():
    assert "catalogue" in modules_after(SAME_POINTS)
