"""Follows the stream of a scenario's changes in the background, over breaks."""

from __future__ import annotations

import asyncio
import inspect
import logging
import threading
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol, cast

import httpx

from .errors import OtherwiseError, Unavailable
from .port import BlockingPort, Port, interrupt
from .service import LONGEST_PAUSE, failure_of, jitter, read_json, retry_after
from .sse import Events
from .wire import Update

log = logging.getLogger("otherwise_client")

Callback = Callable[[Update], Awaitable[None] | None]

#: Seconds until a stream is opened again, before the service says how long; what it says by default.
RETRY = 3.0
#: Seconds that closing waits for the thread, which may be inside the caller's function.
CLOSING = 5.0


class Followed(Protocol):
    """What is followed."""

    name: str

    async def told(self, update: Update) -> Update: ...

    async def revision(self, *, anew: bool = False) -> int: ...

    def stream_request(self, last: str) -> httpx.Request: ...


class Watch(Protocol):
    """Who follows."""

    port: Port

    @property
    def closed(self) -> bool: ...

    def reading(self, response: httpx.Response | None) -> None: ...

    async def sleep(self, seconds: float) -> None: ...


async def follow(scenario: Followed, watch: Watch, callback: Callback) -> None:
    """Reads the stream until the follower is closed, or the service says that coming again is no use."""
    retry, failures = RETRY, 0
    last: str | None = None
    while not watch.closed:
        wait = retry
        try:
            if last is None:
                last = str(await scenario.revision())
            response = await watch.port.open(scenario.stream_request(last))
            watch.reading(response)
            try:
                if response.status_code != 200:
                    wait = max(retry, retry_after(response))
                    raise failure_of(await watch.port.read(response))
                events = Events()
                async for piece in watch.port.chunks(response):
                    for event in events.feed(piece):
                        last, failures = event.id or last, 0
                        if event.name == "update" and not watch.closed:
                            update = read_json(event.data)
                            if not isinstance(update, dict):
                                raise ValueError("an update is an object")
                            await _tell(callback, await scenario.told(cast(Update, update)))
                    retry = wait = events.retry if events.retry is not None else retry
            finally:
                watch.reading(None)
                await watch.port.shut(response)
        except (httpx.UnsupportedProtocol, httpx.LocalProtocolError):
            raise
        except (httpx.RequestError, httpx.StreamError, ValueError):
            failures += 1
        except OtherwiseError as failure:
            failures += 1
            if failure.code == "bad_header":
                # The service knows no such revision: its history is another one, as after a restore.
                last = str(await scenario.revision(anew=True))
            elif not isinstance(failure, Unavailable) and failure.status != 200 and (failure.status or 500) < 500:
                raise  # With 200 it is an event that cannot be read: the next connection begins after it.
        if not watch.closed:
            await watch.sleep(min(LONGEST_PAUSE, wait + jitter(failures)))


async def _tell(callback: Callback, update: Update) -> None:
    try:
        told = callback(update)
        if inspect.isawaitable(told):
            await told
    except Exception:
        log.exception("the function that is told of changes failed; the stream goes on")


class AsyncFollower:
    """Follows in a task. `error` says why it ended by itself."""

    def __init__(self, port: Port, body: Callable[[AsyncFollower], Coroutine[Any, Any, None]]) -> None:
        self.port = port
        self.error: Exception | None = None
        self.closed = False
        self._task = asyncio.get_running_loop().create_task(self._run(body))

    async def _run(self, body: Callable[[AsyncFollower], Coroutine[Any, Any, None]]) -> None:
        try:
            await body(self)
        except Exception as error:
            self.error = error
            log.error("changes are no longer followed: %s", error)

    def reading(self, response: httpx.Response | None) -> None:
        """A task is cancelled where it waits; nothing has to be woken."""

    async def sleep(self, seconds: float) -> None:
        await self.port.sleep(seconds)

    async def close(self) -> None:
        self.closed = True
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


class Follower:
    """Follows in a thread, which does not keep the program alive. `error` says why it ended by itself."""

    def __init__(self, port: Port, body: Callable[[Follower], None]) -> None:
        self.port = port
        self.error: Exception | None = None
        self._closing = threading.Event()
        self._response: httpx.Response | None = None
        self._thread = threading.Thread(target=self._run, args=(body,), name="otherwise-follower", daemon=True)
        self._thread.start()

    def _run(self, body: Callable[[Follower], None]) -> None:
        try:
            body(self)
        except Exception as error:
            self.error = error
            log.error("changes are no longer followed: %s", error)

    @property
    def closed(self) -> bool:
        return self._closing.is_set()

    def reading(self, response: httpx.Response | None) -> None:
        self._response = response
        if response is not None and self.closed:
            interrupt(response)

    async def sleep(self, seconds: float) -> None:
        if isinstance(self.port, BlockingPort) and self.port.has_own_clock:
            await self.port.sleep(seconds)
        else:
            self._closing.wait(seconds)

    def close(self) -> None:
        self._closing.set()
        response = self._response
        if response is not None:
            interrupt(response)
        if threading.current_thread() is not self._thread:
            self._thread.join(CLOSING)

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
