"""Which changes of a template a client takes by itself."""

from __future__ import annotations

import hashlib
import json

from .wire import Key, Template

KINDS = ("additive", "exact", "none")


def version_range(pin: str) -> str | None:
    """The range of versions that a pin names, which is additive within it; none for the three kinds."""
    if pin in KINDS:
        return None
    if pin[:1].isdigit() or pin[:1] in ("^", "~", "=", "<", ">", "*"):
        return pin
    raise ValueError(f"no pin `{pin}`: it is one of {', '.join(KINDS)}, or a range of versions such as ^1")


def refused_keys(pin: str, held: Template, offered: Template) -> list[str]:
    """The keys whose change the pin refuses, in the order of the templates."""
    if pin == "none":
        return []
    before, after = held["key_digests"], offered["key_digests"]
    if pin == "exact":
        return [name for name in {**before, **after} if before.get(name) != after.get(name)]
    old, new = _by_name(held), _by_name(offered)
    tried = {name for name, key in old.items() if key.get("experimental")}
    changed = [name for name in before if name in after and before[name] != after[name]]
    gone = [name for name in before if name not in after and name not in tried]
    demanded = [name for name, key in new.items() if key["required"] and not (name in old and old[name]["required"])]
    return list(dict.fromkeys(changed + gone + demanded))


def _by_name(template: Template) -> dict[str, Key]:
    return {key["key_name"]: key for key in template["keys"]}


def digest(template: Template) -> str:
    """The digest of a template, as the service names it: that of its `key_digests` in canonical JSON. Names are ASCII."""
    text = json.dumps(template["key_digests"], sort_keys=True, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
