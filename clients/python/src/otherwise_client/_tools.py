"""What the adapters of frameworks share: a scenario's tool, and a call of it as text that a model can act on."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .errors import InvalidPayload
from .scenario import Scenario
from .wire import ToolForm


@dataclass
class Definition:
    """A tool as frameworks take it."""

    name: str
    description: str
    schema: dict[str, Any]


def definition(scenario: Scenario, form: ToolForm = "mcp") -> Definition:
    """The scenario's tool: with the whole schema, or by `openai` with the strict one."""
    tool = scenario.tool(form)
    told = tool["function"] if form == "openai" else tool
    schema = told["parameters"] if form == "openai" else told["inputSchema"]
    return Definition(told["name"], told.get("description") or f"Submits to {scenario.name}.", schema)


def submitted(scenario: Scenario, arguments: dict[str, Any]) -> str:
    """What came of it, as JSON. Fails with `InvalidPayload`."""
    return json.dumps(scenario.submit(arguments), ensure_ascii=False)


def mend(refused: InvalidPayload) -> str:
    """What a model is told so that it can try again."""
    return "That does not fit; call the tool again, mended: " + json.dumps(refused.violations, ensure_ascii=False)
