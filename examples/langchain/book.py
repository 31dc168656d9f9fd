"""Books a flight with LangChain: a model fills in what the scenario asks for, and Otherwise checks, mends and takes it.

    pip install langchain langchain-openai ../../clients/python
    OPENAI_API_KEY=… python book.py "Two people from Beijing to Shanghai on 4 May 2026, business class, a window seat please"

OTHERWISE_URL names another service, OPENAI_BASE_URL another server that speaks OpenAI's protocol.
"""

import os
import sys

from langchain.agents import create_agent
from otherwise_client import Otherwise
from otherwise_client.langchain import tool

service = Otherwise(os.environ.get("OTHERWISE_URL", "http://127.0.0.1:8080"), client="ada")
agent = create_agent("openai:gpt-5", tools=[tool(service.scenario("flight_booking"))])
print(agent.invoke({"messages": [("user", sys.argv[1])]})["messages"][-1].content)
