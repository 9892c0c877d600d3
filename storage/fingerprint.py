"""The fingerprint of code: the syntax trees of all of ours that a function reaches, without importing it."""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock

from situatedgen.errors import SettingsError

Symbol = tuple[str, str]
RESOURCES = "situatedgen.resources"
# Syntax trees are laid bare in place, and Python 3.11 fails over two threads that parse at once.
_one_reader = Lock()


@dataclass(frozen=True)
class Module:
    """The names of a module: what each is defined by, and what each import stands for."""

    name: str
    folder: Path
    definitions: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, Symbol] = field(default_factory=dict)


@cache
def fingerprint(target: str) -> str:
    """The digest of the code behind `module:attribute` and of everything of its package that it reaches.

    Comments, docstrings, layout and the annotations of signatures do not count; data files that the
    code names in `read_text` and `read_lines` do.

    Raises:
        SettingsError: there is no such module or attribute.
    """
    digest = hashlib.sha256()
    for (module, name), text in sorted(parts(target).items()):
        digest.update(f"{module}:{name}\x1f{text}\x1e".encode())
    return digest.hexdigest()


@cache
def parts(target: str) -> dict[Symbol, str]:
    """Each symbol that a target reaches, with the digest of its syntax tree.

    Raises:
        SettingsError: there is no such module or attribute.
    """
    with _one_reader:
        return _parts(target)


def _parts(target: str) -> dict[Symbol, str]:
    module, _, name = target.partition(":")
    if name not in read_module(module).definitions and name not in read_module(module).imports:
        raise SettingsError(f"module {module!r} has no {name!r}")
    found: dict[Symbol, str] = {}
    waiting: list[Symbol] = [(module, name)]
    while waiting:
        symbol = resolve(waiting.pop())
        if symbol is not None and symbol not in found:
            found[symbol] = _own_digest(symbol)
            waiting.extend(references(symbol))
    return found


def forget() -> None:
    """Read all code anew from now on: it was edited while this process runs."""
    for remembered in (fingerprint, parts, references, read_module, bare_nodes, _own_digest, _resource, _origin):
        remembered.cache_clear()


def resolve(symbol: Symbol) -> Symbol | None:
    """Where a symbol is defined, following re-exports; nothing when it is not in one of our modules."""
    module_name, name = symbol
    module = read_module(module_name)
    if name in module.definitions:
        return symbol
    if name in module.imports and ours(module.imports[name][0], module_name):
        return resolve(module.imports[name])
    return None


@cache
def references(symbol: Symbol) -> tuple[Symbol, ...]:
    """The symbols that a definition names directly, each once."""
    return tuple(dict.fromkeys(_references(symbol)))


def _references(symbol: Symbol) -> Iterator[Symbol]:
    module, nodes = read_module(symbol[0]), bare_nodes(symbol)
    imports = {**module.imports, **_imports_of(nodes, module)}
    for node in nodes:
        yield from _referenced(node, module, imports)


def ours(module: str, beside: str) -> bool:
    """Whether a module belongs to the same top-level package as another, or to the domain."""
    top = module.partition(".")[0]
    return top in {beside.partition(".")[0], "situatedgen"} and _origin(module) is not None


@cache
def read_module(name: str) -> Module:
    """The definitions and imports at the top of a module, read without running it.

    Raises:
        SettingsError: there is no such module, or it is not Python source.
    """
    origin = _origin(name)
    if origin is None:
        raise SettingsError(f"module {name!r} is not found as Python source")
    module = Module(name, origin.parent)
    tree = ast.parse(origin.read_text(encoding="utf-8"))
    for statement in tree.body:
        for defined in _names_of(statement):
            module.definitions.setdefault(defined, []).append(statement)
    module.imports.update(_imports_of(tree.body, module))
    return module


@cache
def bare_nodes(symbol: Symbol) -> tuple[ast.AST, ...]:
    """The syntax tree of a definition, node by node, without docstrings and the annotations of signatures."""
    nodes: list[ast.AST] = list(read_module(symbol[0]).definitions[symbol[1]])
    for node in nodes:
        _lay_bare(node)
        nodes.extend(ast.iter_child_nodes(node))
    return tuple(nodes)


def _lay_bare(node: ast.AST) -> None:
    if isinstance(node, ast.arg):
        node.annotation = None
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        node.returns = None
    elif not isinstance(node, ast.ClassDef):
        return
    if not isinstance(node, ast.arg) and ast.get_docstring(node, clean=False) is not None:
        node.body = node.body[1:] or [ast.Pass()]


@cache
def _own_digest(symbol: Symbol) -> str:
    module, nodes = read_module(symbol[0]), bare_nodes(symbol)
    digest = hashlib.sha256()
    for statement in module.definitions[symbol[1]]:
        digest.update(ast.dump(statement).encode("utf-8"))
    for name in _resource_names(nodes, module):
        digest.update(_resource(name))
    return digest.hexdigest()


def _referenced(node: ast.AST, module: Module, imports: dict[str, Symbol]) -> Iterator[Symbol]:
    if isinstance(node, ast.Name) and node.id in module.definitions:
        yield module.name, node.id
    elif isinstance(node, ast.Name) and node.id in imports:
        imported, name = imports[node.id]
        if ours(imported, module.name) and not _is_submodule(imported, name):
            yield imported, name
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imports:
        imported, name = imports[node.value.id]
        if ours(imported, module.name) and _is_submodule(imported, name):
            yield f"{imported}.{name}", node.attr


def _is_submodule(package: str, name: str) -> bool:
    return name not in read_module(package).definitions and _origin(f"{package}.{name}") is not None


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
            origin = _absolute(node, module)
            found.update({alias.asname or alias.name: (origin, alias.name) for alias in node.names})
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package, _, name = alias.name.rpartition(".")
                if package and alias.asname:
                    found[alias.asname] = (package, name)
    return found


def _absolute(node: ast.ImportFrom, module: Module) -> str:
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
def _resource(name: str) -> bytes:
    return hashlib.sha256((read_module(RESOURCES).folder / name).read_bytes()).digest()


@cache
def _origin(module: str) -> Path | None:
    """The source file of a module, found without importing it or any of its parents."""
    top, *rest = module.split(".")
    spec = find_spec(top)
    if spec is None or spec.origin is None:
        return None
    if not rest:
        return Path(spec.origin) if spec.origin.endswith(".py") else None
    base = Path(spec.origin).parent.joinpath(*rest)
    choices = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in choices if path.is_file()), None)
