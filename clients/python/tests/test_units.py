"""Rules that stand alone: repairs, events in pieces, moments to wait for."""

from __future__ import annotations

import datetime
import email.utils
import json
import pickle
import subprocess
import sys
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

import httpx
import pytest

from otherwise_client import DigestRefused, InvalidPayload, Otherwise, OtherwiseError, SchemaDeprecationWarning, Unavailable
from otherwise_client.json_patch import repaired
from otherwise_client.pin import digest, version_range
from otherwise_client.service import LONGEST_PAUSE, jitter, retry_after
from otherwise_client.sse import Events

# A connection that nobody closed fails a test, in a finaliser too.
pytestmark = pytest.mark.filterwarnings("error::ResourceWarning", "error::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.parametrize(
    ("operation", "mended"),
    [
        ({"op": "add", "path": "/payload/list/1", "value": "x"}, {"list": ["a", "x", "b"], "deep": {"~/": 1}}),
        ({"op": "add", "path": "/payload/list/2", "value": "x"}, {"list": ["a", "b", "x"], "deep": {"~/": 1}}),
        ({"op": "replace", "path": "/payload/list/0", "value": None}, {"list": [None, "b"], "deep": {"~/": 1}}),
        ({"op": "replace", "path": "/payload/deep/~0~1", "value": 2}, {"list": ["a", "b"], "deep": {"~/": 2}}),
        ({"op": "move", "from": "/payload/list/0", "path": "/payload/list/1"}, {"list": ["b", "a"], "deep": {"~/": 1}}),
        ({"op": "replace", "path": "/payload", "value": {"new": True}}, {"new": True}),
        ({"op": "add", "path": "/payload/list/3", "value": "x"}, None),
        ({"op": "remove", "path": "/payload/list/2"}, None),
        ({"op": "remove", "path": "/payload/list/-1"}, None),
        ({"op": "replace", "path": "/payload/gone", "value": 1}, None),
        ({"op": "replace", "path": "payload/list", "value": 1}, None),
        ({"op": "replace", "path": "/payload/list"}, None),
        ({"op": "replace", "path": "/payload", "value": []}, None),
        ({"op": "remove", "path": "/payload"}, None),
        ({"op": "test", "path": "/payload/list", "value": 1}, None),
    ],
)
def test_a_repair_is_an_operation_of_rfc_6902(operation: dict[str, Any], mended: dict[str, Any] | None) -> None:
    payload = {"list": ["a", "b"], "deep": {"~/": 1}}
    violation: Any = {"key": "x", "repair": [{**operation, "lossless": True}]}
    assert repaired(payload, [violation]) == mended
    assert payload == {"list": ["a", "b"], "deep": {"~/": 1}}, "the caller's payload stays"


def test_events_come_in_any_pieces() -> None:
    text = 'retry: 250\r\rid: 7\r\nevent: update\r\ndata: {"a":\r\ndata: "ü"}\r\n\r\n: alive\n\ndata\n\nid: 8\n\nevent: bye\ndata: {}\n\n'
    whole = text.encode()
    for size in (1, 2, 3, len(whole)):
        events = Events()
        read = [one for at in range(0, len(whole), size) for one in events.feed(whole[at : at + size])]
        told = [(one.name, one.data, one.id) for one in read]
        assert told == [("update", '{"a":\n"ü"}', "7"), ("message", "", "7"), ("bye", "{}", "8")], size
        assert events.retry == 0.25


def test_retry_after_is_a_number_or_a_moment() -> None:
    soon = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=90)
    past = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
    said = [("7", 7.0), ("0", 0.0), (email.utils.format_datetime(past, usegmt=True), 0.0), ("soon", 0.0), ("-3", 0.0), ("", 0.0)]
    for text, seconds in said:
        assert retry_after(httpx.Response(503, headers={"Retry-After": text})) == seconds, text
    assert 80 < retry_after(httpx.Response(503, headers={"Retry-After": email.utils.format_datetime(soon, usegmt=True)})) <= 90
    assert all(0 <= jitter(n) <= min(LONGEST_PAUSE, 0.5 * 2**n) for n in range(100))


def test_a_digest_is_that_of_canonical_json() -> None:
    template: Any = {"key_digests": {"b": "sha256:2", "a": "sha256:1"}}
    # The SHA-256 of {"a":"sha256:1","b":"sha256:2"}.
    assert digest(template) == "sha256:e6dc1069859af99f6db974d408b3ae94309863c7ae10903ce11b980cdc0cb9df"
    assert [version_range(pin) for pin in ("additive", "exact", "none", "^1", ">=1, <3", "1.3.0")] == [None] * 3 + ["^1", ">=1, <3", "1.3.0"]


@pytest.mark.parametrize("wrong", ["hello", 7, ["zone"], None])
def test_what_is_no_payload_is_told_with_what_would_be_one(wrong: Any) -> None:
    with Otherwise("http://127.0.0.1:1") as service:
        for call in (service.scenario("tram").submit, service.scenario("tram").validate):
            with pytest.raises(TypeError, match=rf"mapping .* not {type(wrong).__name__}: .*\.other\(text, payload\)"):
                call(wrong)
        with pytest.raises(ValueError, match="pin_state"):
            service.scenario("tram", pin_state=cast(Any, wrong or "null"))


