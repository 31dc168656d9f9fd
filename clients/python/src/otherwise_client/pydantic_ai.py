"""A scenario as a tool of Pydantic AI."""

from __future__ import annotations

from typing import Any

from pydantic_ai import ModelRetry, Tool

from ._tools import definition, mend, submitted
from .errors import InvalidPayload
from .scenario import Scenario


def tool(scenario: Scenario) -> Tool[Any]:
    """Submits what a model fills in. What does not fit is told to the model; any other error is raised."""

    def submit(**arguments: Any) -> str:
        try:
            return submitted(scenario, arguments)
        except InvalidPayload as refused:
            raise ModelRetry(mend(refused)) from refused

    defined = definition(scenario)
    return Tool.from_schema(submit, defined.name, defined.description, defined.schema)
