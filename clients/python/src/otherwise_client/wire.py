"""What is asked and answered, as types. Members that are not named here are passed on as they came."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

ToolForm = Literal["openai", "openai-responses", "anthropic", "gemini", "mcp"]

#: Names of the forms as the service knows them.
FORMATS: dict[str, str] = {
    "openai": "openai-tool",
    "openai-responses": "openai-responses-tool",
    "anthropic": "anthropic-tool",
    "gemini": "gemini-tool",
    "mcp": "mcp-tool",
}


class _Key(TypedDict):
    key_name: str
    key_type: str
    required: bool
    semantic_description: str


class Key(_Key, total=False):
    """One key of a template."""

    default_value: Any
    constraints: dict[str, Any]
    sensitive: str
    experimental: bool
    deprecated: bool
    patch_id: str


class _Template(TypedDict):
    schema_id: str
    scenario: str
    version: str
    revision: int
    language: str
    keys: list[Key]
    key_digests: dict[str, str]
    patches: list[dict[str, Any]]


class Deprecation(TypedDict):
    """That a schema is to go: since when, from when on it may be gone, where to read more; moments as RFC 3339 has them."""

    since: str
    sunset: str | None
    link: str | None


class Template(_Template, total=False):
    """The template in force for the caller. `deprecation` and `latest`, the version in force where that is another one, are what
    the service's last answer said by its headers."""

    deprecation: Deprecation
    latest: str
    description: str
    response_schema: dict[str, Any]
    strict: bool
    lenient: bool
    owner: str
    labels: dict[str, str]


class _Violation(TypedDict):
    key: str
    pointer: str
    code: str
    message: str


class Violation(_Violation, total=False):
    """One reason for a refusal; `repair` is there where the right value is determined."""

    expected: dict[str, Any]
    received_type: str
    nearest_key: str
    repair: list[dict[str, Any]]


class _Exchange(TypedDict):
    schema_id: str
    revision: int
    status: str


class Exchange(_Exchange, total=False):
    """What became of a submission."""

    submission_id: str
    defaults_applied: list[str]
    kept_out: list[str]
    warnings: list[dict[str, Any]]
    template_change: dict[str, Any]


class _Reply(TypedDict):
    exchange: Exchange


class Reply(_Reply, total=False):
    """What was accepted: `payload`, or the members of the executor's result beside `exchange`."""

    payload: dict[str, Any]
    schema_update_suggestion: dict[str, Any]


class PinState(TypedDict):
    """What of a template was agreed to: plain JSON, to be kept and given back after a restart."""

    schema_id: str
    revision: int
    digests: dict[str, str]
    required: list[str]
    experimental: list[str]


class NewBase(TypedDict):
    """Another schema is in force: between which revisions, and which keys came, went and changed."""

    old_revision: int
    new_revision: int
    came: list[str]
    went: list[str]
    changed: list[str]
    deprecation: Deprecation | None


class _Update(TypedDict):
    revision: int
    schema_id: str
    patches: list[dict[str, Any]]
    withdrawn_keys: list[Any]


class Update(_Update, total=False):
    """What changed since the revision that was held; where another schema is in force, `base` says in what it differs."""

    base: NewBase


class _ScenarioRow(TypedDict):
    scenario: str
    schema_id: str
    version: str
    revision: int
    description: str | None
    language: str


class ScenarioRow(_ScenarioRow, total=False):
    """One scenario that is hosted."""

    owner: str
    labels: dict[str, str]
    likeness: float
