"""Cache keys: the fingerprint of a stage's code, its params and models, and the content of its inputs."""

import ast
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from pydantic import BaseModel, ConfigDict

from situatedgen.errors import SettingsError
from situatedgen.models.registry import entry, package_versions
from situatedgen.params import ModelParams, Params
from situatedgen.stages.stage import Stage
from storage.store import ArtifactRef, artifact_name, file_digest, json_digest

Symbol = tuple[str, str]
RESOURCES = "situatedgen.resources"
# Syntax trees are changed in place, and Python 3.11 fails when two threads parse at once.
_one_reader = Lock()


@dataclass(frozen=True)
class Module:
    """The top-level names of a module: the statements that define each, and the target of each import."""

    name: str
    folder: Path
    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, Symbol] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Definition:
    """The code of a symbol, with references to our own symbols replaced by their positions in `references`."""

    code: str
    references: tuple[Symbol, ...]


@cache
def fingerprint(target: str) -> str:
    """Return the digest of the code behind `module:attribute` and of all our code that it reaches.

    Ignores comments, docstrings, layout, the annotations of signatures, and the names and modules of our functions;
    includes data files that the code names in `read_text` and `read_lines`.

    Raises:
        SettingsError: the module or attribute does not exist.
    """
    with _one_reader:
        definitions = _collect_definitions(target)
    numbers = {symbol: number for number, symbol in enumerate(definitions)}
    digest = hashlib.sha256()
    for found in definitions.values():
        digest.update(f"{found.code}\x1f{[numbers[symbol] for symbol in found.references]}\x1e".encode())
    return digest.hexdigest()


@cache
def symbol_digests(target: str) -> dict[Symbol, str]:
    """Return the digest of each symbol that a target reaches, to find what changed when its fingerprint did.

    Raises:
        SettingsError: the module or attribute does not exist.
    """
    with _one_reader:
        definitions = _collect_definitions(target)
    return {symbol: _own_digest(found) for symbol, found in definitions.items()}


def _own_digest(found: Definition) -> str:
    return hashlib.sha256(f"{found.code}\x1f{[name for _, name in found.references]}".encode()).hexdigest()


def _collect_definitions(target: str) -> dict[Symbol, Definition]:
    """Return the definitions that a target reaches, itself first, in order of first encounter."""
    module, _, name = target.partition(":")
    if name not in read_module(module).definitions and name not in read_module(module).imports:
        raise SettingsError(f"module {module!r} has no attribute {name!r}")
    found: dict[Symbol, Definition] = {}
    waiting = [resolve((module, name))]
    while waiting:
        symbol = waiting.pop()
        if symbol is not None and symbol not in found:
            found[symbol] = read_definition(symbol)
            waiting.extend(reversed(found[symbol].references))
    return found


def clear_caches() -> None:
    """Clear all caches, to read code again that was edited while this process runs."""
    for function in (fingerprint, symbol_digests, read_definition, read_module, _resource, _origin):
        function.cache_clear()


def resolve(symbol: Symbol) -> Symbol | None:
    """Return where a symbol is defined, following re-exports; None if it is not in one of our modules."""
    module_name, name = symbol
    module = read_module(module_name)
    if name in module.definitions:
        return symbol
    if name in module.imports and is_own_module(module.imports[name][0], module_name):
        return resolve(module.imports[name])
    return None


@cache
def read_definition(symbol: Symbol) -> Definition:
    """Return a symbol's definition without docstrings, annotations of signatures, and names of our functions."""
    module = read_module(symbol[0])
    statements = [_mutable_copy(statement) for statement in module.definitions[symbol[1]]]
    nodes = _stripped_nodes(statements)
    resources = [_resource(name) for name in _resource_names(nodes, module)]
    numbering = _Numbering(module, {**module.imports, **_imports_of(nodes, module)})
    code = [ast.dump(numbering.visit(statement)) for statement in statements]
    return Definition("\n".join([*code, *resources]), tuple(numbering.found))


