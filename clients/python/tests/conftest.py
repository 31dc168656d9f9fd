"""One service for all journeys that leave it as it is for the others: each has clients of its own names."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from running import served


@pytest.fixture(scope="session")
def url() -> Iterator[str]:
    with served() as address:
        yield address
