"""Makes a pydantic class of a template, which checks values as the service does.

What only the service knows is left to it: patterns that Python cannot read, formats beside those in `FORMATS`, leap seconds,
and how long `other` may be. A learned key is checked here, while the service would only warn of it.
"""

from __future__ import annotations

import datetime
import ipaddress
import keyword
import math
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    WithJsonSchema,
    create_model,
)

from .wire import Key, Template

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TIME = re.compile(r"(\d{2}:\d{2}:\d{2})(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)", re.ASCII | re.IGNORECASE)
_DAY = r"(\d+Y(\d+M(\d+D)?)?|\d+M(\d+D)?|\d+D)"
_HOUR = r"T(\d+H(\d+M(\d+S)?)?|\d+M(\d+S)?|\d+S)"
_DURATION = re.compile(rf"P(\d+W|{_DAY}({_HOUR})?|{_HOUR})", re.ASCII)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+")


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    # Python has no year 0, which is a leap year like 400.
    datetime.date.fromisoformat("0400" + text[4:] if text.startswith("0000") else text)
    return True


def _is_time(text: str) -> bool:
    read = _TIME.fullmatch(text)
    if read is None:
        return False
    datetime.time.fromisoformat(read[1].replace(":60", ":59") if read[1].endswith(":60") else read[1])
    return True


def _is_date_time(text: str) -> bool:
    return text[10:11] in ("T", "t") and _is_date(text[:10]) and _is_time(text[11:])


def _is_address(kind: Callable[[str], object]) -> Callable[[str], bool]:
    return lambda text: "%" not in text and bool(kind(text))


#: Formats that are checked; each says no, or fails with ValueError, where a text is none.
FORMATS: dict[str, Callable[[str], bool]] = {
    "date": _is_date,
    "time": _is_time,
    "date-time": _is_date_time,
    "duration": lambda text: bool(_DURATION.fullmatch(text)),
    "uuid": lambda text: bool(_UUID.fullmatch(text)),
    "email": lambda text: bool(_EMAIL.fullmatch(text)),
    "ipv4": _is_address(ipaddress.IPv4Address),
    "ipv6": _is_address(ipaddress.IPv6Address),
}


def model_of(template: Template) -> type[BaseModel]:
    """The class of a template: a field for each key, absent where it was not said."""
    fields: dict[str, Any] = {}
    for key in template["keys"]:
        name = key["key_name"]
        field = name
        while keyword.iskeyword(field) or hasattr(BaseModel, field) or field.startswith("_") or field in fields:
            field = field.lstrip("_") + "_"
        fields[field] = _field(key)
    words = [template.get("description", ""), f"{template['schema_id']}, revision {template['revision']}."]
    extra: Literal["forbid", "allow"] = "forbid" if template.get("strict") else "allow"
    config = ConfigDict(extra=extra, validate_by_name=True, validate_by_alias=True, serialize_by_alias=True)
    name = "".join(part.capitalize() for part in re.split(r"[^a-zA-Z0-9]+", template["scenario"])) or "Payload"
    model: type[BaseModel] = create_model(name, __config__=config, __doc__="\n\n".join(filter(None, words)), **fields)
    return model


def _field(key: Key) -> Any:
    kind, rules = key["key_type"], key.get("constraints", {})
    schema: dict[str, Any] = {"type": kind, **rules}
    base = _base(kind, rules)
    if key["key_name"] == "other" and kind == "string":
        schema = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
        base, rules = StrictStr | list[StrictStr], {}
    typed: Any = Annotated[base, AfterValidator(_check({"type": kind, **rules} if rules else {})), WithJsonSchema(schema)]
    # The service fills in a learned key's default: sent by a client it would count as use of the key.
    default = None if "patch_id" in key else key.get("default_value")
    known = Field(... if key["required"] else default, alias=key["key_name"], description=key["semantic_description"])
    return (typed if key["required"] else typed | None, known)


def _base(kind: str, rules: dict[str, Any]) -> Any:
    if kind == "array":
        items = rules.get("items") or {}
        return list[_base(items.get("type", "any"), items)]  # type: ignore[misc]
    return {
        "string": StrictStr,
        "integer": Annotated[StrictInt, BeforeValidator(_whole)],
        "number": StrictInt | StrictFloat,
        "boolean": StrictBool,
        "object": dict[str, Any],
        "null": None,
    }.get(kind, Any)


