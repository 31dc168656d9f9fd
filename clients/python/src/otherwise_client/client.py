"""A service as its clients meet it: `Otherwise`, and `AsyncOtherwise` for programs on asyncio."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

import httpx

from .port import AsyncPort, BlockingPort, blocking
from .scenario import AsyncScenario, Scenario
from .service import Service, read_object
from .wire import PinState, ScenarioRow


#: Scenarios that a list names at most: far more than one service hosts.
SCENARIOS = 10_000


class _Logic:
    """What both clients are made of."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def scenario(
        self,
        name: str,
        pin: str = "additive",
        language: str | None = None,
        experimental: bool = True,
        pin_state: PinState | None = None,
    ) -> AsyncScenario:
        """A scenario of the service; nothing is asked yet."""
        return AsyncScenario(self._service, name, pin, language, experimental, pin_state)

    async def scenarios(self, query: str | None = None) -> list[ScenarioRow]:
        """The scenarios that are hosted; with a wish in plain words those that it is likeliest meant for."""
        rows: list[ScenarioRow] = []
        asked = {"q": query} if query is not None else {}
        while True:
            page = read_object(await self._service.call("GET", "/v1/scenarios", query=asked))
            came = cast(list[ScenarioRow], page.get("scenarios") or [])
            rows += came
            if not came or not page.get("next") or len(rows) >= SCENARIOS:
                return rows
            asked["after"] = str(page["next"])

    async def close(self) -> None:
        """Closes the connections, as happens anyway once nobody holds the client. A follower is closed by itself."""
        await self._service.port.close()


class AsyncOtherwise(_Logic):
    """A service, for programs on asyncio. Takes what `Otherwise` takes."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        client: str | None = None,
        timeout: float = 30.0,
        *,
        max_age: float = 30.0,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] | None = None,
    ) -> None:
        port = AsyncPort(lambda: httpx.AsyncClient(timeout=timeout, transport=transport), sleep)
        super().__init__(Service(port, url, key, client, max_age))

    async def __aenter__(self) -> AsyncOtherwise:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class Otherwise:
    """A service at an address, called under an API key, or under a client's name where it runs open.

    What was fetched is taken as current for `max_age` seconds. `transport` and `sleep` stand in for the network and the clock.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        client: str | None = None,
        timeout: float = 30.0,
        *,
        max_age: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] | None = None,
    ) -> None:
        http = httpx.Client(timeout=timeout, transport=transport)
        self._logic = _Logic(Service(BlockingPort(http, sleep, transport is None), url, key, client, max_age))

    scenarios = blocking(_Logic.scenarios)
    close = blocking(_Logic.close)

    def scenario(
        self,
        name: str,
        pin: str = "additive",
        language: str | None = None,
        experimental: bool = True,
        pin_state: PinState | None = None,
    ) -> Scenario:
        """A scenario of the service; nothing is asked yet."""
        return Scenario(self._logic.scenario(name, pin, language, experimental, pin_state))

    def __enter__(self) -> Otherwise:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
