"""Which changes of a template a client takes by itself."""

from __future__ import annotations

import copy
import hashlib
import json

from .wire import PinState, Template

KINDS = ("additive", "exact", "none")


def version_range(pin: str) -> str | None:
    """The range of versions that a pin names, which is additive within it; none for the three kinds."""
    if pin in KINDS:
        return None
    if pin[:1].isdigit() or pin[:1] in ("^", "~", "=", "<", ">", "*"):
        return pin
    raise ValueError(f"no pin `{pin}`: it is one of {', '.join(KINDS)}, or a range of versions such as ^1")


def state_of(template: Template) -> PinState:
    """What of a template is agreed to by taking it."""
    keys = template["keys"]
    return PinState(
        schema_id=template["schema_id"],
        revision=template["revision"],
        digests=dict(template["key_digests"]),
        required=sorted(key["key_name"] for key in keys if key["required"]),
        experimental=sorted(key["key_name"] for key in keys if key.get("experimental")),
    )


def checked(state: PinState) -> PinState:
    """A state as it was given back, once it is one."""
    lists = [state.get(name) if isinstance(state, dict) else None for name in ("required", "experimental")]
    if not all(isinstance(one, list) for one in lists) or not isinstance(state.get("digests"), dict):
        raise ValueError("`pin_state` is what the property `pin_state` of a scenario gave: give it back as it was")
    return copy.deepcopy(state)


def refused_keys(pin: str, agreed: PinState, offered: PinState) -> list[str]:
    """The keys whose change the pin refuses, in the order of the templates."""
    if pin == "none":
        return []
    before, after = agreed["digests"], offered["digests"]
    came, went, changed = difference(before, after)
    if pin != "exact":
        went = [name for name in went if name not in agreed["experimental"]]
        came = [name for name in came if name in offered["required"]]
    demanded = [name for name in before if name in offered["required"] and name not in agreed["required"]]
    return [name for name in {**before, **after} if name in {*came, *went, *changed, *demanded}]


def difference(before: dict[str, str], after: dict[str, str]) -> tuple[list[str], list[str], list[str]]:
    """The keys that came, that went and that changed, by their digests."""
    came = [name for name in after if name not in before]
    went = [name for name in before if name not in after]
    return came, went, [name for name in before if name in after and before[name] != after[name]]


def digest(template: Template) -> str:
    """The digest of a template, as the service names it: that of its `key_digests` in canonical JSON. Names are ASCII."""
    text = json.dumps(template["key_digests"], sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
