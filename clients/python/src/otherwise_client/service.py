"""One service: how it is called, when a call is tried again, and how its answers become errors."""

from __future__ import annotations

import email.utils
import json
import random
import time
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import httpx

from .errors import InvalidPayload, OtherwiseError, Stale, Unavailable, bad_answer
from .port import Port

#: Tries of one call, the first included: about four seconds of pauses at most where the service says nothing.
TRIES = 4
#: The first pause is a random time up to this, in seconds; the next ones up to twice as long each.
FIRST_PAUSE = 0.5
#: No pause is longer, whatever Retry-After says: a person may be waiting.
LONGEST_PAUSE = 30.0
#: Levels that JSON may nest, as in the service: what walks deeper values would exhaust the stack.
LEVELS = 128
#: Statuses that a later try may change.
_PASSING = frozenset({429, 502, 503, 504})
#: Codes among them that it does not: the executor was heard, or may not be called.
_FINAL = frozenset({"executor_refused", "executor_not_allowed", "bad_result"})


def jitter(doublings: int) -> float:
    """A random part of the pause that has been doubled so often."""
    return random.uniform(0.0, min(LONGEST_PAUSE, FIRST_PAUSE * 2.0**doublings))


def user_agent() -> str:
    try:
        version = metadata.version("otherwise-client")
    except metadata.PackageNotFoundError:
        version = "0"
    return f"otherwise-client-python/{version}"


def header_text(what: str, value: str) -> str:
    """A value that can stand in a header."""
    if not value or not value.isascii() or not value.isprintable():
        raise ValueError(f"{what} goes into a header: use printable ASCII characters")
    return value


class Service:
    """A service at an address, called by one principal."""

    def __init__(self, port: Port, url: str, key: str | None, client: str | None, max_age: float) -> None:
        address = httpx.URL(url)
        if address.scheme not in ("http", "https") or not address.host:
            raise ValueError(f"`{url}` is no address of a service: give one such as http://127.0.0.1:8080")
        if max_age < 0:
            raise ValueError("max_age is a number of seconds from 0")
        self.port = port
        self.url = url.rstrip("/")
        self.max_age = max_age
        self._headers = {"User-Agent": user_agent(), "Accept-Encoding": "gzip"}
        if key is not None:
            self._headers["Authorization"] = f"Bearer {header_text('key', key)}"
        if client is not None:
            self._headers["Otherwise-Client"] = header_text("client", client)

    def request(
        self, method: str, path: str, query: Mapping[str, str], headers: Mapping[str, str], body: bytes | None, **more: Any
    ) -> httpx.Request:
        sent = {**self._headers, **headers}
        return self.port.build(
            method, self.url + path, params=dict(query) or None, headers=sent, content=body, **more
        )

    async def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        heard: tuple[int, ...] = (),
    ) -> httpx.Response:
        """The answer to a call, which is tried again while that may help. Anything but 2xx, 304 and what is to be `heard` is raised."""
        tried = 0
        while True:
            request = self.request(method, path, query or {}, headers or {}, body)
            tried += 1
            wait = 0.0
            try:
                response = await self.port.fetch(request)
            except (httpx.UnsupportedProtocol, httpx.LocalProtocolError):
                raise
            except httpx.RequestError as broken:
                failure: OtherwiseError = Unavailable("unreachable", None, "Service cannot be reached", str(broken))
            else:
                if response.is_success or response.status_code in (304, *heard):
                    return response
                failure = failure_of(response)
                if not isinstance(failure, Unavailable):
                    raise failure
                wait = retry_after(response)
            if tried == TRIES:
                raise failure
            await self.port.sleep(min(LONGEST_PAUSE, wait + jitter(tried - 1)))


def failure_of(response: httpx.Response) -> OtherwiseError:
    """The error that an answer tells of; `Unavailable` where a later try may help."""
    try:
        problem = read_json(response.content)
    except ValueError:
        problem = None
    status = response.status_code
    if not isinstance(problem, dict) or not isinstance(problem.get("code"), str):
        title, detail = f"Answered with {status}", "The answer is no problem document."
        problem = {"code": "bad_answer", "title": title, "detail": detail}
    code: str = problem["code"]
    kind: type[OtherwiseError] = OtherwiseError
    if code == "invalid_payload":
        kind = InvalidPayload
    elif code == "schema_retired":
        kind = Stale
    elif code == "idempotency_in_flight" or (status in _PASSING and code not in _FINAL):
        kind = Unavailable
    return kind(code, status, str(problem.get("title", "")), str(problem.get("detail", "")), problem)


def retry_after(response: httpx.Response) -> float:
    """The seconds that an answer asks to wait: said as a number, or as a moment."""
    said = response.headers.get("Retry-After", "").strip()
    if said.isascii() and said.isdigit():
        return float(said)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(said).timestamp() - time.time())
    except (TypeError, ValueError, OverflowError):
        return 0.0


def read_json(text: str | bytes) -> Any:
    """Parses JSON. Fails with `ValueError` where the text is none, or nests too deeply."""
    try:
        value = json.loads(text)
    except RecursionError as deep:
        raise ValueError("it nests too deeply") from deep
    level = [value]
    for _ in range(LEVELS):
        level = [
            one
            for held in level
            if isinstance(held, (dict, list))
            for one in (held.values() if isinstance(held, dict) else held)
        ]
        if not level:
            return value
    raise ValueError("it nests too deeply")


def read_object(response: httpx.Response) -> dict[str, Any]:
    """The object that an answer holds."""
    try:
        value = read_json(response.content)
    except ValueError as unreadable:
        raise bad_answer(response.status_code, f"It holds no JSON: is this the service? ({unreadable})") from unreadable
    if not isinstance(value, dict):
        raise bad_answer(response.status_code, "It holds no JSON object: is this the service?")
    return value


def as_body(value: Mapping[str, Any]) -> bytes:
    """JSON as it goes over the wire, the same bytes at every try."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