def _whole(value: Any) -> Any:
    """7.0 is an integer in JSON."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check(schema: dict[str, Any]) -> Callable[[Any], Any]:
    def check(value: Any) -> Any:
        wrong = misfit(schema, value, "")
        if wrong is not None:
            raise ValueError(wrong)
        return value

    return check


def misfit(schema: dict[str, Any], value: Any, place: str) -> str | None:
    """Why a value does not fit a schema of the keywords that templates may use; none where it does."""
    at = f"{place}: " if place else ""
    kind = schema.get("type")
    if kind is not None and not _TYPES[kind](value):
        return f"{at}this is no {kind}"
    if "enum" in schema and not any(_equal(value, one) for one in schema["enum"]):
        return f"{at}this is none of {schema['enum']}"
    if "const" in schema and not _equal(value, schema["const"]):
        return f"{at}this is not {schema['const']!r}"
    if isinstance(value, str):
        return _text_misfit(schema, value, at)
    if _TYPES["number"](value):
        return _number_misfit(schema, value, at)
    if isinstance(value, list):
        return _list_misfit(schema, value, place, at)
    return _object_misfit(schema, value, place, at) if isinstance(value, dict) else None


def _text_misfit(schema: dict[str, Any], value: str, at: str) -> str | None:
    if not schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", math.inf):
        return f"{at}this has {len(value)} characters; {_range(schema, 'minLength', 'maxLength')}"
    if "pattern" in schema:
        try:
            fits = re.search(schema["pattern"], value, re.ASCII) is not None
        except re.error:
            fits = True
        if not fits:
            return f"{at}this does not match {schema['pattern']}"
    is_format = FORMATS.get(schema.get("format", ""))
    if is_format is not None:
        try:
            fits = is_format(value)
        except ValueError:
            fits = False
        if not fits:
            return f"{at}this is no {schema['format']}"
    return None


def _number_misfit(schema: dict[str, Any], value: int | float, at: str) -> str | None:
    if not math.isfinite(value):
        return f"{at}JSON has no such number"
    if not schema.get("minimum", -math.inf) <= value <= schema.get("maximum", math.inf):
        return f"{at}this is out of range; {_range(schema, 'minimum', 'maximum')}"
    if not schema.get("exclusiveMinimum", -math.inf) < value < schema.get("exclusiveMaximum", math.inf):
        return f"{at}this is out of range; {_range(schema, 'exclusiveMinimum', 'exclusiveMaximum')}"
    step = schema.get("multipleOf")
    if step is not None and Fraction(str(value)) % Fraction(str(step)) != 0:
        return f"{at}this is no multiple of {step}"
    return None


def _list_misfit(schema: dict[str, Any], value: list[Any], place: str, at: str) -> str | None:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", math.inf):
        return f"{at}this has {len(value)} items; {_range(schema, 'minItems', 'maxItems')}"
    if schema.get("uniqueItems") and any(_equal(one, other) for n, one in enumerate(value) for other in value[:n]):
        return f"{at}an item stands here twice"
    items = schema.get("items")
    if not isinstance(items, dict):
        return f"{at}there may be no items" if items is False and value else None
    return next(filter(None, (misfit(items, one, f"{place}/{n}") for n, one in enumerate(value))), None)


def _object_misfit(schema: dict[str, Any], value: dict[str, Any], place: str, at: str) -> str | None:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    missing = [name for name in required if name not in value]
    if missing:
        return f"{at}`{missing[0]}` is missing"
    others = schema.get("additionalProperties", True)
    for name, member in value.items():
        if member is None and name not in required:
            continue  # means: left out
        within = properties.get(name, others)
        if within is False:
            return f"{at}there is no member `{name}`"
        wrong = misfit(within, member, f"{place}/{name}") if isinstance(within, dict) else None
        if wrong is not None:
            return wrong
    return None


_TYPES: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str),
    "integer": lambda value: isinstance(_whole(value), int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
    "null": lambda value: value is None,
}


def _equal(one: Any, other: Any) -> bool:
    """Whether two values are the same in JSON, where true is not 1, and 1 is 1.0."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    return bool(one == other)


def _range(schema: dict[str, Any], least: str, most: str) -> str:
    return ", ".join(f"{name} is {schema[name]}" for name in (least, most) if name in schema)