def test_a_schema_that_is_to_go_is_warned_of_once() -> None:
    told = {"Deprecation": "@1777622400", "Sunset": "Sat, 01 Aug 2026 00:00:00 GMT", "Otherwise-Latest": "2.0.0"}

    def answer(request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers=told, json=TEMPLATE if request.method == "GET" else {"payload": {}, "exchange": {}})

    with Otherwise("http://service", max_age=0, transport=httpx.MockTransport(answer)) as service:
        tram = service.scenario("tram")
        with pytest.warns(SchemaDeprecationWarning, match="tram_v1 .* from 2026-08-01T00:00:00Z on; version 2.0.0 is in force"):
            tram.submit({})
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            tram.submit({})
            assert tram.template()["latest"] == "2.0.0"


NOT_CLOSED = """
import asyncio, gc
from otherwise_client import AsyncOtherwise, Otherwise
def blocking():
    Otherwise(URL, client="ada").scenario("tram").template()
async def running():
    tram = AsyncOtherwise(URL, client="ada").scenario("tram")
    await asyncio.gather(*(tram.template() for _ in range(3)))
    return tram
async def dropped():
    await running()
    gc.collect()
    await asyncio.sleep(0.05)
blocking(); gc.collect()
asyncio.run(dropped())
tram = asyncio.run(running())  # is held beyond its loop, and used in another one
assert asyncio.run(tram.template())["schema_id"] == "tram_v1"
kept = Otherwise(URL, client="ada").scenario("tram")
kept.template()
"""


def test_a_client_that_is_not_closed_leaves_nothing_open() -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # so that connections are kept

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            body = json.dumps(TEMPLATE).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        program = NOT_CLOSED.replace("URL", f"'http://127.0.0.1:{server.server_address[1]}'")
        run = subprocess.run([sys.executable, "-W", "always::ResourceWarning", "-c", program], capture_output=True, text=True)
        server.shutdown()
        thread.join()
    assert (run.returncode, run.stderr) == (0, "")


TEMPLATE = {"schema_id": "tram_v1", "scenario": "tram", "version": "1.0.0", "revision": 1, "language": "en", "keys": [], "key_digests": {}}


def sent(own_key: str | None, pin: str, revision: int) -> list[tuple[str, bytes]]:
    """Keys and bodies of a submission that is repaired, by a client that holds that revision."""
    requests: list[tuple[str, bytes]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={**TEMPLATE, "revision": revision})
        requests.append((request.headers["Idempotency-Key"], request.content))
        repair = [{"op": "replace", "path": "/payload/zone", "value": "inner", "lossless": True}]
        if len(requests) == 1:
            return httpx.Response(422, json={"code": "invalid_payload", "violations": [{"key": "zone", "repair": repair}]})
        return httpx.Response(200, json={"payload": {}, "exchange": {}})

    with Otherwise("http://service", transport=httpx.MockTransport(answer)) as service:
        service.scenario("tram", pin=pin).submit({"zone": "iner"}, idempotency_key=own_key)
    return requests


def test_a_callers_key_is_one_submission_whatever_revision_is_held() -> None:
    assert sent("ride-1", "additive", 1) == sent("ride-1", "additive", 2)
    assert sent("ride-1", "additive", 1)[1] != sent("ride-2", "additive", 1)[1]
    # Without a key of the caller's, and where it is pinned, the revision is said.
    for key, pin in ((None, "additive"), ("ride-1", "exact")):
        assert [json.loads(body)["revision"] for _, body in sent(key, pin, 7)] == [7, 7]
    first, second = sent(None, "additive", 1), sent(None, "additive", 1)
    generated = {key for key, _ in first + second}
    assert len(generated) == 4 and all(len(key) == 46 and key.startswith("generated:") for key in generated)
    assert not any(key.startswith("generated:") for key, _ in sent("ride-1", "additive", 1))


def test_a_model_that_writes_no_json_is_told_and_asked_three_times() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        form = {"type": "function", "function": {"name": "tram", "parameters": {}}}
        return httpx.Response(200, json=form if "format" in request.url.params else TEMPLATE)

    asked: list[str] = []

    def llm(messages: list[dict[str, Any]], tool: dict[str, Any]) -> str:
        asked.append(json.dumps(messages))
        return '{"zone": "in'

    with Otherwise("http://service", transport=httpx.MockTransport(answer)) as service:
        with pytest.raises(OtherwiseError) as failed:
            service.scenario("tram").fill("to the centre", llm)
    assert failed.value.code == "bad_arguments" and len(asked) == 3 and "one JSON object" in asked[1]


@pytest.mark.parametrize(
    "error",
    [
        OtherwiseError("busy", 503, "Busy", "later", {"code": "busy"}),
        InvalidPayload("invalid_payload", 422, "No", "no", {"violations": [{"key": "zone", "message": "wrong"}]}),
        DigestRefused("tram", ["zone"]),
        Unavailable("unreachable", None, "Away"),
    ],
)
def test_an_error_passes_between_processes(error: OtherwiseError) -> None:
    revived = pickle.loads(pickle.dumps(error))
    assert type(revived) is type(error) and str(revived) == str(error) and revived.__dict__ == error.__dict__
