"""What is to become of the schema that was served, as the headers of an answer say it."""

from __future__ import annotations

import datetime
import email.utils
import re
import warnings

import httpx

from .wire import Deprecation, Template

_LINK = re.compile(r'<([^>]*)>[^<]*?;\s*rel="?deprecation\b', re.IGNORECASE)


class SchemaDeprecationWarning(FutureWarning):
    """A schema that is submitted by is to go. Shown by default, as whoever runs the program is to know of it."""


def take(template: Template, response: httpx.Response) -> bool:
    """Puts what an answer says of a template's schema into it; whether the schema is to go."""
    template.pop("latest", None)
    template.pop("deprecation", None)
    if "Otherwise-Latest" in response.headers:
        template["latest"] = response.headers["Otherwise-Latest"]
    since = re.fullmatch(r"@(-?\d{1,12})", response.headers.get("Deprecation", ""), re.ASCII)
    if since is None:
        return False
    link = _LINK.search(response.headers.get("Link", ""))
    template["deprecation"] = Deprecation(
        since=_text(datetime.datetime.fromtimestamp(int(since[1]), datetime.timezone.utc)),
        sunset=_moment(response.headers.get("Sunset", "")),
        link=link[1] if link else None,
    )
    return True


def warn(template: Template) -> None:
    """Warns whoever runs the program that the schema is to go."""
    deprecation, latest = template["deprecation"], template.get("latest")
    gone = f", and may be gone from {deprecation['sunset']} on" if deprecation["sunset"] else ""
    instead = f"; version {latest} is in force" if latest else ""
    more = f" ({deprecation['link']})" if deprecation["link"] else ""
    told = f"{template['schema_id']} is deprecated since {deprecation['since']}{gone}{instead}{more}"
    warnings.warn(told, SchemaDeprecationWarning, stacklevel=2)


def _moment(said: str) -> str | None:
    try:
        return _text(email.utils.parsedate_to_datetime(said).astimezone(datetime.timezone.utc))
    except (TypeError, ValueError):
        return None


def _text(moment: datetime.datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
