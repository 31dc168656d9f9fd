"""A server on loopback that answers what a case scripts, request by request, and holds each request to it."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

#: Seconds that a connection is held open for the client to close.
HOLD = 20.0


def misfit(expected: Any, value: Any, place: str = "") -> str | None:
    """Where a value is not what a case expects: objects member by member, null for what is missing."""
    if isinstance(expected, dict):
        if not isinstance(value, dict):
            return f"{place or '/'}: {value!r} is no object"
        for name, one in expected.items():
            wrong = misfit(one, value.get(name), f"{place}/{name}")
            if wrong:
                return wrong
        return None
    if isinstance(expected, list) and isinstance(value, list) and len(expected) == len(value):
        return next(filter(None, (misfit(a, b, f"{place}/{n}") for n, (a, b) in enumerate(zip(expected, value)))), None)
    same = expected == value and isinstance(expected, bool) == isinstance(value, bool)
    return None if same else f"{place or '/'}: expected {expected!r}, got {value!r}"


class Stub:
    """Answers a script; `wrong` says what came that it does not hold."""

    def __init__(self, script: list[dict[str, Any]], templates: dict[str, Any]) -> None:
        self._templates = templates
        self._left = list(script)
        self._lock = threading.Lock()
        self._names: dict[str, str] = {}
        self.wrong: list[str] = []
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                stub._answer(self)

            do_POST = do_GET

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    def __enter__(self) -> Stub:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def done(self) -> None:
        """Holds that every request of the script came, and no other."""
        assert not self.wrong, self.wrong
        assert not self._left, f"{len(self._left)} requests did not come, the first of them {self._left[0]['request']}"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        with self._lock:
            if not self._left:
                self.wrong.append(f"one more request came: {handler.command} {handler.path}")
                step: dict[str, Any] = {"response": {"close": True}}
            else:
                step = self._left.pop(0)
                self._hold(step["request"], handler, body)
        response = step["response"]
        handler.close_connection = True
        if response.get("close"):
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        named = self._templates.get(response.get("of"), {"headers": {}, "body": None})
        headers = {**named["headers"], **response.get("headers", {})}
        status, sent = response["status"], b""
        if "text" in response:
            sent = response["text"].encode()
        elif "body" in response or (status == 200 and named["body"] is not None):
            sent = json.dumps(response.get("body", named["body"])).encode()
            headers.setdefault("Content-Type", "application/json")
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if "hold" not in response and headers.get("Content-Type") != "text/event-stream":
            handler.send_header("Content-Length", str(len(sent)))
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.wfile.write(sent)
        handler.wfile.flush()
        if response.get("hold"):
            handler.connection.settimeout(HOLD)
            try:
                handler.connection.recv(1)
            except OSError:
                self.wrong.append("a stream was not closed")

    def _hold(self, wanted: dict[str, Any], handler: BaseHTTPRequestHandler, body: bytes) -> None:
        address = urlsplit(handler.path)
        place = f"{handler.command} {handler.path}"
        if (handler.command, unquote(address.path)) != (wanted["method"], wanted["path"]):
            self.wrong.append(f"{place} came instead of {wanted['method']} {wanted['path']}")
            return
        query = dict(parse_qsl(address.query, keep_blank_values=True))
        for name, value in wanted.get("query", {}).items():
            self._hold_text(value, query.get(name), f"{place}: query {name}")
        for name, value in wanted.get("headers", {}).items():
            self._hold_text(value, handler.headers.get(name), f"{place}: header {name}")
        if "body" in wanted:
            wrong = misfit(wanted["body"], json.loads(body))
            if wrong:
                self.wrong.append(f"{place}: body {wrong}")

    def _hold_text(self, wanted: str | None, value: str | None, place: str) -> None:
        if wanted is None or value is None:
            fits = wanted is value
        elif wanted.startswith("="):
            fits = self._names.setdefault(wanted[1:], value) == value
        elif wanted.startswith("!"):
            fits = self._names.get(wanted[1:], wanted[1:]) != value
        else:
            fits = wanted in ("*", value)
        if not fits:
            self.wrong.append(f"{place} is {value!r}, not {wanted!r}")