def _mutable_copy(statement: ast.stmt) -> ast.stmt:
    """Return a statement that may be modified: a copy if it is an assignment, which can define several symbols."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        statement.name = ""
        return statement
    return deepcopy(statement)


class _Numbering(ast.NodeTransformer):
    """Replaces our own names by numbers, in order of first encounter, and other imported names by their origin."""

    def __init__(self, module: Module, imports: dict[str, Symbol]) -> None:
        self.module = module
        self.imports = imports
        self.found: dict[Symbol, str] = {}

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Replace a symbol of this module or an imported one."""
        symbol = (self.module.name, node.id) if node.id in self.module.definitions else self.imports.get(node.id)
        return node if symbol is None or _is_submodule(symbol, self.module) else self._replace(node, symbol)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replace a symbol of one of our imported modules; keep any other attribute."""
        imported = self.imports.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if imported is None or not _is_submodule(imported, self.module):
            return self.generic_visit(node)
        return self._replace(node, (".".join(imported), node.attr))

    def visit_ImportFrom(self, _: ast.ImportFrom) -> ast.AST:
        """Drop the import; its effect shows where the name is used."""
        return ast.Pass()

    def _replace(self, node: ast.Name | ast.Attribute, symbol: Symbol) -> ast.Name:
        own = resolve(symbol) if is_own_module(symbol[0], self.module.name) else None
        name = ".".join(symbol) if own is None else self.found.setdefault(own, f"#{len(self.found)}")
        return ast.Name(name, node.ctx)


def _is_submodule(symbol: Symbol, beside: Module) -> bool:
    package, name = symbol
    if not is_own_module(package, beside.name) or name in read_module(package).definitions:
        return False
    return _origin(f"{package}.{name}") is not None


def is_own_module(module: str, beside: str) -> bool:
    """Whether a module belongs to the same top-level package as another, or to `situatedgen`."""
    top = module.partition(".")[0]
    return top in {beside.partition(".")[0], "situatedgen"} and _origin(module) is not None


@cache
def read_module(name: str) -> Module:
    """Parse the top-level definitions and imports of a module without running it.

    Raises:
        SettingsError: the module does not exist or is not Python source.
    """
    origin = _origin(name)
    if origin is None:
        raise SettingsError(f"no Python source found for module {name!r}")
    module = Module(name, origin.parent)
    tree = ast.parse(origin.read_text(encoding="utf-8"))
    for statement in tree.body:
        for defined in _names_of(statement):
            module.definitions.setdefault(defined, []).append(statement)
    module.imports.update(_imports_of(tree.body, module))
    return module


def _stripped_nodes(statements: Iterable[ast.stmt]) -> list[ast.AST]:
    """Return the nodes of a definition, outer ones first, without docstrings and annotations of signatures."""
    nodes: list[ast.AST] = list(statements)
    for node in nodes:
        _strip_node(node)
        nodes.extend(ast.iter_child_nodes(node))
    return nodes


def _strip_node(node: ast.AST) -> None:
    if isinstance(node, ast.arg):
        node.annotation = None
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node.returns = None
    elif not isinstance(node, ast.ClassDef):
        return
    if not isinstance(node, ast.arg) and ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]


def _names_of(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        stored = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
        return [node.id for node in stored if isinstance(node.ctx, ast.Store)]
    return []


def _imports_of(nodes: Iterable[ast.AST], module: Module) -> dict[str, Symbol]:
    found: dict[str, Symbol] = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            origin = _absolute_module(node, module)
            found.update({alias.asname or alias.name: (origin, alias.name) for alias in node.names})
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package, _, name = alias.name.rpartition(".")
                if package and alias.asname:
                    found[alias.asname] = (package, name)
    return found


def _absolute_module(node: ast.ImportFrom, module: Module) -> str:
    if not node.level:
        return node.module or ""
    is_package = (module.folder / "__init__.py").exists() and module.name.rpartition(".")[2] == module.folder.name
    drop = node.level - 1 if is_package else node.level
    base = module.name.split(".")[: -drop or None]
    return ".".join([*base, *([node.module] if node.module else [])])


def _resource_names(nodes: Iterable[ast.AST], module: Module) -> Iterator[str]:
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and module.imports.get(node.func.id, ("", ""))[0] == RESOURCES
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            yield str(node.args[0].value)


@cache
def _resource(name: str) -> str:
    return hashlib.sha256((read_module(RESOURCES).folder / name).read_bytes()).hexdigest()


@cache
def _origin(module: str) -> Path | None:
    """Return the source file of a module, found without importing it or its parents."""
    top, *rest = module.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin.endswith(".py") else None
    base = Path(spec.origin).parent.joinpath(*rest)
    choices = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in choices if path.is_file()), None)


Inputs = Mapping[str, Sequence[ArtifactRef]]


class Job(BaseModel):
    """One artifact to compute, JSON-serializable so that it can be sent to another process."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    source: str = ""
    parts: dict[str, object]
    params: dict[str, object]
    inputs: dict[str, tuple[ArtifactRef, ...]] = {}
    root: str = ""

    @property
    def key(self) -> str:
        """The cache key: the digest of everything that the artifact depends on."""
        return json_digest(self.parts)

    @property
    def name(self) -> str:
        """The name of the job's artifact."""
        return artifact_name(self.stage, self.source)

    @property
    def rows(self) -> int:
        """How many rows the stage processes: those of its first input."""
        return next((sum(ref.rows for ref in refs) for refs in self.inputs.values()), 0)


def key_parts(each: Stage, params: Params, inputs: Inputs, files: Mapping[str, str]) -> dict[str, object]:
    """Return what a stage's artifact depends on: its name, code, schema, params, models and inputs' content."""
    found: dict[str, object] = {
        "stage": each.name,
        "code": fingerprint(each.target),
        "schema": {name: str(dtype) for name, dtype in each.schema.columns.items()},
        "params": params.model_dump(mode="json"),
        "models": {role: model_identity(role, model) for role, model in each.models_of(params).items()},
        "inputs": {name: [ref.digest for ref in refs] for name, refs in inputs.items()},
    }
    return {**found, "files": dict(files)} if files else found


def model_identity(role: str, params: ModelParams) -> dict[str, object]:
    """Return what a model's answers depend on: its params, code, packages, and the content of local weights."""
    found = entry(role, params.name)
    identity: dict[str, object] = {
        **params.model_dump(mode="json"),
        "code": fingerprint(found.target),
        "packages": package_versions(found),
    }
    local = Path(params.weights)
    return {**identity, "files": folder_digests(local)} if params.weights and local.exists() else identity


def folder_digests(path: Path) -> dict[str, str]:
    """Return the digest of each file in a folder (or of the one file), by relative path."""
    if path.is_file():
        return {path.name: file_digest(path)}
    files = sorted(found for found in path.rglob("*") if found.is_file())
    return {found.relative_to(path).as_posix(): file_digest(found) for found in files}
