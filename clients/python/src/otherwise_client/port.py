"""The world as the client's logic sees it: sending, streaming, waiting.

The logic is written once, as coroutines. Over the blocking port nothing in them ever suspends, so that `run` ends each at
its first step: this is how the synchronous client shares every line with the asynchronous one.
"""

from __future__ import annotations

import asyncio
import functools
import math
import socket
import time
import weakref
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Any, Concatenate, Generic, ParamSpec, Protocol, TypeVar, cast

import httpx

from .errors import bad_answer

P = ParamSpec("P")
T = TypeVar("T")

#: Bytes of an answer that are read, after decompression: a template of a thousand keys takes a few hundred kilobytes.
ANSWER_BYTES = 32 << 20
#: Bytes that one step of decompression yields, so that a bomb is noticed before it is in memory.
PIECE_BYTES = 64 << 10


class Port(Protocol):
    """What the logic needs of the world."""

    def build(self, method: str, url: str, **more: Any) -> httpx.Request: ...

    async def fetch(self, request: httpx.Request) -> httpx.Response:
        """The whole answer, within its limit and within the request's timeout."""
        ...

    async def open(self, request: httpx.Request) -> httpx.Response:
        """The head of an answer, within the request's timeout; its body is still to be read."""
        ...

    async def read(self, response: httpx.Response) -> httpx.Response:
        """The whole of an answer that was opened, as `fetch` gives it."""
        ...

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

    async def fetch(self, request: httpx.Request) -> httpx.Response:
        return await _in_time(self._fetch(request), request)

    async def open(self, request: httpx.Request) -> httpx.Response:
        return await _in_time(self._open(request), request)

    async def read(self, response: httpx.Response) -> httpx.Response:
        return await _in_time(_whole(response, self.chunks(response)), response.request)

    async def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        if response.is_stream_consumed:
            yield response.content
            return
        unpack = _unpacking(response)
        async for raw in response.aiter_raw():
            for piece in unpack(raw):
                yield piece

    async def _fetch(self, request: httpx.Request) -> httpx.Response:
        response = await self._open(request)
        try:
            return await _whole(response, self.chunks(response))
        finally:
            await response.aclose()

    async def _open(self, request: httpx.Request) -> httpx.Response:
        if self._http.is_closed and not self._closed:
            # The loop that it was used in has ended.
            self._http, self._closer = self._make(), None
        if self._closer is None:
            self._closer = _closing(self._http)
            await anext(self._closer)
        return await self._http.send(request, stream=True)

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

    def __init__(self, http: httpx.Client, sleep: Callable[[float], None] | None, keeps_deadlines: bool = True) -> None:
        self._http = http
        #: True where timeouts reach `socket.settimeout` as they are; a caller's own transport may do sums with them.
        self._keeps_deadlines = keeps_deadlines
        self._sleep = sleep or time.sleep
        weakref.finalize(self, http.close)
        #: Whether the caller gave a clock of its own.
        self.has_own_clock = sleep is not None

    def build(self, method: str, url: str, **more: Any) -> httpx.Request:
        return self._http.build_request(method, url, **more)

    async def fetch(self, request: httpx.Request) -> httpx.Response:
        response = await self.open(request)
        try:
            return await self.read(response)
        finally:
            response.close()

    async def open(self, request: httpx.Request) -> httpx.Response:
        timeout = request.extensions["timeout"]
        deadline = Deadline(timeout["read"])
        request.extensions = {**request.extensions, "deadline": deadline}
        if self._keeps_deadlines:
            request.extensions["timeout"] = {**timeout, "read": deadline, "write": deadline}
        return self._http.send(request, stream=True)

    async def read(self, response: httpx.Response) -> httpx.Response:
        return await _whole(response, self._pieces(response))

    async def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        deadline: Deadline = response.request.extensions["deadline"]
        deadline.renew()
        async for piece in self._pieces(response):
            yield piece
            deadline.renew()

    async def _pieces(self, response: httpx.Response) -> AsyncIterator[bytes]:
        if response.is_stream_consumed:
            yield response.content
            return
        unpack, deadline = _unpacking(response), response.request.extensions["deadline"]
        for raw in response.iter_raw():
            for piece in unpack(raw):
                yield piece
            deadline.__index__()

    async def shut(self, response: httpx.Response) -> None:
        response.close()

    async def sleep(self, seconds: float) -> None:
        self._sleep(seconds)

    async def close(self) -> None:
        self._http.close()


class Deadline:
    """A moment by which everything is to be over, in place of a timeout that begins anew with each read.

    `socket.settimeout` takes whole seconds of anything that has an index, and asks for it before each read.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.renew()

    def renew(self) -> None:
        self._end = time.monotonic() + self._seconds

    def __index__(self) -> int:
        left = math.ceil(self._end - time.monotonic())
        if left < 1:
            raise httpx.ReadTimeout(_late(self._seconds))
        return left


def _late(seconds: float) -> str:
    return f"the answer was not there after {seconds:g} s"


async def _in_time(part: Coroutine[Any, Any, T], request: httpx.Request) -> T:
    seconds: float = request.extensions["timeout"]["read"]
    try:
        return await asyncio.wait_for(part, seconds)
    except asyncio.TimeoutError:
        raise httpx.ReadTimeout(_late(seconds)) from None


async def _whole(response: httpx.Response, pieces: AsyncIterator[bytes]) -> httpx.Response:
    """An answer with its body, as it is once it is unpacked."""
    body = bytearray()
    async for piece in pieces:
        body += piece
        if len(body) > ANSWER_BYTES:
            raise bad_answer(response.status_code, f"It is larger than {ANSWER_BYTES >> 20} MiB.")
    headers = [(name, value) for name, value in response.headers.multi_items() if name not in _FRAMING]
    return httpx.Response(response.status_code, headers=headers, content=bytes(body), request=response.request)


#: Headers that say how a body travelled.
_FRAMING = ("content-encoding", "content-length", "transfer-encoding")


def _unpacking(response: httpx.Response) -> Callable[[bytes], Iterator[bytes]]:
    """Returns a function that unpacks the body of an answer, piece by piece. Only gzip is accepted."""
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding == "identity":
        return lambda raw: iter((raw,))
    if encoding not in ("gzip", "x-gzip"):
        raise bad_answer(response.status_code, "It is compressed in another way than gzip.")
    stream = zlib.decompressobj(wbits=31)

    def unpack(raw: bytes) -> Iterator[bytes]:
        while not stream.eof:
            try:
                piece = stream.decompress(raw, PIECE_BYTES)
            except zlib.error as broken:
                raise bad_answer(response.status_code, "It cannot be decompressed.") from broken
            raw = stream.unconsumed_tail
            yield piece
            if not raw and len(piece) < PIECE_BYTES:
                return

    return unpack


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
