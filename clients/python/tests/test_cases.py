"""The table of cases that all clients share, by the synchronous and by the asynchronous client."""

from __future__ import annotations

import asyncio
import copy
import inspect
import json
import threading
from pathlib import Path
from typing import Any

import pytest

import otherwise_client
from otherwise_client import AsyncOtherwise, Otherwise, OtherwiseError
from stub import Stub, misfit

# A connection that nobody closed fails a test, in a finaliser too.
pytestmark = pytest.mark.filterwarnings("error::ResourceWarning", "error::pytest.PytestUnraisableExceptionWarning")

TABLE: dict[str, Any] = json.loads((Path(__file__).resolve().parents[2] / "cases.json").read_text())
#: Seconds that a change may take to be told.
TOLD = 10.0
SCENARIO = ("pin", "language", "experimental", "pin_state")
SERVICE = ("client", "key", "max_age")


def chosen(client: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: client[name] for name in names if name in client}


class Model:
    """The caller's function: gives what the case scripts, and holds what it was given."""

    def __init__(self, script: list[dict[str, Any]]) -> None:
        self.left = list(script)

    def __call__(self, messages: list[dict[str, Any]], tool: dict[str, Any]) -> dict[str, Any]:
        turn = self.left.pop(0)
        given = json.dumps([messages, tool], ensure_ascii=False)
        for text in turn.get("sees", []):
            assert text in given, f"{text!r} is not in {given}"
        gives: dict[str, Any] = turn["gives"]
        return gives


async def now(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value


async def done(service: Any, scenario: Any, step: dict[str, Any], payload: Any, model: Any) -> Any:
    call = step["call"]
    if call == "scenarios":
        return await now(service.scenarios(step.get("query")))
    if call in ("digests", "pin_state"):
        return getattr(scenario, call)
    if call == "on_change":
        return await followed(scenario, len(step["expect"]))
    if call == "tool":
        return await now(scenario.tool(step["form"]))
    if call == "fill":
        return await now(scenario.fill(step["text"], model))
    if call == "other":
        return await now(scenario.other(step["text"], payload))
    if call == "submit":
        more = {name: step[name] for name in ("utterance", "idempotency_key", "repair") if name in step}
        return await now(scenario.submit(payload, **more))
    if call == "validate":
        return await now(scenario.validate(payload))
    assert call in ("template", "prompt", "accept"), call
    return await now(getattr(scenario, call)())


async def followed(scenario: Any, count: int) -> list[Any]:
    updates: list[Any] = []
    enough = threading.Event()

    def told(update: Any) -> None:
        updates.append(update)
        if len(updates) >= count:
            enough.set()

    follower = scenario.on_change(told)
    for _ in range(int(TOLD / 0.005)):
        if enough.is_set():
            break
        await asyncio.sleep(0.005)
    await now(follower.close())
    assert follower.error is None, follower.error
    return updates


async def play(case: dict[str, Any], service: Any) -> None:
    scenario = service.scenario(case["client"]["scenario"], **chosen(case["client"], SCENARIO))
    for step in case["steps"]:
        payload, model = copy.deepcopy(step.get("payload")), Model(step.get("llm", []))
        try:
            value = await done(service, scenario, step, payload, model)
        except OtherwiseError as error:
            assert type(error).__name__ == step.get("error"), error
            assert type(error) is getattr(otherwise_client, step["error"])
            for text in step.get("error_says", []):
                assert text in str(error)
            told = {name: getattr(error, name, None) for name in step.get("error_has", {})}
            assert misfit(step.get("error_has", {}), told) is None, misfit(step["error_has"], told)
        else:
            assert "error" not in step, f"{step['call']} gave {value}"
            if "expect" in step:
                assert misfit(step["expect"], value) is None, misfit(step["expect"], value)
        assert not model.left, "the model was not asked as often as the case says"
        if "payload_after" in step:
            assert payload == step["payload_after"]


def hold_pauses(case: dict[str, Any], pauses: list[float]) -> None:
    if "pauses" not in case:
        return
    wanted = case["pauses"]
    if any(step["call"] == "on_change" for step in case["steps"]):
        pauses = pauses[: len(wanted)]
    assert len(pauses) == len(wanted), pauses
    for pause, (least, most) in zip(pauses, wanted):
        assert least <= pause <= most, (pauses, wanted)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_blocking(case: dict[str, Any]) -> None:
    pauses: list[float] = []
    with Stub(case["script"], TABLE["templates"]) as stub:
        with Otherwise(stub.url, sleep=pauses.append, **chosen(case["client"], SERVICE)) as service:
            asyncio.run(play(case, service))
        stub.done()
    hold_pauses(case, pauses)


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case["name"])
def test_asyncio(case: dict[str, Any]) -> None:
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    async def whole(url: str) -> None:
        async with AsyncOtherwise(url, sleep=sleep, **chosen(case["client"], SERVICE)) as service:
            await play(case, service)

    with Stub(case["script"], TABLE["templates"]) as stub:
        asyncio.run(whole(stub.url))
        stub.done()
    hold_pauses(case, pauses)


def test_the_table_covers_every_method_and_every_error() -> None:
    steps = [step for case in TABLE["cases"] for step in case["steps"]]
    called = {step["call"] for step in steps}
    assert called >= {"template", "tool", "prompt", "validate", "submit", "other", "fill", "on_change", "digests", "pin_state", "accept"}
    failed = {step["error"] for step in steps if "error" in step}
    assert failed == {"OtherwiseError", "InvalidPayload", "DigestRefused", "Stale", "Unavailable"}
    assert len({case["name"] for case in TABLE["cases"]}) == len(TABLE["cases"])
