"""Client of Otherwise: fetches a scenario's template, submits by it, applies repairs, and follows how it changes."""

from .client import AsyncOtherwise, Otherwise
from .errors import DigestRefused, InvalidPayload, OtherwiseError, Stale, Unavailable
from .follow import AsyncFollower, Follower
from .outlook import SchemaDeprecationWarning
from .scenario import AsyncScenario, Scenario
from .wire import Deprecation, Key, NewBase, PinState, Reply, ScenarioRow, Template, ToolForm, Update, Violation

__all__ = [
    "AsyncFollower",
    "AsyncOtherwise",
    "AsyncScenario",
    "Deprecation",
    "DigestRefused",
    "Follower",
    "InvalidPayload",
    "Key",
    "NewBase",
    "Otherwise",
    "OtherwiseError",
    "PinState",
    "Reply",
    "Scenario",
    "ScenarioRow",
    "SchemaDeprecationWarning",
    "Stale",
    "Template",
    "ToolForm",
    "Unavailable",
    "Update",
    "Violation",
]
