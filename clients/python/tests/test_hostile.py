"""Servers that answer anything: what is read is bounded in bytes, time and depth, and fails as an error of the client."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from otherwise_client import AsyncOtherwise, InvalidPayload, Otherwise, OtherwiseError, Unavailable
from otherwise_client.port import ANSWER_BYTES
from otherwise_client.sse import EVENT_CHARS, Events

TEMPLATE = {"schema_id": "tram_v1", "scenario": "tram", "version": "1.0.0", "revision": 1, "language": "en", "keys": [], "key_digests": {}}
DEEP = "[" * 100_000 + "]" * 100_000
#: Bytes by which a process may grow while it reads an answer of the largest size.
GROWTH = 200 << 20

Serve = Callable[[socket.socket, bytes], None]


def head(*lines: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", "Connection: close", *lines, "", ""]).encode()


def whole(body: bytes, *lines: str) -> bytes:
    return head(f"Content-Length: {len(body)}", *lines) + body


@contextmanager
def served(serve: Serve) -> Iterator[str]:
    """A server of one function: it is given each connection, and the request as far as it came at once."""
    listener = socket.create_server(("127.0.0.1", 0))
    ended = threading.Event()

    def answer(connection: socket.socket) -> None:
        with connection:
            try:
                serve(connection, connection.recv(65_536))
            except OSError:
                pass

    def accept() -> None:
        while not ended.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=answer, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        ended.set()
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def endless(connection: socket.socket, _: bytes) -> None:
    connection.sendall(head("Content-Type: application/json") + b'{"a":"')
    while True:
        connection.sendall(b"x" * 65_536)


def bomb(connection: socket.socket, _: bytes) -> None:
    packed = gzip.compress(b'{"a":"' + bytes(900 << 20), 9)
    connection.sendall(whole(packed, "Content-Encoding: gzip"))


def packed_otherwise(connection: socket.socket, _: bytes) -> None:
    connection.sendall(whole(b"\x0b\x02\x80{}\x03", "Content-Encoding: br"))


def broken_packing(connection: socket.socket, _: bytes) -> None:
    connection.sendall(whole(b"no gzip", "Content-Encoding: gzip"))


def deep(connection: socket.socket, _: bytes) -> None:
    connection.sendall(whole(DEEP.encode()))


def deep_below(connection: socket.socket, _: bytes) -> None:
    connection.sendall(whole(json.dumps({**TEMPLATE, "x": json.loads("[" * 200 + "]" * 200)}).encode()))


def odd_template(connection: socket.socket, _: bytes) -> None:
    connection.sendall(whole(json.dumps({**TEMPLATE, "keys": [7]}).encode()))


@pytest.mark.parametrize("serve", [endless, packed_otherwise, broken_packing, deep, deep_below, odd_template])
def test_an_answer_that_no_service_gives_is_an_error_of_the_client(serve: Serve) -> None:
    with served(serve) as url:
        with Otherwise(url, sleep=lambda _: None) as service:
            for call in (service.scenario("tram").template, lambda: service.scenario("tram").submit({})):
                with pytest.raises(OtherwiseError) as failed:
                    call()
                assert (type(failed.value), failed.value.code) == (OtherwiseError, "bad_answer")

        async def asks() -> str:
            async with AsyncOtherwise(url) as service:
                with pytest.raises(OtherwiseError) as failed:
                    await service.scenario("tram").template()
                return failed.value.code

        assert asyncio.run(asks()) == "bad_answer"


BOMBED = """
import resource, sys
from otherwise_client import Otherwise, OtherwiseError
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    Otherwise(sys.argv[1]).scenario("tram").template()
except OtherwiseError as failed:
    print(failed.code, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.parametrize("serve", [endless, bomb])
def test_memory_is_bounded_whatever_the_answer_is_unpacked_to(serve: Serve) -> None:
    with served(serve) as url:
        run = subprocess.run([sys.executable, "-c", BOMBED, url], capture_output=True, text=True)
    code, grown = run.stdout.split()
    assert (code, run.stderr) == ("bad_answer", "") and int(grown) << 10 < GROWTH, run.stdout


def test_an_answer_at_the_limit_is_read_packed_or_not() -> None:
    text = json.dumps({**TEMPLATE, "x": ""})
    body = json.dumps({**TEMPLATE, "x": "x" * (ANSWER_BYTES - len(text))}).encode()
    for more in (0, 1):
        sent = body + b" " * more

        def serve(connection: socket.socket, request: bytes) -> None:
            connection.sendall(whole(gzip.compress(sent, 1), "Content-Encoding: gzip") if b"gzip" in request else whole(sent))

        with served(serve) as url, Otherwise(url) as service:
            if more:
                with pytest.raises(OtherwiseError, match="larger than 32 MiB"):
                    service.scenario("tram").template()
            else:
                assert service.scenario("tram").template()["revision"] == 1


@pytest.mark.parametrize("first", [b"", head(), head("Transfer-Encoding: chunked")])
def test_a_byte_a_moment_does_not_outlast_the_deadline_of_a_call(first: bytes) -> None:
    def serve(connection: socket.socket, _: bytes) -> None:
        connection.sendall(first or b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            connection.sendall(b"1\r\nx\r\n" if b"chunked" in first else b"x")
            time.sleep(0.1)

    class OneTry(Exception):
        """The first try has ended, and three more would show the same."""

    def ended(_: float) -> None:
        raise OneTry

    with served(serve) as url:
        with Otherwise(url, timeout=1.0, sleep=ended) as service, pytest.raises(OneTry):
            service.scenario("tram").template()

        async def asks() -> None:
            async def no_pause(_: float) -> None:
                return

            async with AsyncOtherwise(url, timeout=0.3, sleep=no_pause) as service:
                with pytest.raises(Unavailable, match="after 0.3 s"):
                    await service.scenario("tram").template()

        asyncio.run(asks())


def test_an_event_is_bounded_whole_or_line_by_line() -> None:
    for piece in (b"data: " + b"x" * 65_536, (b"data: " + b"x" * 100 + b"\n") * 500, b"data\n" * 10_000, b": x\n" * 10_000):
        events = Events()
        with pytest.raises(OtherwiseError, match="event is longer"):
            for _ in range(EVENT_CHARS // len(piece) + 2):
                assert not list(events.feed(piece))
    events = Events()
    fits = b"data: " + b"x" * (EVENT_CHARS // 2)
    assert [len(one.data) for one in (*events.feed(fits + b"\n\n"), *events.feed(fits + b"\n\n"))] == [EVENT_CHARS // 2] * 2


@pytest.mark.parametrize("odd", [DEEP, "[]", "no JSON", f"{{{DEEP}", "x" * (EVENT_CHARS + (1 << 20))])
def test_a_follower_survives_an_event_that_cannot_be_read(odd: str) -> None:
    came: list[str] = []
    last = threading.Event()

    def serve(connection: socket.socket, request: bytes) -> None:
        if b"/updates/stream" not in request:
            connection.sendall(whole(json.dumps(TEMPLATE).encode()))
            return
        came.append(request.decode().lower().split("last-event-id: ")[1].split("\r")[0])
        event = f"retry: {'9' * 5000}\nid: 7\nevent: update\ndata: {odd}\n\n" if len(came) == 1 else ""
        update = json.dumps({"revision": 8, "schema_id": "tram_v1", "patches": [], "withdrawn_keys": []})
        connection.sendall(head("Content-Type: text/event-stream") + f"{event}id: 8\nevent: update\ndata: {update}\n\n".encode())

    with served(serve) as url, Otherwise(url, sleep=lambda _: None) as service:
        with service.scenario("tram").on_change(lambda _: last.set()) as follower:
            assert last.wait(20) and follower.error is None
    # An event without an end is asked for again; any other is passed over.
    assert came[:2] == ["1", "1" if len(odd) > EVENT_CHARS else "7"], came[:3]


def test_a_list_without_an_end_is_left() -> None:
    def serve(connection: socket.socket, _: bytes) -> None:
        rows = [{"scenario": "a"}] * 1000
        connection.sendall(whole(json.dumps({"scenarios": rows, "next": "a"}).encode()))

    def empty(connection: socket.socket, _: bytes) -> None:
        connection.sendall(whole(b'{"scenarios":[],"next":"a"}'))

    for one, count in ((serve, 10_000), (empty, 0)):
        with served(one) as url, Otherwise(url) as service:
            assert len(service.scenarios()) == count


def test_repairs_that_multiply_a_value_are_none() -> None:
    copies = [{"op": "copy", "from": "/payload", "path": f"/payload/x{n}", "lossless": True} for n in range(60)]

    posted: list[bytes] = []

    def serve(connection: socket.socket, request: bytes) -> None:
        if request.startswith(b"GET"):
            connection.sendall(whole(json.dumps(TEMPLATE).encode()))
            return
        posted.append(request)
        problem = {"code": "invalid_payload", "title": "No", "detail": "no", "violations": [{"key": "x", "repair": copies}, 7]}
        connection.sendall(whole(json.dumps(problem).encode()).replace(b"200 OK", b"422 No", 1))

    with served(serve) as url, Otherwise(url) as service:
        with pytest.raises(InvalidPayload) as refused:
            service.scenario("tram").submit({"a": "b" * 1000})
        assert (len(refused.value.violations), len(posted)) == (1, 1)


