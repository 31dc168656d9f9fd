"""The adapters in the frameworks themselves: a model that speaks OpenAI's protocol fills the tool, wrong at first."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from pydantic import SecretStr
from pydantic_ai import Agent as PydanticAgent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import agents
import otherwise_client.langchain
import otherwise_client.openai_agents
import otherwise_client.pydantic_ai
from otherwise_client import Otherwise, Scenario
from running import ROOT
from scripted_model import Script, scripted

WISH = "Two people from Beijing to Shanghai on 4 May 2026, business class, a window seat please"
RIGHT = {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "cabin_class": "business", "passenger_count": 2}
#: What is out of range has no repair: the model has to mend it. What is misspelt has one, and the model never hears of it.
WRONG = {**RIGHT, "passenger_count": 20}
MISSPELT = {**RIGHT, "cabin_class": "Business", "other": "a window seat please"}

# The frameworks leave connections and loops of their own open.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Has what a framework leaves open collected here, and not within a test of this client."""
    yield
    gc.collect()



def by_langchain(scenario: Scenario, url: str) -> str:
    model = ChatOpenAI(model="scripted", base_url=url, api_key=SecretStr("none"))
    agent = create_agent(model, tools=[otherwise_client.langchain.tool(scenario)])
    return str(agent.invoke({"messages": [HumanMessage(WISH)]})["messages"][-1].content)


def by_langchain_on_asyncio(scenario: Scenario, url: str) -> str:
    model = ChatOpenAI(model="scripted", base_url=url, api_key=SecretStr("none"))
    agent = create_agent(model, tools=[otherwise_client.langchain.tool(scenario)])
    return str(asyncio.run(agent.ainvoke({"messages": [HumanMessage(WISH)]}))["messages"][-1].content)


def by_pydantic_ai(scenario: Scenario, url: str) -> str:
    model = OpenAIChatModel("scripted", provider=OpenAIProvider(base_url=url, api_key="none"))
    return PydanticAgent(model, tools=[otherwise_client.pydantic_ai.tool(scenario)]).run_sync(WISH).output


def by_openai_agents(scenario: Scenario, url: str) -> str:
    agents.set_tracing_disabled(True)
    client = AsyncOpenAI(base_url=url, api_key="none")
    model = agents.OpenAIResponsesModel("scripted", client)
    agent = agents.Agent(name="booker", model=model, tools=[otherwise_client.openai_agents.tool(scenario)])
    return str(agents.Runner.run_sync(agent, WISH).final_output)


@pytest.mark.parametrize("run", [by_langchain, by_langchain_on_asyncio, by_pydantic_ai, by_openai_agents])
def test_a_framework_books_a_flight(run: Callable[[Scenario, str], str], url: str) -> None:
    with Otherwise(url, client=run.__name__) as service, scripted([WRONG, MISSPELT]) as (model, script):
        scenario = service.scenario("flight_booking")
        assert run(scenario, model) == "It is booked."
    assert len(script.asked) == 3
    offered = json.dumps(script.asked[0]["tools"])
    assert "cabin_class" in offered and "Departure city or airport code" in offered
    mistaken, done = tool_results(script)
    assert "/payload/passenger_count" in mistaken and "out_of_range" in mistaken
    reply = json.loads(done)
    assert reply["exchange"]["status"] == "accepted"
    assert (reply["payload"]["cabin_class"], reply["payload"]["passenger_count"]) == ("business", 2)


def tool_results(script: Script) -> list[str]:
    """What the tool said, as the model was told at last."""
    last = script.asked[-1]
    told: list[dict[str, Any]] = last.get("messages") or last["input"]
    results = [one for one in told if one.get("role") == "tool" or one.get("type") == "function_call_output"]
    return [str(one.get("content", one.get("output"))) for one in results]


def test_the_agents_sdk_is_given_the_strict_schema(url: str) -> None:
    with Otherwise(url, client="strict") as service, scripted([RIGHT]) as (model, script):
        by_openai_agents(service.scenario("flight_booking"), model)
    tool = script.asked[0]["tools"][0]
    assert tool["strict"] is True
    assert sorted(tool["parameters"]["required"]) == sorted(tool["parameters"]["properties"])


def test_an_error_that_no_model_can_mend_is_raised() -> None:
    with Otherwise("http://127.0.0.1:1", client="nobody", sleep=lambda _: None) as service:
        with pytest.raises(otherwise_client.Unavailable):
            otherwise_client.langchain.tool(service.scenario("flight_booking"))


def test_the_example_books_a_flight_in_ten_lines(url: str, tmp_path: Path) -> None:
    example = ROOT / "examples/langchain/book.py"
    own = [line for line in example.read_text().split('"""')[2].splitlines() if line.strip() and not line.startswith("#")]
    assert len(own) <= 10, own
    with scripted([MISSPELT], says="Booked: Beijing to Shanghai.") as (model, script):
        told = {"OTHERWISE_URL": url, "OPENAI_BASE_URL": model, "OPENAI_API_KEY": "none"}
        ended = subprocess.run(
            [sys.executable, example, WISH], env={**os.environ, **told}, cwd=tmp_path, capture_output=True, text=True, timeout=120
        )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == "Booked: Beijing to Shanghai."
    assert json.loads(tool_results(script)[0])["payload"]["cabin_class"] == "business"
