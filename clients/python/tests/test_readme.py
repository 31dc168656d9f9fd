"""The lines of the page are run as they stand, against the real service."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from scripted_model import scripted

PAGE = (Path(__file__).resolve().parents[1] / "README.md").read_text()
BOOKING = {"origin": "PEK", "destination": "SHA", "departure_date": "2026-05-04", "cabin_class": "business"}


def test_the_page_does_what_it_says(url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    snippets = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict[str, Any] = {}
    with scripted([BOOKING]) as (model, script):
        monkeypatch.setenv("OPENAI_BASE_URL", model)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        for snippet in snippets:
            exec(snippet.replace("http://127.0.0.1:8080", url), names)
    assert len(snippets) == 4 and len(script.asked) == 1
    assert capsys.readouterr().out.startswith("business flight_booking.")
    assert names["tool"]["name"] == "flight_booking" and names["prompt"].startswith("## flight_booking")
    assert callable(names["app"]) and callable(names["receive"])
    assert len(PAGE.splitlines()) <= 60
