"""Applies the repairs of violations: operations of RFC 6902 on a submission."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable
from typing import Any

from .wire import Violation

#: Characters of JSON that a copied value may take: copies of copies would grow without an end.
COPIED = 1 << 20


def repaired(payload: dict[str, Any], violations: Iterable[Violation], lossy: bool = False) -> dict[str, Any] | None:
    """The payload with every violation repaired; none where one has no repair, or one that cannot be applied.

    A repair that may lose something of what the caller wrote is applied with `lossy` alone.
    """
    document: Any = {"payload": copy.deepcopy(payload)}
    operations: list[dict[str, Any]] = []
    try:
        for violation in violations:
            if not violation.get("repair"):
                return None
            operations += violation["repair"]
        if not (lossy or all(operation.get("lossless") is True for operation in operations)):
            return None
        for operation in operations:
            _apply(document, operation)
        mended = document["payload"]
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError):
        return None
    return mended if operations and isinstance(mended, dict) else None


def _apply(document: Any, operation: dict[str, Any]) -> None:
    op, path = operation["op"], operation["path"]
    if op == "remove":
        _take(document, path)
    elif op == "replace":
        _take(document, path)
        _put(document, path, copy.deepcopy(operation["value"]))
    elif op == "add":
        _put(document, path, copy.deepcopy(operation["value"]))
    elif op == "move":
        _put(document, path, _take(document, operation["from"]))
    elif op == "copy":
        place, step = _find(document, operation["from"])
        if len(json.dumps(place[step])) > COPIED:
            raise ValueError("too large to be copied")
        _put(document, path, copy.deepcopy(place[step]))
    else:
        raise ValueError(f"no operation {op}")


def _find(document: Any, path: str) -> tuple[Any, Any]:
    """The object or list that a pointer leads into, and the name or place in it."""
    if not path.startswith("/"):
        raise ValueError("a pointer begins with a slash")
    steps = [step.replace("~1", "/").replace("~0", "~") for step in path[1:].split("/")]
    for step in steps[:-1]:
        document = document[_step(document, step)]
    return document, _step(document, steps[-1])


def _step(place: Any, step: str) -> Any:
    if not isinstance(place, list):
        return step
    if step == "-":
        return len(place)
    if not (step.isascii() and step.isdigit()):
        raise ValueError("a place in a list is a number")
    return int(step)


def _take(document: Any, path: str) -> Any:
    place, step = _find(document, path)
    return place.pop(step)


def _put(document: Any, path: str, value: Any) -> None:
    place, step = _find(document, path)
    if not isinstance(place, list):
        place[step] = value
    elif step <= len(place):
        place.insert(step, value)
    else:
        raise IndexError(step)
