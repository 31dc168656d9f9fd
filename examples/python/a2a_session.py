"""A whole session over A2A with the official client: discover, negotiate, fill, submit, learn of a new key.

    pip install -r requirements.txt
    python a2a_session.py http://127.0.0.1:8080
"""

import asyncio
import contextlib
import sys

import httpx
from a2a.client import A2ACardResolver, ClientConfig, ClientFactory
from a2a.client.client import ClientCallContext
from a2a.helpers.proto_helpers import get_data_parts, new_data_message, new_text_message
from a2a.types.a2a_pb2 import ROLE_USER, SendMessageRequest
from google.protobuf import json_format

CONTRACT = "/a2a/schema-contract/v1"
BOOKING = {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04"}
WISHES = [
    "a window seat please",
    "I would like a window seat",
    "window seat if possible",
    "please book me a window seat",
    "a seat at the window please",
    "I prefer a window seat",
] * 2  # a key that others see is made of ten fragments at least


async def send(client, message, traveller):
    """What is said to a message: a task or a message."""
    # An open service takes any name for who calls; one with principals takes their keys.
    call = ClientCallContext(service_parameters={"Otherwise-Client": traveller})
    async for event in client.send_message(SendMessageRequest(message=message), context=call):
        return event.task if event.HasField("task") else event.message


def data_in(answer):
    """What a task or a message holds as data."""
    if hasattr(answer, "artifacts"):
        parts = [part for artifact in answer.artifacts for part in artifact.parts] + list(answer.status.message.parts)
    else:
        parts = answer.parts
    return get_data_parts(parts)


async def find(client, wish, who):
    """The template that fits a wish. Right after a start, or a change, the service has not read all of them: ask again in a moment."""
    for _ in range(100):
        [found] = data_in(await send(client, new_text_message(wish, role=ROLE_USER), who))
        if found["outcome"] == "match":
            return found["template"]
        if not found["unread"]:
            break
        await asyncio.sleep(0.2)
    raise SystemExit(f"no scenario fits {wish!r}")


def booking(more):
    return {"schema_id": "flight_booking_v1", "payload": {**BOOKING, **more}}


async def session(client, who):
    # Negotiate: say in plain words what is wanted; the answer is the template that fits, or that none does.
    template = await find(client, "I want to book a flight to Shanghai", who)
    print("negotiated", template["schema_id"], [key["key_name"] for key in template["keys"]])

    # Fill it wrongly once: every violation comes with what would mend it.
    wrong = new_data_message(booking({"passenger_count": "two"}), role=ROLE_USER)
    task = await send(client, wrong, who)
    [problem] = data_in(task)
    [violation] = problem["violations"]
    print("refused:", violation["message"])
    mended = new_data_message(booking({"passenger_count": 2}), role=ROLE_USER, task_id=task.id, context_id=task.context_id)
    [booked] = data_in(await send(client, mended, who))
    print("mended:", booked["exchange"]["status"])

    # Fill and submit. What no key holds goes into `other`; several travellers want the same.
    for number, wish in enumerate(WISHES):
        right = new_data_message(booking({"passenger_count": 2, "other": wish}), role=ROLE_USER)
        [booked] = data_in(await send(client, right, f"{who}-{number % 5}"))
        print("submitted", booked["exchange"]["submission_id"], "with", wish)

    # Learn of the key that this brought, or that was there before.
    for _ in range(50):
        template = await find(client, "I want to book a flight to Shanghai", who)
        learned = [key for key in template["keys"] if key.get("patch_id")]
        if learned:
            break
        await asyncio.sleep(0.2)
    if not learned:
        raise SystemExit("no key came within 10 s")
    key = learned[0]
    print("learned of", key["key_name"], "-", key["semantic_description"])
    value = True if key["key_type"] == "boolean" else "window"
    fuller = new_data_message(booking({key["key_name"]: value}), role=ROLE_USER)
    [booked] = data_in(await send(client, fuller, who))
    print("submitted", booked["payload"])


async def ready(http, url):
    """Waits until the service is ready, half a minute at most."""
    for _ in range(150):
        with contextlib.suppress(httpx.TransportError):
            if (await http.get(f"{url}/readyz")).status_code == 200:
                return
        await asyncio.sleep(0.2)
    raise SystemExit(f"{url} is not ready")


async def main(url, binding):
    async with httpx.AsyncClient(timeout=30) as http:
        await ready(http, url)
        card = await A2ACardResolver(http, url).get_agent_card()
        contract = next(extension for extension in card.capabilities.extensions if extension.uri.endswith(CONTRACT))
        contracts = json_format.MessageToDict(contract.params)["skills"]
        print("discovered", card.name, {skill: contracts[skill]["digest"] for skill in contracts})
        config = ClientConfig(
            httpx_client=http, streaming=False, supported_protocol_bindings=[binding], use_client_preference=True
        )
        await session(ClientFactory(config).create(card), "ana")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    asyncio.run(main(arguments[0] if arguments else "http://127.0.0.1:8080", arguments[1] if arguments[1:] else "JSONRPC"))
