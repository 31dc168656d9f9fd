"""Reads Server-Sent Events out of pieces of bytes."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field


@dataclass
class Event:
    """One event; `id` is what came last on the stream, on this event or before it."""

    name: str
    data: str
    id: str | None


@dataclass
class Events:
    """A stream of events as it arrives; `retry` is in seconds."""

    retry: float | None = None
    _id: str | None = None
    _name: str = ""
    _data: list[str] = field(default_factory=list)
    _rest: str = ""
    _decoder: codecs.IncrementalDecoder = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in this piece. A line may end in CR, LF or both."""
        self._rest += self._decoder.decode(piece)
        while True:
            ends = [at for at in (self._rest.find("\r"), self._rest.find("\n")) if at >= 0]
            # A CR at the very end may be half of a CR LF.
            if not ends or (self._rest[min(ends)] == "\r" and min(ends) + 1 == len(self._rest)):
                return
            at = min(ends)
            line, skip = self._rest[:at], 2 if self._rest[at : at + 2] == "\r\n" else 1
            self._rest = self._rest[at + skip :]
            if line:
                self._take(line)
            else:
                if self._data:
                    yield Event(self._name or "message", "\n".join(self._data), self._id)
                self._name, self._data = "", []

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value) / 1000
