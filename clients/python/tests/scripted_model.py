"""A language model that speaks OpenAI's protocol on loopback, and says what a test scripts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from typing import Any

from running import answering

USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
TOKENS = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
DETAILS = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}


class Script:
    """Calls the tool that it is offered with each of `calls`, one after another, then says `says`."""

    def __init__(self, calls: list[dict[str, Any]], says: str) -> None:
        self._calls = calls
        self._says = says
        self.asked: list[dict[str, Any]] = []

    def answer(self, path: str, _headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str], bytes]:
        asked = json.loads(body)
        self.asked.append(asked)
        told = {"/v1/chat/completions": self._chat, "/v1/responses": self._response}[path](asked)
        return 200, {"Content-Type": "application/json"}, json.dumps(told).encode()

    def _next(self, results: int) -> str | None:
        return json.dumps(self._calls[results]) if results < len(self._calls) else None

    def _chat(self, asked: dict[str, Any]) -> dict[str, Any]:
        results = sum(1 for message in asked["messages"] if message["role"] == "tool")
        arguments = self._next(results)
        message: dict[str, Any] = {"role": "assistant", "content": self._says}
        if arguments is not None:
            named = {"name": asked["tools"][0]["function"]["name"], "arguments": arguments}
            message = {"role": "assistant", "content": None}
            message["tool_calls"] = [{"id": f"call_{results}", "type": "function", "function": named}]
        ended = "stop" if arguments is None else "tool_calls"
        choice = {"index": 0, "message": message, "finish_reason": ended}
        head = {"id": f"chat_{results}", "object": "chat.completion", "created": 0, "model": asked["model"]}
        return {**head, "choices": [choice], "usage": USAGE}

    def _response(self, asked: dict[str, Any]) -> dict[str, Any]:
        given = asked["input"] if isinstance(asked["input"], list) else []
        results = sum(1 for item in given if item.get("type") == "function_call_output")
        arguments = self._next(results)
        text = {"type": "output_text", "text": self._says, "annotations": []}
        item: dict[str, Any] = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        if arguments is not None:
            name = asked["tools"][0]["name"]
            item = {"type": "function_call", "id": f"fc_{results}", "call_id": f"call_{results}", "name": name}
            item |= {"arguments": arguments, "status": "completed"}
        head = {"id": f"resp_{results}", "object": "response", "created_at": 0, "status": "completed", "model": asked["model"]}
        more = {"output": [item], "parallel_tool_calls": False, "tool_choice": "auto", "tools": asked["tools"]}
        return {**head, **more, "usage": {**TOKENS, **DETAILS}}


@contextlib.contextmanager
def scripted(calls: list[dict[str, Any]], says: str = "It is booked.") -> Iterator[tuple[str, Script]]:
    """The base address of a model, as OpenAI's clients take it."""
    script = Script(calls, says)
    with answering(script.answer) as url:
        yield f"{url}/v1", script
