"""A whole session over MCP with the official client: discover, negotiate, fill, submit, learn of a new key.

    pip install -r requirements.txt
    python mcp_session.py http://127.0.0.1:8080
"""

import asyncio
import contextlib
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

BOOKING = {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}
TEMPLATE = "otherwise://scenarios/flight_booking/template"
WISHES = [
    "a window seat please",
    "I would like a window seat",
    "window seat if possible",
    "please book me a window seat",
    "a seat at the window please",
    "I prefer a window seat",
] * 2  # a key that others see is made of ten fragments at least


@contextlib.asynccontextmanager
async def connected(url, traveller):
    """A client of a traveller. An open service takes any name for who calls; one with principals takes their keys."""
    async with httpx2.AsyncClient(headers={"Otherwise-Client": traveller}, timeout=30) as http:
        async with Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client:
            yield client


def booking(more):
    return {"schema_id": "flight_booking_v1", "payload": {**BOOKING, **more}}


async def find(client, wish):
    """The scenario that fits a wish. Right after a start the service has not read all templates: ask again in a moment."""
    for _ in range(100):
        found = (await client.call_tool("list_scenarios", {"q": wish})).structured_content
        if found["outcome"] == "match":
            return found["scenarios"][0]["scenario"]
        if not found["unread"]:
            break
        await asyncio.sleep(0.2)
    raise SystemExit(f"no scenario fits {wish!r}")


async def submit(client, more):
    result = await client.call_tool("submit_payload", booking(more))
    assert not result.is_error, result
    return result.structured_content


async def changed(changes):
    """Waits for a change, half a minute at most."""
    try:
        async with asyncio.timeout(30):
            async for _ in changes:
                return True
    except TimeoutError:
        pass
    return False


async def ready(url):
    """Waits until the service is ready, half a minute at most."""
    async with httpx2.AsyncClient(timeout=30) as http:
        for _ in range(150):
            with contextlib.suppress(httpx2.TransportError):
                if (await http.get(f"{url}/readyz")).status_code == 200:
                    return
            await asyncio.sleep(0.2)
    raise SystemExit(f"{url} is not ready")


async def main(url):
    await ready(url)
    async with connected(url, "ana") as client:
        tools = await client.list_tools()
        print("discovered", [tool.name for tool in tools.tools])
        scenario = await find(client, "I want to book a flight to Shanghai")

        # Negotiate: the template as a resource, and as a prompt for a model.
        read = await client.read_resource(TEMPLATE)
        template = json.loads(read.contents[0].text)
        print("negotiated", template["schema_id"], [key["key_name"] for key in template["keys"]])
        prompt = await client.get_prompt(scenario, {"utterance": "fly to Shanghai next Monday"})
        print("prompt:", prompt.messages[0].content.text.splitlines()[0])

        # Fill it wrongly once: what is wrong comes back as a tool result, with what would mend it.
        refused = await client.call_tool("submit_payload", booking({"passenger_count": "2"}))
        [violation] = json.loads(refused.content[0].text)["violations"]
        print("refused:", violation["message"], "mended by", violation["repair"])

        # A service that was taught before has the key already, and none will come.
        key = next((key for key in template["keys"] if "seat" in key["key_name"]), None)
        if key is None:
            async with client.listen(resource_subscriptions=[TEMPLATE]) as changes:
                # Fill and submit. What no key holds goes into `other`; several travellers want the same.
                for number, wish in enumerate(WISHES):
                    async with connected(url, f"ana-{number % 5}") as traveller:
                        booked = await submit(traveller, {"passenger_count": 2, "other": wish})
                    print("submitted", booked["exchange"]["submission_id"], "with", wish)

                # Learn of the key that this brought.
                if not await changed(changes):
                    return "no key came within 30 s: run this on a service that has learned nothing yet"
            news = await client.call_tool("get_schema_updates", {"scenario": scenario, "since": template["revision"]})
            [key] = news.structured_content["patches"][0]["new_keys"]
            print("learned of", key["key_name"], "-", key["semantic_description"])
        else:
            print("learned before:", key["key_name"], "-", key["semantic_description"])
        said = {**BOOKING, key["key_name"]: True if key["key_type"] == "boolean" else "window"}

        # The scenario is a tool as well: it asks for every key by now, null for what nothing was said of, and its call submits.
        tools = (await client.list_tools(cache_mode="refresh")).tools
        tool = next(tool for tool in tools if tool.title == template["scenario"])
        booked = await client.call_tool(tool.name, {name: said.get(name) for name in tool.input_schema["required"]}, meta=tool.meta)
        assert not booked.is_error, booked
        print("submitted", booked.structured_content["payload"], "by", tool.name)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1] if sys.argv[1:] else "http://127.0.0.1:8080")))
