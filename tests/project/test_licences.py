"""The page of licences names every package of the core install, and nobody is surprised by the GPL."""

import re
import tomllib
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def generator() -> ModuleType:
    spec = spec_from_file_location("licences", ROOT / "docs" / "licences.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def listed() -> dict[str, str]:
    """The licence of each package of the page."""
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8").partition("<!-- licences -->")[2]
    return dict(re.findall(r"^\| \[?([\w.-]+?)\]?(?:\(.*?\))? \| (.*) \|$", page, re.MULTILINE))


def test_every_package_of_the_core_install_is_listed() -> None:
    assert generator().core_packages() - listed().keys() == set(), "run `make licences`"


def test_nothing_is_under_the_gpl_that_the_notice_does_not_name() -> None:
    """text-unidecode may be used under the Artistic License instead."""
    notice = (ROOT / "NOTICE").read_text(encoding="utf-8")
    bound = {name for name, licence in listed().items() if re.search(r"\bGPL|GNU General", licence)}
    assert bound - {"text-unidecode"} == {"igraph", "leidenalg"}
    assert all(name in notice for name in ("igraph", "leidenalg"))


def test_the_notice_is_shipped() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license-files"] == ["LICENSE", "NOTICE"]
