"""What a server agent takes of the package: an executor and a receiver of webhooks, called by the real service."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import uvicorn

from otherwise_client import Otherwise, OtherwiseError
from otherwise_client.asgi import Busy, Refused, executor, submission
from otherwise_client.webhooks import BadSignature, verify
from running import PATIENCE, answering, served

TOKEN = "a-token-of-this-host"


@contextmanager
def running(app: Any) -> Iterator[str]:
    """An ASGI application on loopback."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


class Tram:
    """The function: sells a ticket, has none left, or is asked again."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, payload: dict[str, Any]) -> dict[str, Any]:
        said = submission()
        self.calls.append((said["submission_id"], payload))
        if payload["stop"] == "nowhere":
            raise Refused("no tram goes there")
        if payload["stop"] == "later" and len(self.calls) < 3:
            raise Busy("the till is being emptied", after=0)
        if payload["stop"] == "broken":
            raise RuntimeError("a fault with a secret in it")
        return {"ticket": f"{payload['stop']} for {said['client']}"}


def test_the_service_calls_an_executor() -> None:
    tram = Tram()
    with running(executor(tram, token=TOKEN)) as host:
        settings = f'[executors]\ninner_hosts = ["{host}"]\ntokens = ["{host}=env:TRAM_TOKEN"]\n'
        schema = {
            "schema_id": "tram_v1",
            "scenario": "tram",
            "executor": {"url": f"http://{host}/book", "timeout_ms": 8000, "attempts": 4},
            "response_schema": {"type": "object", "required": ["ticket"]},
            "keys": [{"key_name": "stop", "key_type": "string", "required": True, "semantic_description": "The stop."}],
        }
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("TRAM_TOKEN", TOKEN)
            with served(settings) as url, Otherwise(url, client="ada") as service:
                answer = httpx.put(f"{url}/v1/schemas/tram_v1", json=schema, headers={"Otherwise-Client": "pat"})
                assert answer.status_code == 201, answer.text
                trams = service.scenario("tram")
                reply: Any = trams.submit({"stop": "castle"})
                assert reply["ticket"] == "castle for ada" and reply["exchange"]["status"] == "accepted"
                with pytest.raises(OtherwiseError) as refused:
                    trams.submit({"stop": "nowhere"})
                assert (refused.value.code, refused.value.problem["executor_status"]) == ("executor_refused", 422)
                tram.calls.clear()
                # Called again by the service, under one id.
                late: Any = trams.submit({"stop": "later"})
                assert late["ticket"] == "later for ada" and len({name for name, _ in tram.calls}) == 1 and len(tram.calls) == 3
                with Otherwise(url, client="ada", sleep=lambda _: None) as hasty, pytest.raises(OtherwiseError) as broken:
                    hasty.scenario("tram").submit({"stop": "broken"})
                assert broken.value.code == "executor_failed" and "secret" not in json.dumps(broken.value.problem)


def call(host: str, body: Any, **headers: str) -> httpx.Response:
    sent = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}", "Idempotency-Key": "tram.1", **headers}
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return httpx.post(f"http://{host}/book", content=content, headers={name: value for name, value in sent.items() if value})


CALL = {"submission_id": "tram.1", "schema_id": "tram_v1", "scenario": "tram", "revision": 2, "client": "ada", "payload": {"stop": "x"}}


def test_an_executor_answers_a_known_id_with_its_first_result_and_what_is_no_call_with_a_reason() -> None:
    tram = Tram()
    kept: dict[str, Any] = {}
    with running(executor(tram, token=TOKEN, results=kept)) as host:
        first, again = (call(host, CALL) for _ in range(2))
        assert first.json() == again.json() == {"ticket": "x for ada"} and len(tram.calls) == 1
        assert kept == {"tram.1": {"ticket": "x for ada"}}
        wrong = [
            (call(host, CALL, Authorization="Bearer another"), 401),
            (call(host, CALL, Authorization=""), 401),
            (call(host, CALL, **{"Content-Type": "text/plain"}), 415),
            (call(host, CALL, **{"Idempotency-Key": "tram.2"}), 400),
            (call(host, CALL, **{"Idempotency-Key": ""}), 400),
            (call(host, b"{"), 400),
            (call(host, [CALL]), 400),
            (call(host, {**CALL, "payload": "x"}), 400),
            (call(host, b" " * (2 * 1024 * 1024 + 1)), 413),
            (httpx.get(f"http://{host}/book", headers={"Authorization": f"Bearer {TOKEN}"}), 405),
        ]
        for answer, status in wrong:
            assert answer.status_code == status and answer.headers["Content-Type"] == "application/problem+json"
            assert answer.json()["detail"]
        # A call at the bound is one; a name beyond ASCII is percent-encoded in the header.
        spaces = b" " * (2 * 1024 * 1024 - len(json.dumps(CALL)))
        assert call(host, json.dumps(CALL).encode() + spaces).status_code == 200
        assert call(host, {**CALL, "submission_id": "zug_ü.1"}, **{"Idempotency-Key": "zug_%C3%BC.1"}).status_code == 200
        assert len(tram.calls) == 2


def test_calls_of_one_id_at_once_are_one_execution() -> None:
    begun: list[str] = []

    async def slow(payload: dict[str, Any]) -> dict[str, Any]:
        begun.append(submission()["submission_id"])
        await asyncio.sleep(0.3)
        return {"done": len(begun)}

    with running(executor(slow, token=None)) as host:
        answers: list[Any] = []
        threads = [threading.Thread(target=lambda: answers.append(call(host, CALL).json())) for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert answers == [{"done": 1}] * 5 and begun == ["tram.1"]


def test_a_result_that_is_none_is_a_failure() -> None:
    given: list[Any] = [{"exchange": {}}, ["x"], {"x": float("nan")}]
    with running(executor(lambda _: given.pop(0), token=None)) as host:
        assert [call(host, CALL).status_code for _ in range(3)] == [500, 500, 500]
    with pytest.raises(ValueError):
        Refused("too many", status=429)


def test_the_services_letters_are_verified() -> None:
    letters: list[tuple[dict[str, str], bytes]] = []

    def post(_path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        letters.append((headers, body))
        return 204, {}, b""

    with answering(post) as receiver, served() as url:
        made = httpx.post(f"{url}/v1/webhooks", json={"url": f"{receiver}/hook"}, headers={"Otherwise-Client": "pat"}).json()
        tried = httpx.post(f"{url}/v1/webhooks/{made['id']}:test", headers={"Otherwise-Client": "pat"}).json()
        assert tried["delivered"] is True
        schema = {"schema_id": "tram_v1", "scenario": "tram", "keys": []}
        assert httpx.put(f"{url}/v1/schemas/tram_v1", json=schema, headers={"Otherwise-Client": "pat"}).status_code == 201
        ends = time.monotonic() + PATIENCE
        while len(letters) < 2 and time.monotonic() < ends:
            time.sleep(0.05)
    events = [verify(made["secret"], headers, body) for headers, body in letters]
    assert [event["type"] for event in events] == ["dev.otherwise.webhook.test", "dev.otherwise.schema.published"]
    headers, body = letters[1]
    other = "whsec_" + base64.b64encode(b"another secret").decode()
    assert verify([other, made["secret"]], headers, body) == events[1], "the new secret and the old one"
    for secret, changed, moment in [
        (other, body, None),
        (made["secret"], body.replace(b"tram_v1", b"tram_v2"), None),
        (made["secret"], body, time.time() + 400),
        (made["secret"], body, time.time() - 400),
    ]:
        with pytest.raises(BadSignature):
            verify(secret, headers, changed, now=moment)


#: A letter signed by hand, as Standard Webhooks says.
SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()
BODY = b'{"id": "msg_1"}'


def signed(moment: str = "1000", key: bytes = b"0123456789abcdef0123456789abcdef") -> str:
    digest = hmac.new(key, b"msg_1." + moment.encode() + b"." + BODY, hashlib.sha256).digest()
    return "v1," + base64.b64encode(digest).decode()


@pytest.mark.parametrize(
    ("change", "now", "fits"),
    [
        ({}, 1000, True),
        ({}, 1300, True),
        ({}, 700, True),
        ({}, 1301, False),
        ({}, 699, False),
        ({"Webhook-Signature": f"v1,AAAA v1a,zzz {signed()}"}, 1000, True),
        ({"Webhook-Signature": signed(key=b"another")}, 1000, False),
        ({"Webhook-Signature": signed().removeprefix("v1,")}, 1000, False),
        ({"Webhook-Signature": "v1,ü"}, 1000, False),
        ({"Webhook-Signature": ""}, 1000, False),
        ({"Webhook-Id": "msg_2"}, 1000, False),
        ({"Webhook-Timestamp": "now"}, 1000, False),
    ],
)
def test_a_signature_at_its_edges(change: dict[str, str], now: float, fits: bool) -> None:
    headers = {"Webhook-Id": "msg_1", "Webhook-Timestamp": "1000", "Webhook-Signature": signed(), **change}
    if fits:
        assert verify(SECRET, headers, BODY, now=now) == {"id": "msg_1"}
    else:
        with pytest.raises(BadSignature):
            verify(SECRET, headers, BODY, now=now)


def test_a_secret_that_is_none_is_said() -> None:
    headers = {"webhook-id": "msg_1", "webhook-timestamp": "1000", "webhook-signature": signed()}
    for secret in ("whsec_", "whsec_not base64!", ""):
        with pytest.raises(ValueError, match="whsec_"):
            verify(secret, headers, BODY, now=1000)
