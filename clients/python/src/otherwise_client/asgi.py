"""An executor as an ASGI application: what a template's `executor` names, run by any ASGI server.

A call may come twice under one submission id. The first one's result answers the second: while the process lives, or as long
as the mapping given as `results` keeps it.
"""

from __future__ import annotations

import asyncio
import contextvars
import hmac
import inspect
import json
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, cast
from urllib.parse import unquote

log = logging.getLogger("otherwise_client")

Result = dict[str, Any]
Function = Callable[[dict[str, Any]], Result | Awaitable[Result]]
Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

#: Results that are kept where the caller keeps none: a day of a submission each nine seconds.
RESULTS_MAX = 10_000
#: Bytes of one call: eight times what a service takes unless its operator says otherwise.
BODY_BYTES_MAX = 2 * 1024 * 1024
#: Names that the service adds to a result itself.
RESERVED = ("exchange", "schema_update_suggestion")

_submission: contextvars.ContextVar[dict[str, Any]] = contextvars.ContextVar("otherwise_submission")


class Refused(Exception):
    """Raised by the function: this is not executed, and trying again does not help. A 4xx, for the caller as `executor_refused`."""

    def __init__(self, detail: str, status: int = 422) -> None:
        super().__init__(detail)
        if not 400 <= status <= 499 or status == 429:
            raise ValueError("a refusal has a status from 400 to 499 but for 429; raise Busy to be called again")
        self.status = status


class Busy(Exception):
    """Raised by the function: it did nothing, and is to be called again, after so many seconds."""

    def __init__(self, detail: str, after: int = 1) -> None:
        super().__init__(detail)
        self.after = after


class _Bad(Exception):
    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


def submission() -> dict[str, Any]:
    """The call that the function is in: `submission_id`, `schema_id`, `scenario`, `revision`, `client`."""
    return _submission.get()


class _Kept(OrderedDict[str, Result]):
    def __setitem__(self, key: str, value: Result) -> None:
        super().__setitem__(key, value)
        while len(self) > RESULTS_MAX:
            self.popitem(last=False)


def executor(function: Function, *, token: str | None, results: MutableMapping[str, Result] | None = None) -> App:
    """An application that calls the function with each payload. `token` is the one that the operator names for this host in
    `executors.tokens`; None where there is none, which lets anybody call who reaches it."""
    kept: MutableMapping[str, Result] = _Kept() if results is None else results
    under_way: dict[str, asyncio.Task[Result]] = {}

    async def once(call: dict[str, Any]) -> Result:
        name = call["submission_id"]
        if name in kept:
            return kept[name]
        if name not in under_way:
            under_way[name] = asyncio.create_task(begun(name, call))
        # Shielded: a service that hangs up does not undo what was begun.
        return await asyncio.shield(under_way[name])

    async def begun(name: str, call: dict[str, Any]) -> Result:
        try:
            kept[name] = result = await _called(function, call)
            return result
        finally:
            del under_way[name]

    async def app(scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]) -> None:
        if scope["type"] == "lifespan":
            while (await receive())["type"] != "lifespan.shutdown":
                await send({"type": "lifespan.startup.complete"})
            await send({"type": "lifespan.shutdown.complete"})
            return
        if scope["type"] != "http":
            raise ValueError(f"an executor is called over HTTP, not over {scope['type']}")
        more: list[tuple[bytes, bytes]] = []
        try:
            call = await _read(scope, receive, token)
            status, answer = 200, await once(call)
        except _Bad as bad:
            status, answer = bad.status, _problem(bad.status, str(bad))
        except Refused as refused:
            status, answer = refused.status, _problem(refused.status, str(refused))
        except Busy as busy:
            status, answer = 503, _problem(503, str(busy))
            more = [(b"retry-after", str(busy.after).encode())]
        except Exception:
            log.exception("the executor's function failed")
            status, answer = 500, _problem(500, "the executor failed; its log says why")
        kind = b"application/json" if status == 200 else b"application/problem+json"
        head = {"type": "http.response.start", "status": status, "headers": [(b"content-type", kind), *more]}
        await send(head)
        await send({"type": "http.response.body", "body": json.dumps(answer, allow_nan=False).encode()})

    return app


async def _called(function: Function, call: dict[str, Any]) -> Result:
    _submission.set({name: value for name, value in call.items() if name != "payload"})
    if inspect.iscoroutinefunction(function):
        result = await function(call["payload"])
    else:
        result = await asyncio.to_thread(cast(Callable[[dict[str, Any]], Result], function), call["payload"])
    if not isinstance(result, dict) or any(name in result for name in RESERVED):
        raise TypeError(f"the function gives an object without the members {' and '.join(RESERVED)}")
    json.dumps(result, allow_nan=False)
    return result


async def _read(scope: Message, receive: Callable[[], Awaitable[Message]], token: str | None) -> dict[str, Any]:
    """The call, once there is nothing wrong with it."""
    headers = {name.lower(): value for name, value in scope["headers"]}
    if token is not None:
        given = headers.get(b"authorization", b"")
        if not hmac.compare_digest(given, b"Bearer " + token.encode()):
            raise _Bad(401, "the bearer token is not the one of this executor")
    if scope["method"] != "POST":
        raise _Bad(405, "an executor is called with POST")
    if headers.get(b"content-type", b"").split(b";")[0].strip().lower() != b"application/json":
        raise _Bad(415, "the body is application/json")
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise _Bad(400, "the body broke off")
        body += message.get("body", b"")
        if len(body) > BODY_BYTES_MAX:
            raise _Bad(413, f"the body has more than {BODY_BYTES_MAX} bytes")
        if not message.get("more_body", False):
            break
    try:
        call = json.loads(bytes(body))
    except ValueError:
        call = None
    if not isinstance(call, dict) or not isinstance(call.get("payload"), dict) or not isinstance(call.get("submission_id"), str):
        raise _Bad(400, "the body is an object with `submission_id` and `payload`")
    if unquote(headers.get(b"idempotency-key", b"").decode("ascii", "replace")) != call["submission_id"]:
        raise _Bad(400, "the header Idempotency-Key is the submission_id of the body")
    return call


def _problem(status: int, detail: str) -> Result:
    return {"title": "Not executed", "status": status, "detail": detail}
