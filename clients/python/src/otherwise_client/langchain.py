"""A scenario as a tool of LangChain."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.tools import StructuredTool, ToolException

from ._tools import definition, mend, submitted
from .errors import InvalidPayload
from .scenario import Scenario


def tool(scenario: Scenario) -> StructuredTool:
    """Submits what a model fills in. What does not fit is told to the model; any other error is raised."""

    def submit(**arguments: Any) -> str:
        try:
            return submitted(scenario, arguments)
        except InvalidPayload as refused:
            raise ToolException(mend(refused)) from refused

    async def submit_aside(**arguments: Any) -> str:
        return await asyncio.to_thread(submit, **arguments)

    defined = definition(scenario)
    return StructuredTool(
        name=defined.name,
        description=defined.description,
        args_schema=defined.schema,
        func=submit,
        coroutine=submit_aside,
        handle_tool_error=True,
    )
