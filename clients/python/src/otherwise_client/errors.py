"""How a call fails. Every error names the service's code, so that a program can tell them apart."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from .wire import Violation


#: Values of a closed list that a message names: a dozen is read, more is searched.
VALUES_TOLD = 12


class OtherwiseError(Exception):
    """The service refused, or answered what could not be read."""

    def __init__(
        self, code: str, status: int | None, title: str, detail: str = "", problem: dict[str, Any] | None = None
    ) -> None:
        super().__init__(f"{title} ({code}): {detail}" if detail else f"{title} ({code})")
        self.code = code
        self.status = status
        self.title = title
        self.detail = detail
        #: The problem document as it came.
        self.problem: dict[str, Any] = problem or {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets an error pass between processes."""
        return _revived, (type(self), self.args, self.__dict__)


class InvalidPayload(OtherwiseError):
    """The payload does not fit the template; `violations` lists every reason."""

    @property
    def violations(self) -> list[Violation]:
        listed = self.problem.get("violations")
        return [cast(Violation, one) for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []

    def __str__(self) -> str:
        return "\n- ".join([super().__str__(), *map(_told, self.violations)])


class DigestRefused(OtherwiseError):
    """The template changed in a way that the pin refuses; `accept()` takes it."""

    def __init__(self, scenario: str, keys: Sequence[str]) -> None:
        named = ", ".join(f"`{key}`" for key in keys)
        super().__init__(
            "digest_refused", None, "Template changed", f"{named} of {scenario} changed: look, then call accept()"
        )
        self.keys = list(keys)


class Stale(OtherwiseError):
    """The schema that is held was retired. The next call fetches the one in force."""


class Unavailable(OtherwiseError):
    """Every try failed. What was submitted may be on record: submit it again with `idempotency_key`.

    A key that the client generated is good for ten minutes; one that the caller named as long as the service keeps keys.
    """

    idempotency_key: str | None = None


def bad_answer(status: int | None, detail: str) -> OtherwiseError:
    """The error for an answer that no service gives."""
    return OtherwiseError("bad_answer", status, "Answer cannot be read", detail)


def _told(violation: Violation) -> str:
    """Where a violation is, what would fit, and how it is repaired."""
    expected, repair = violation.get("expected"), violation.get("repair")
    values = expected.get("enum") if expected else None
    told = f"{violation.get('pointer', '')}: {violation.get('message', '')}"
    # Most messages name the values.
    if values and _json(values[0]) not in told:
        told += f"; one of {', '.join(map(_json, values[:VALUES_TOLD]))}"
        told += f" and {len(values) - VALUES_TOLD} more" if len(values) > VALUES_TOLD else ""
    elif expected and not values:
        told += f"; expected {_json(expected)}"
    return told + (f"; repair: {_json(repair)}" if repair else "")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _revived(kind: type[OtherwiseError], args: tuple[Any, ...], members: dict[str, Any]) -> OtherwiseError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(members)
    return error
