"""Checks that a letter of a webhook comes from the service that knows its secret, and is not an old one sent again."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

#: Seconds that a letter may be old, or from the future: as long as Standard Webhooks advises.
TOLERANCE = 300.0


class BadSignature(ValueError):
    """The letter is not to be trusted; the text says why. Answer 401, and do nothing else."""


def verify(
    secret: str | Sequence[str],
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> dict[str, Any]:
    """The event that a letter holds, once its signature is right.

    `body` is the bytes as they came. While a secret is changed, give the new one and the old one. A letter may come twice:
    its `id` is the same then.
    """
    named = {name.lower(): value for name, value in headers.items()}
    letter, moment, given = (named.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (letter and given and moment.isascii() and moment.isdigit()):
        raise BadSignature("a header webhook-id, webhook-timestamp or webhook-signature is missing or cannot be read")
    if abs((time.time() if now is None else now) - int(moment)) > tolerance:
        raise BadSignature("the letter is too old, or this machine's clock is wrong")
    signed = f"{letter}.{moment}.".encode() + body
    secrets = [secret] if isinstance(secret, str) else list(secret)
    wanted = [hmac.new(_key(one), signed, hashlib.sha256).digest() for one in secrets]
    claimed = [_bytes(one.removeprefix("v1,")) for one in given.split(" ") if one.startswith("v1,")]
    # Every pair is compared, so that the time tells nothing of which one fits.
    if not any([hmac.compare_digest(one, other) for one in wanted for other in claimed]):
        raise BadSignature("the letter is signed with another secret, or was changed on its way")
    try:
        event = json.loads(body)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise BadSignature("the letter is signed, but no event")
    return event


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        key = b""
    if not key:
        raise ValueError("a secret is `whsec_` and base64, as it was shown when the webhook was registered")
    return key


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return b""
