"""The world as the client's logic sees it: sending, streaming, waiting.

The logic is written once, as coroutines. Over the blocking port nothing in them ever suspends, so that `run` ends each at
its first step: this is how the synchronous client shares every line with the asynchronous one.
"""

from __future__ import annotations

import asyncio
import functools
import socket
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast

import httpx

P = ParamSpec("P")
T = TypeVar("T")


class Port(Protocol):
    """What the logic needs of the world."""

    def build(self, method: str, url: str, **more: Any) -> httpx.Request: ...

    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response: ...

    async def read(self, response: httpx.Response) -> None: ...

    def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]: ...

    async def shut(self, response: httpx.Response) -> None: ...

    async def sleep(self, seconds: float) -> None: ...

    async def close(self) -> None: ...


class AsyncPort:
    """The world over asyncio."""

    def __init__(self, make: Callable[[], httpx.AsyncClient], sleep: Callable[[float], Awaitable[None]] | None) -> None:
        self._make = make
        self._http = make()
        self._closer: AsyncIterator[None] | None = None
        self._closed = False
        self._sleep = sleep or asyncio.sleep

    def build(self, method: str, url: str, **more: Any) -> httpx.Request:
        return self._http.build_request(method, url, **more)

    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        if self._http.is_closed and not self._closed:
            # The loop that it was used in has ended.
            self._http, self._closer = self._make(), None
        if self._closer is None:
            self._closer = _closing(self._http)
            await anext(self._closer)
        return await self._http.send(request, stream=stream)

    async def read(self, response: httpx.Response) -> None:
        await response.aread()

    async def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        async for chunk in response.aiter_bytes():
            yield chunk

    async def shut(self, response: httpx.Response) -> None:
        await response.aclose()

    async def sleep(self, seconds: float) -> None:
        await self._sleep(seconds)

    async def close(self) -> None:
        self._closed = True
        await self._http.aclose()


async def _closing(http: httpx.AsyncClient) -> AsyncIterator[None]:
    """Closes the connections when it is closed itself: by a loop that ends, or because nobody holds it any more."""
    try:
        yield
    finally:
        await http.aclose()


class BlockingPort:
    """The world over blocking calls: coroutines that never suspend."""

    def __init__(self, http: httpx.Client, sleep: Callable[[float], None] | None) -> None:
        self._http = http
        self._sleep = sleep or time.sleep
        weakref.finalize(self, http.close)
        #: Whether the caller gave a clock of its own.
        self.has_own_clock = sleep is not None

    def build(self, method: str, url: str, **more: Any) -> httpx.Request:
        return self._http.build_request(method, url, **more)

    async def send(self, request: httpx.Request, *, stream: bool = False) -> httpx.Response:
        return self._http.send(request, stream=stream)

    async def read(self, response: httpx.Response) -> None:
        response.read()

    async def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        for chunk in response.iter_bytes():
            yield chunk

    async def shut(self, response: httpx.Response) -> None:
        response.close()

    async def sleep(self, seconds: float) -> None:
        self._sleep(seconds)

    async def close(self) -> None:
        self._http.close()


def interrupt(response: httpx.Response) -> None:
    """Wakes the thread that reads a stream: nothing more comes."""
    stream = response.extensions.get("network_stream")
    connection = stream.get_extra_info("socket") if stream is not None else None
    if isinstance(connection, socket.socket):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Runs a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return cast(T, end.value)
    coroutine.close()
    raise TypeError("a synchronous client takes functions that are not asynchronous; use AsyncOtherwise for those")


class _Facade(Protocol):
    @property
    def _logic(self) -> Any: ...


class blocking(Generic[P, T]):
    """A method of the synchronous client, made of the asynchronous one's: same parameters, same result."""

    def __init__(self, method: Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]) -> None:
        self._method = method
        functools.update_wrapper(cast(Any, self), method)

    def __get__(self, facade: _Facade, owner: type | None = None) -> Callable[P, T]:
        @functools.wraps(self._method)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            return run(self._method(facade._logic, *args, **kwargs))

        return call
