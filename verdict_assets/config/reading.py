"""Strict reading of a YAML mapping: every key known, present and of the right type, or refused.

Here: how a file is checked and how its faults are told. Not here: which keys a file has
(`params.py`, `studies.py`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path

import yaml

from verdict_assets.errors import UserError


class _UniqueKeys(yaml.SafeLoader):
    """YAML without silent overwriting: a key given twice is a fault."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        seen: set[object] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable):
                if key in seen:
                    line = key_node.start_mark.line + 1
                    raise yaml.YAMLError(f"key {key!r} is given a second time in line {line}")
                seen.add(key)
        return dict(super().construct_mapping(node, deep))


class Section:
    """One mapping of a file. Readers note a fault and go on, so that `refuse_faults` can tell all at once."""

    def __init__(self, values: Mapping[str, object], file: str, path: str, faults: list[str]) -> None:
        self._values = values
        self._file = file
        self._path = path
        self._faults = faults

    @classmethod
    def of_file(cls, path: Path, shown_as: str) -> Section:
        """Read one file. `shown_as` is the name that messages use.

        Raises `UserError` when the file is missing, is not YAML, or is not a mapping.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise UserError(
                "the file does not exist",
                where=shown_as,
                remedy="restore it from git, or run in the project folder",
            ) from None
        try:
            values = yaml.load(text, Loader=_UniqueKeys)
        except yaml.YAMLError as error:
            raise UserError(
                f"not readable as YAML: {error}", where=shown_as, remedy="correct the file"
            ) from None
        if not isinstance(values, dict):
            raise UserError(
                "a mapping of keys to values is expected", where=shown_as, remedy="correct the file"
            )
        return cls({str(key): value for key, value in values.items()}, shown_as, "", [])

    def only(self, *known: str) -> None:
        """Refuse every key but `known`."""
        for key in self._values:
            if key not in known:
                self._faults.append(f"{self._at(key)}: unknown key; known here: {', '.join(known)}")

    def has(self, key: str) -> bool:
        """Whether the key is given."""
        return key in self._values

    def is_word(self, key: str, word: str) -> bool:
        """Whether the key holds exactly this word."""
        return self._values.get(key) == word

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def text(self, key: str) -> str:
        """A text that is not blank."""
        value = self._get(key)
        if isinstance(value, str) and value.strip():
            return value
        self._wrong(key, value, "a non-empty text")
        return ""

    def choice(self, key: str, allowed: tuple[str, ...]) -> str:
        """One of the texts in `allowed`."""
        value = self._get(key)
        if isinstance(value, str) and value in allowed:
            return value
        self._wrong(key, value, "one of " + ", ".join(allowed))
        return allowed[0]

    def number(self, key: str, low: float, high: float = math.inf, *, above: bool = False) -> float:
        """A finite number in [low, high], or in (low, high] with `above`."""
        value = self._get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high:
            number = float(value)
            if math.isfinite(number) and not (above and number == low):
                return number
        self._wrong(key, value, f"a number {_interval(low, high, above)}")
        return low

    def integer(self, key: str, low: int, high: float = math.inf) -> int:
        """A whole number in [low, high]."""
        value = self._get(key)
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self._wrong(key, value, f"a whole number {_interval(low, high, False)}")
        return low

    def texts(self, key: str) -> tuple[str, ...]:
        """A non-empty list of different texts."""
        value = self._get(key)
        if isinstance(value, list) and value and all(isinstance(item, str) and item for item in value):
            if len(set(value)) == len(value):
                return tuple(value)
            self._faults.append(f"{self._at(key)}: the same entry is given twice")
            return tuple(value)
        self._wrong(key, value, "a non-empty list of texts")
        return ()

    def integers(self, key: str, low: int) -> tuple[int, ...]:
        """A non-empty list of different whole numbers, each at least `low`."""
        value = self._get(key)
        if isinstance(value, list) and value and all(type(item) is int and item >= low for item in value):
            if len(set(value)) == len(value):
                return tuple(value)
            self._faults.append(f"{self._at(key)}: the same entry is given twice")
            return tuple(value)
        self._wrong(key, value, f"a list of different whole numbers, each at least {low}")
        return ()

    def section(self, key: str) -> Section:
        """The mapping under a key."""
        value = self._get(key)
        if not isinstance(value, dict):
            self._wrong(key, value, "a mapping of keys to values")
            # The fault is noted; a detached list keeps the missing keys below it from being told as well.
            return Section({}, self._file, self._at(key), [])
        return Section({str(k): v for k, v in value.items()}, self._file, self._at(key), self._faults)

    def sections(self, key: str) -> Iterator[Section]:
        """The mappings of a non-empty list."""
        value = self._get(key)
        if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
            self._wrong(key, value, "a non-empty list of mappings")
            return
        for index, item in enumerate(value):
            at = f"{self._at(key)}[{index}]"
            yield Section({str(k): v for k, v in item.items()}, self._file, at, self._faults)

    def fault(self, key: str, message: str) -> None:
        """Note a fault that needs more than one key to be seen."""
        self._faults.append(f"{self._at(key)}: {message}")

    def refuse_faults(self) -> None:
        """Raise one `UserError` that names every fault noted in the file."""
        if self._faults:
            raise UserError("; ".join(self._faults), where=self._file, remedy="correct the keys named here")

    def _at(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def _get(self, key: str) -> object:
        return self._values.get(key, _MISSING)

    def _wrong(self, key: str, value: object, expected: str) -> None:
        if value is _MISSING:
            self._faults.append(f"{self._at(key)}: missing; expected {expected}")
            return
        hint = ""
        if (
            isinstance(value, str)
            and expected.startswith(("a number", "a whole number"))
            and _is_number(value)
        ):
            # YAML 1.1 takes 1e-4 for a text, since its numbers need a dot.
            hint = f" (YAML reads {value} as text: write it with a decimal point, like {float(value)!r})"
        self._faults.append(f"{self._at(key)}: {value!r} is not {expected}{hint}")


_MISSING = object()


def _interval(low: float, high: float, above: bool) -> str:
    start = f"above {low:g}" if above else f"of at least {low:g}"
    return start if math.isinf(high) else f"{start} and at most {high:g}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
