"""A scenario as a tool of the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from agents import FunctionTool

from ._tools import definition, mend, submitted
from .errors import InvalidPayload
from .scenario import Scenario


def tool(scenario: Scenario) -> FunctionTool:
    """Submits what a model fills in, by the strict schema. What does not fit is told to the model; any other error is raised."""

    async def submit(_context: Any, arguments: str) -> str:
        try:
            return await asyncio.to_thread(submitted, scenario, json.loads(arguments))
        except InvalidPayload as refused:
            return mend(refused)

    defined = definition(scenario, "openai")
    return FunctionTool(
        name=defined.name,
        description=defined.description,
        params_json_schema=defined.schema,
        on_invoke_tool=submit,
        strict_json_schema=True,
    )
