"""The real service, started for a test, and servers beside it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[3]
#: Seconds that a service may take to start or to end: a debug build reads its model slowly.
PATIENCE = 60.0


def program() -> str:
    """The service that the journeys are made with."""
    named = os.environ.get("OTHERWISE_BIN")
    if named is None:
        pytest.skip("OTHERWISE_BIN names no service: set it to the path of the binary")
    return os.path.abspath(named)


@contextlib.contextmanager
def served(settings: str = "", data: str | None = None, listen: str = "127.0.0.1:0") -> Iterator[str]:
    """The address of a service with the schemas of the repository, and settings of its own."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "otherwise.toml"
        config.write_text(settings)
        command = [program(), "serve", "--config", str(config), "--listen", listen, "--data", data or f"{folder}/data"]
        command += ["--schemas", str(ROOT / "schemas"), "--models", str(ROOT / "models")]
        with open(Path(folder) / "log", "w+") as log:
            service = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=ROOT)
            assert service.stdout is not None
            try:
                ready = service.stdout.readline().split()
                if len(ready) != 2 or ready[0] != "ready":
                    log.seek(0)
                    raise AssertionError(f"the service did not start: {log.read()[-2000:]}")
                yield ready[1].rstrip("/")
            finally:
                service.terminate()
                service.wait(timeout=PATIENCE)
                service.stdout.close()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@contextlib.contextmanager
def answering(post: Any) -> Iterator[str]:
    """A server on loopback: `post` is given path, headers and body, and gives status, headers and body."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            pass

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, answer = post(self.path, dict(self.headers), body)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(answer))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
