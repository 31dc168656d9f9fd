"""Reads Server-Sent Events out of pieces of bytes."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .errors import bad_answer

#: Characters of one event: far more than all patches of a scenario that is full.
EVENT_CHARS = 16 << 20
#: A CR at the very end may be half of a CR LF.
_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")


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
    # Characters of the lines of this event, and how many of `_rest` end no line.
    _size: int = 0
    _seen: int = 0
    _decoder: codecs.IncrementalDecoder = field(default_factory=lambda: codecs.getincrementaldecoder("utf-8")("replace"))

    def feed(self, piece: bytes) -> Iterator[Event]:
        """The events that end in this piece. A line may end in CR, LF or both. Fails where an event exceeds its limit."""
        text, start = self._rest + self._decoder.decode(piece), 0
        for end in _LINE_END.finditer(text, self._seen):
            line, start = text[start : end.start()], end.end()
            self._size += len(line) + 1
            if line:
                self._take(line)
                continue
            if self._data:
                yield Event(self._name or "message", "\n".join(self._data), self._id)
            self._name, self._data, self._size = "", [], 0
        self._rest = text[start:]
        self._seen = len(self._rest) - self._rest.endswith("\r")
        if self._size + len(self._rest) > EVENT_CHARS:
            raise bad_answer(200, f"An event is longer than {EVENT_CHARS} characters.")

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
            self.retry = float(value) / 1000
