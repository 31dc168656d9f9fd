"""Journeys through the real service: what a person does with the client, from the first fetch to a key that was learned."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from otherwise_client import (
    AsyncOtherwise,
    DigestRefused,
    InvalidPayload,
    Otherwise,
    OtherwiseError,
    SchemaDeprecationWarning,
    Stale,
    Unavailable,
    Update,
)
from otherwise_client.follow import CLOSING
from otherwise_client.pin import digest
from running import PATIENCE, free_port, served

# A connection that nobody closed fails a test, in a finaliser too.
pytestmark = pytest.mark.filterwarnings("error::ResourceWarning", "error::pytest.PytestUnraisableExceptionWarning")

BOOKING = {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}
TRAM: dict[str, Any] = {
    "schema_id": "tram_v1",
    "scenario": "tram",
    "keys": [
        {"key_name": "zone", "key_type": "string", "required": True, "semantic_description": "Zone. Acceptable values: inner, outer."},
        {"key_name": "tickets", "key_type": "integer", "required": False, "semantic_description": "How many. Range: 1-9."},
    ],
}
PRAM = {"key_name": "pram", "key_type": "boolean", "required": False, "semantic_description": "Whether a pram comes along."}


def publish(url: str, schema: dict[str, Any]) -> None:
    answer = httpx.put(f"{url}/v1/schemas/{schema['schema_id']}", json=schema, headers={"Otherwise-Client": "pat"})
    assert answer.status_code == 201, answer.text


def scenario_of(name: str, **more: Any) -> dict[str, Any]:
    """The tram's first schema under a name of its own, so that no journey meets another one's."""
    return {**TRAM, "schema_id": f"{name}_v1", "scenario": name, **more}


def until(come: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE
    while not come():
        assert time.monotonic() < ends, "it did not come in time"
        time.sleep(0.05)


def test_a_booking_from_template_to_repair(url: str) -> None:
    with Otherwise(url, client="ada") as service:
        assert "flight_booking" in [row["scenario"] for row in service.scenarios()]
        # After a start the model reads one template after another.
        until(lambda: [row["scenario"] for row in service.scenarios("i need a plane ticket")][:1] == ["flight_booking"])
        flights = service.scenario("flight_booking")
        assert flights.digests == {}
        template = flights.template()
        assert template["schema_id"] == "flight_booking_v1" and flights.digests == template["key_digests"]
        assert flights.tool("openai")["function"]["strict"] is True
        assert flights.tool("anthropic")["input_schema"]["properties"]["cabin_class"]["enum"][0] == "economy"
        assert flights.tool("mcp")["name"] == "flight_booking"
        assert flights.tool("openai-responses")["parameters"] == flights.tool("openai")["function"]["parameters"]
        assert "cabin_class" in str(flights.tool("gemini"))
        assert flights.prompt().startswith("## flight_booking\n")
        assert "submission_id" not in flights.validate(BOOKING)["exchange"]
        reply = flights.submit({**BOOKING, "cabin_class": "Business"}, utterance="business to Shanghai")
        assert reply["payload"]["cabin_class"] == "business" and reply["exchange"]["status"] == "accepted"
        with pytest.raises(InvalidPayload) as refused:
            flights.submit({**BOOKING, "passenger_count": 0})
        assert [one["code"] for one in refused.value.violations] == ["out_of_range"]
        assert "passenger_count" in str(refused.value)
        joined = flights.other("window seat", {**BOOKING, "other": "quiet"})
        assert joined["payload"]["other"] == ["quiet", "window seat"]


@pytest.mark.parametrize("query", [{}, {"experimental": "false"}, {"format": "markdown"}, {"format": "mcp-tool"}])
def test_the_digest_that_the_service_names_is_the_one_that_the_client_computes(url: str, query: dict[str, str]) -> None:
    with Otherwise(url, client="dee") as service:
        wanted = digest(service.scenario("flight_booking", experimental="experimental" not in query).template())
    answer = httpx.get(f"{url}/v1/scenarios/flight_booking/template", params=query, headers={"Otherwise-Client": "dee"})
    assert answer.headers["Otherwise-Digest"] == wanted


def test_one_idempotency_key_is_one_submission(url: str) -> None:
    with Otherwise(url, client="ida") as service:
        flights = service.scenario("flight_booking")
        first, again = (flights.submit(BOOKING, idempotency_key="trip-1") for _ in range(2))
        assert first["exchange"]["submission_id"] == again["exchange"]["submission_id"]
        with pytest.raises(OtherwiseError) as mismatch:
            flights.submit({**BOOKING, "passenger_count": 2}, idempotency_key="trip-1")
        assert mismatch.value.code == "idempotency_mismatch"


def test_one_idempotency_key_is_one_submission_though_it_is_repaired(url: str) -> None:
    publish(url, scenario_of("cable"))
    replies = []
    for _process in range(2):
        with Otherwise(url, client="ivo") as service:
            cable = service.scenario("cable")
            replies.append(cable.submit({"zone": "Inner"}, idempotency_key="ride-1"))
            replies.append(cable.submit({"zone": "outer"}, idempotency_key="ride-2"))
    ids = [reply["exchange"]["submission_id"] for reply in replies]
    assert ids[:2] == ids[2:] and replies[0]["payload"] == {"zone": "inner"} and len(set(ids)) == 2


def test_a_model_is_a_payload(url: str) -> None:
    with Otherwise(url, client="mia") as service:
        flights = service.scenario("flight_booking")
        booking = flights.model()(**BOOKING, passenger_count=2, other=["aisle"])
        assert booking.cabin_class == "economy"  # type: ignore[attr-defined]
        reply = flights.submit(booking)
        assert reply["exchange"].get("defaults_applied") == ["cabin_class"] and reply["payload"]["other"] == ["aisle"]
        with pytest.raises(ValidationError, match="passenger_count"):
            flights.model()(**BOOKING, passenger_count=10)


def test_the_asynchronous_client_books_as_well(url: str) -> None:
    async def book() -> None:
        async with AsyncOtherwise(url, client="amy") as service:
            flights = service.scenario("flight_booking")
            replies = await asyncio.gather(*(flights.submit({**BOOKING, "passenger_count": n}) for n in range(1, 10)))
            assert sorted(reply["payload"]["passenger_count"] for reply in replies) == list(range(1, 10))

            async def llm(messages: list[dict[str, Any]], tool: dict[str, Any]) -> dict[str, Any]:
                wrong = "out_of_range" not in str(messages)
                return {**BOOKING, "passenger_count": 10 if wrong else 1}

            reply = await flights.fill("one to Shanghai", llm)
            assert reply["payload"]["passenger_count"] == 1

    asyncio.run(book())


def test_a_synchronous_client_takes_no_asynchronous_function(url: str) -> None:
    async def llm(messages: list[dict[str, Any]], tool: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return BOOKING

    with Otherwise(url, client="sue") as service, pytest.raises(TypeError, match="use AsyncOtherwise"):
        service.scenario("flight_booking").fill("to Shanghai", llm)


def test_what_is_published_is_followed_and_pinned(url: str) -> None:
    publish(url, scenario_of("ferry"))
    updates: list[Update] = []
    with Otherwise(url, client="fay") as service:
        additive, exact = service.scenario("ferry"), service.scenario("ferry", pin="exact")
        old = service.scenario("ferry", pin="1.0.0")
        assert additive.template()["keys"] == exact.template()["keys"] == old.template()["keys"]
        with additive.on_change(updates.append):
            publish(url, scenario_of("ferry", schema_id="ferry_v1_1", keys=[*TRAM["keys"], PRAM]))
            until(lambda: bool(updates))
        assert updates[-1]["schema_id"] == "ferry_v1_1"
        base = updates[-1]["base"]
        assert (base["came"], base["went"], base["changed"], base["deprecation"]) == (["pram"], [], [], None)
        assert base["old_revision"] < base["new_revision"] == updates[-1]["revision"]
        assert "pram" in additive.template()["key_digests"], "the stream told that what is held is stale"
        assert additive.submit({"zone": "outer", "pram": True})["payload"]["pram"] is True
        # The reply of an exact client is judged by what it holds; it looks again only where max_age is over, or told to.
        assert "pram" not in exact.digests
        exact._logic.stale()
        with pytest.raises(DigestRefused) as refused:
            exact.submit({"zone": "outer"})
        assert refused.value.keys == ["pram"]
        exact.accept()
        assert exact.submit({"zone": "outer"})["exchange"]["schema_id"] == "ferry_v1_1"
        # A client of one version stays with it.
        old._logic.stale()
        assert old.template()["schema_id"] == "ferry_v1"


def test_other_words_are_refused_until_they_are_accepted(url: str) -> None:
    publish(url, scenario_of("metro"))
    with Otherwise(url, client="max", max_age=0) as service:
        metro = service.scenario("metro")
        metro.template()
        keys = [{**TRAM["keys"][0], "semantic_description": "Say inner. Acceptable values: inner, outer."}, TRAM["keys"][1]]
        publish(url, scenario_of("metro", schema_id="metro_v1_1", keys=keys))
        for call in (metro.template, metro.tool, metro.prompt, metro.model, lambda: metro.submit({"zone": "inner"})):
            with pytest.raises(DigestRefused, match="`zone` of metro"):
                call()
        metro.accept()
        assert metro.submit({"zone": "inner"})["exchange"]["schema_id"] == "metro_v1_1"


def test_a_pin_outlives_the_program_and_a_schema_that_is_to_go_is_told(url: str) -> None:
    publish(url, scenario_of("lift"))
    with Otherwise(url, client="lea") as service:
        lift = service.scenario("lift", pin="1.0.0")
        assert lift.pin_state is None and "latest" not in lift.template()
        kept = json.dumps(lift.pin_state)
    keys = [{**TRAM["keys"][0], "semantic_description": "Say inner. Acceptable values: inner, outer."}]
    publish(url, scenario_of("lift", schema_id="lift_v1_1", keys=keys))
    told = {"sunset": "2036-08-01T00:00:00Z"}
    gone = httpx.post(f"{url}/v1/schemas/lift_v1:deprecate", json=told, headers={"Otherwise-Client": "pat"})
    assert gone.status_code == 200, gone.text
    with Otherwise(url, client="lea") as service:
        with pytest.raises(DigestRefused) as refused:
            service.scenario("lift", pin_state=json.loads(kept)).submit({"zone": "inner"})
        assert refused.value.keys == ["zone", "tickets"]
        lift = service.scenario("lift", pin="1.0.0", pin_state=json.loads(kept))
        with pytest.warns(SchemaDeprecationWarning, match="lift_v1 .*2036-08-01T00:00:00Z"):
            assert lift.submit({"zone": "inner"})["exchange"]["schema_id"] == "lift_v1"
        assert lift.template()["deprecation"]["sunset"] == "2036-08-01T00:00:00Z" and lift.template()["latest"] == "1.1.0"


def test_a_range_of_versions_is_the_services_to_read(url: str) -> None:
    publish(url, scenario_of("train"))
    with Otherwise(url, client="tim") as service:
        try:
            assert service.scenario("train", pin="^1").template()["version"] == "1.0.0"
        except OtherwiseError as older:
            # A service that knows no ranges looks for a version of that name, and says that there is none.
            assert older.code == "unknown_schema"
        with pytest.raises(OtherwiseError) as nothing:
            service.scenario("train", pin="3.1.4").template()
        assert nothing.value.status == 404


def test_a_retired_schema_is_stale(url: str) -> None:
    publish(url, scenario_of("bus"))
    with Otherwise(url, client="bob") as service:
        bus = service.scenario("bus")
        bus.template()
        publish(url, scenario_of("bus", schema_id="bus_v1_1", keys=[*TRAM["keys"], PRAM]))
        assert httpx.delete(f"{url}/v1/schemas/bus_v1", headers={"Otherwise-Client": "pat"}).status_code == 200
        with pytest.raises(Stale):
            bus.submit({"zone": "inner"})
        assert bus.submit({"zone": "inner"})["exchange"]["schema_id"] == "bus_v1_1"


def test_what_clients_ask_for_becomes_a_key() -> None:
    wishes = ["a window seat please", "I would like a window seat", "window seat if possible", "a seat at the window please"]
    updates: list[Update] = []
    with served() as url, Otherwise(url, client="ann") as ann:
        flights = ann.scenario("flight_booking")
        assert "window_seat" not in flights.model().model_fields
        with flights.on_change(updates.append):
            for name in ("ann", "ben", "cat", "dan", "eve"):
                with Otherwise(url, client=name) as service:
                    for wish in wishes[:3]:
                        service.scenario("flight_booking").other(wish, BOOKING)
            until(lambda: any(update["patches"] for update in updates))
        key = updates[-1]["patches"][0]["new_keys"][0]["key_name"]
        assert key in flights.template()["key_digests"], "a new optional key is taken"
        assert key in flights.model().model_fields and key in flights.tool("mcp")["inputSchema"]["properties"]
        without = ann.scenario("flight_booking", experimental=False)
        assert key not in without.template()["key_digests"]
        assert key not in without.tool("mcp")["inputSchema"]["properties"]
        assert without._logic._mark == 0, "the form names the digest of its template"
        reply = flights.submit(flights.model()(**BOOKING, **{key: True}))
        assert reply["payload"][key] is True and reply["exchange"]["warnings"] == []


def test_a_follower_survives_the_service() -> None:
    listen = f"127.0.0.1:{free_port()}"
    updates: list[Update] = []
    with tempfile.TemporaryDirectory() as data:
        with contextlib.ExitStack() as first, Otherwise(f"http://{listen}", client="fin", sleep=hastened) as service:
            url = first.enter_context(served(data=data, listen=listen))
            publish(url, TRAM)
            tram = service.scenario("tram")
            tram.template()
            with tram.on_change(updates.append) as follower:
                publish(url, {**TRAM, "schema_id": "tram_v1_1", "keys": [*TRAM["keys"], PRAM]})
                until(lambda: bool(updates))
                first.close()
                # The service is away: the follower comes again until it is back, and is told what is new since.
                with served(data=data, listen=listen):
                    publish(url, {**TRAM, "schema_id": "tram_v1_2", "keys": [*TRAM["keys"], PRAM, {**PRAM, "key_name": "dog"}]})
                    until(lambda: updates[-1]["schema_id"] == "tram_v1_2")
                    assert "dog" in tram.template()["key_digests"]
            assert [update["schema_id"] for update in updates] == ["tram_v1_1", "tram_v1_2"] and follower.error is None
            with pytest.raises(Unavailable) as away:
                service.scenario("tram").template()
            assert away.value.code == "unreachable"


def hastened(seconds: float) -> None:
    time.sleep(seconds / 20)


def test_a_follower_ends_by_itself_where_coming_again_is_no_use(url: str) -> None:
    with Otherwise(url, client="eli") as service:
        follower = service.scenario("no_such_scenario").on_change(lambda _: None)
        until(lambda: follower.error is not None)
        assert isinstance(follower.error, OtherwiseError) and follower.error.code == "unknown_scenario"
        follower.close()
        # Closing wakes a thread that waits for the next change.
        idle = service.scenario("flight_booking").on_change(lambda _: None)
        time.sleep(0.5)
        begun = time.monotonic()
        idle.close()
        assert time.monotonic() - begun < CLOSING and "otherwise-follower" not in [one.name for one in threading.enumerate()]


def test_a_key_opens_a_closed_service() -> None:
    key = "a secret that nobody guesses".replace(" ", "-")
    digest = hashlib.sha256(key.encode()).hexdigest()
    with served(f'[[principals]]\nname = "ada"\nroles = ["client"]\nkey_sha256 = "{digest}"\n') as url:
        with Otherwise(url, key=key) as service:
            assert service.scenario("flight_booking").submit(BOOKING)["exchange"]["status"] == "accepted"
        with Otherwise(url, key="another") as service, pytest.raises(OtherwiseError) as refused:
            service.scenario("flight_booking").template()
        assert refused.value.code == "unauthenticated"


@pytest.mark.parametrize("wrong", [{"url": "127.0.0.1:8080"}, {"url": "ftp://host"}, {"key": "a\nb"}, {"client": "zoë"}, {"max_age": -1}])
def test_what_cannot_be_right_is_said_at_once(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        Otherwise(**{"url": "http://127.0.0.1:8080", **wrong})


def test_a_pin_or_tool_that_is_none_is_said_at_once() -> None:
    with Otherwise("http://127.0.0.1:1") as service:
        with pytest.raises(ValueError, match="additive"):
            service.scenario("tram", pin="aditive")
        with pytest.raises(ValueError, match="openai-responses"):
            service.scenario("tram").tool("chatgpt")  # type: ignore[arg-type]
