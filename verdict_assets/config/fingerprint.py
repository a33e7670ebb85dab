"""What a result depends on, as one hash: the source it runs, the parameters it reads, the inputs it takes.

Belongs here: hashing of sources, files and plain values. Does not: deciding what is done when a fingerprint
differs (orchestration), or the keys of requests (inference).

The source of a module stands for all modules of this package that it imports, directly or not, at the top
of the file or within a function. Other packages are not part of it: their versions are pinned in
constraints/.
"""

import ast
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

PACKAGE = "verdict_assets"
_FOLDER = Path(__file__).resolve().parent.parent

Plain = str | int | float | bool | None | list[str | int | float]
"""A value of a configuration."""


def fingerprint(parts: Mapping[str, object]) -> str:
    """sha256 of the parts as canonical JSON.

    Raises:
        TypeError: a part is not made of mappings, sequences, texts, numbers, booleans and None.
        ValueError: a number is not finite.
    """
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def sources(modules: Iterable[str]) -> dict[str, str]:
    """sha256 of the source of every module that the given ones use, by module name, sorted.

    Raises:
        ValueError: one of the given modules is not a module of this package.
    """
    found: dict[str, str] = {}
    waiting = list(modules)
    for name in waiting:
        if _file(name) is None:
            raise ValueError(f"{name} is not a module of {PACKAGE}")
    while waiting:
        name = waiting.pop()
        file = _file(name)
        if file is None or name in found:
            continue
        found[name], imported = _read(file)
        # A module runs after the packages it lies in.
        waiting += [*imported, *_parents(name)]
    return dict(sorted(found.items()))


def file_hashes(paths: Iterable[Path], base: Path) -> dict[str, str]:
    """sha256 of each file's bytes by its path below `base`, sorted."""
    hashes = {}
    for path in sorted(paths):
        with path.open("rb") as file:
            hashes[path.relative_to(base).as_posix()] = hashlib.file_digest(file, "sha256").hexdigest()
    return hashes


def leaves(values: Mapping[str, object], prefix: str = "") -> dict[str, Plain]:
    """Every value of nested mappings by its dotted path. Mappings in a list go by their `name`.

    Raises:
        TypeError: a value is none that a configuration has.
    """
    found: dict[str, Plain] = {}
    for key, value in values.items():
        path = f"{prefix}{key}"
        if isinstance(value, Mapping):
            found |= leaves(value, f"{path}.")
        elif value is None or isinstance(value, str | int | float):
            found[path] = value
        elif not isinstance(value, Sequence):
            raise TypeError(f"{path} is a {type(value).__name__}")
        elif value and all(isinstance(item, Mapping) for item in value):
            found |= leaves({str(item["name"]): item for item in value}, f"{path}.")
        else:
            found[path] = list(value)
    return found


@cache
def _read(file: Path) -> tuple[str, tuple[str, ...]]:
    """The hash of one file and the names it imports from this package."""
    source = file.read_bytes()
    return hashlib.sha256(source).hexdigest(), tuple(_imports(ast.parse(source, filename=str(file))))


def _imports(tree: ast.Module) -> Iterator[str]:
    """Names that may be modules: `from a import b` may mean the module a.b or a name within a."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _file(name: str) -> Path | None:
    """The source file of a module of this package; None for anything else."""
    parts = name.split(".")
    if parts[0] != PACKAGE:
        return None
    path = _FOLDER.joinpath(*parts[1:])
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.is_file():
            return file
    return None


def _parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    for length in range(1, len(parts)):
        yield ".".join(parts[:length])
