"""One scenario: its template and forms as they are held, and what is submitted by them."""

from __future__ import annotations

import copy
import inspect
import json
import time
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from . import json_patch, outlook, pin as pins
from .errors import DigestRefused, InvalidPayload, OtherwiseError, Unavailable, bad_answer
from .follow import AsyncFollower, Callback, Follower, follow
from .model import model_of
from .port import blocking, run
from .service import Service, as_body, failure_of, header_text, read_json, read_object
from .wire import FORMATS, NewBase, PinState, Reply, Template, ToolForm, Update

#: A payload: an object, or a filled `model()`.
Payload = Mapping[str, Any] | BaseModel
#: Asks a language model: given messages and a tool, gives the arguments, as an object or as its JSON.
Arguments = Mapping[str, Any] | str
Llm = Callable[[list[dict[str, Any]], dict[str, Any]], Arguments | Awaitable[Arguments]]

#: Times that a payload is repaired before its violations are the caller's.
REPAIRS = 2
#: Prefix of an idempotency key that serves the client's own retries.
GENERATED = "generated:"
#: Times that a model is asked to fill a payload.
ROUNDS = 3

_TASK = (
    "Fill the tool from what the user says: call it once. Leave out what was not said; "
    "what no other member can hold goes into `other`, in the user's words."
)

V = TypeVar("V")


@dataclass
class _Held(Generic[V]):
    """What was fetched, under its ETag; `mark` and `at` say when it was last found to be current."""

    value: V
    etag: str | None
    mark: int
    at: float


class AsyncScenario:
    """One scenario of a service. `AsyncOtherwise.scenario` makes it; `Scenario` is the same without asyncio."""

    def __init__(
        self, service: Service, name: str, pin: str, language: str | None, experimental: bool, pin_state: PinState | None
    ) -> None:
        self.name = name
        self.pin = pin
        self._service = service
        self._path = f"/v1/scenarios/{quote(name, safe='')}"
        self._query: dict[str, str] = {}
        wanted = pins.version_range(pin)
        if wanted is not None:
            self._query["version"] = wanted
        self._version_query = dict(self._query)
        if language is not None:
            self._query["preferred_language"] = language
        if not experimental:
            self._query["experimental"] = "false"
        self._agreed = None if pin_state is None else pins.checked(pin_state)
        self._held: _Held[Template] | None = None
        # What came since and is refused.
        self._offered: _Held[Template] | None = None
        self._forms: dict[str, _Held[Any]] = {}
        # Counts the news that what is held may be stale: what was asked for under an earlier count is asked for again.
        self._mark = 0
        # Schemas of which it was warned already.
        self._warned: set[str] = set()

    @property
    def pin_state(self) -> PinState | None:
        """What was agreed to, as JSON to be kept: given back as `pin_state`, it is held to after a restart."""
        return pins.state_of(self._held.value) if self._held else copy.deepcopy(self._agreed)

    @property
    def digests(self) -> dict[str, str]:
        """The digests of the keys that the pin holds; none before the first fetch."""
        agreed = self.pin_state
        return agreed["digests"] if agreed else {}

    def accept(self) -> None:
        """Takes the template that the pin refused."""
        if self._offered is not None:
            self._held, self._offered = self._offered, None

    async def template(self) -> Template:
        """The template in force for the caller."""
        return copy.deepcopy(await self._current())

    async def tool(self, form: ToolForm = "openai") -> dict[str, Any]:
        """The scenario as a tool of a language model."""
        if form not in FORMATS:
            raise ValueError(f"no tool `{form}`: it is one of {', '.join(FORMATS)}")
        return copy.deepcopy(cast(dict[str, Any], await self._form(FORMATS[form], read_object)))

    async def prompt(self) -> str:
        """The template as a block for a prompt, in Markdown."""
        return cast(str, await self._form("markdown", lambda response: response.content.decode(errors="replace")))

    async def model(self) -> type[BaseModel]:
        """A pydantic class of the template in force."""
        return model_of(await self._current())

    async def validate(self, payload: Payload) -> Reply:
        """What a submission would be answered with; nothing is recorded. Fails with `InvalidPayload`."""
        sent = _as_object(payload)
        return await self._post("/v1/submissions:validate", await self._current(), sent)

    async def submit(
        self,
        payload: Payload,
        utterance: str | None = None,
        idempotency_key: str | None = None,
        repair: bool | Literal["all"] = True,
    ) -> Reply:
        """Submits a payload; where every violation has a lossless repair, the repaired one after it, as a submission of its own.

        `repair="all"` applies repairs too that may lose something of what was written; `False` applies none.

        The same call with the same `idempotency_key` is one submission, however often it is made and by whichever process. The
        service keeps a key that is generated here for ten minutes: name one of your own to submit again later.
        """
        sent = _as_object(payload)
        key = header_text("idempotency_key", idempotency_key or f"{GENERATED}{uuid.uuid4()}")
        # Under one key the service takes one body; a revision would make it another one once the template has moved on.
        with_revision = idempotency_key is None or self.pin == "exact"
        template = await self._current()
        repairs = 0
        while True:
            try:
                return await self._post("/v1/submissions", template, sent, utterance, key, with_revision)
            except InvalidPayload as refused:
                mended = json_patch.repaired(sent, refused.violations, repair == "all") if repair and repairs < REPAIRS else None
                if mended is None:
                    raise
            # A key of its own, and the same one where the same call is made again; kept as long as the first one.
            kind = GENERATED if key.startswith(GENERATED) else ""
            sent, key, repairs = mended, f"{kind}{uuid.uuid5(uuid.NAMESPACE_URL, f'{key}/repaired')}", repairs + 1

    async def other(self, text: str, payload: Payload | None = None) -> Reply:
        """Submits a payload with what no key holds joined to its `other`."""
        sent = _as_object({} if payload is None else payload)
        said = sent.get("other")
        if said is None:
            sent["other"] = text
        else:
            sent["other"] = [*(said if isinstance(said, list) else [said]), text]
        return await self.submit(sent)

    async def fill(self, text: str, llm: Llm) -> Reply:
        """Has a language model fill the tool from a text and submits that; what does not fit goes back to it, twice at most."""
        messages: list[dict[str, Any]] = [{"role": "system", "content": _TASK}, {"role": "user", "content": text}]
        for asked in range(1, ROUNDS + 1):
            given = llm(copy.deepcopy(messages), await self.tool("openai"))
            arguments = await given if inspect.isawaitable(given) else given
            try:
                return await self.submit(_arguments(arguments), utterance=text)
            except InvalidPayload as refused:
                failure: OtherwiseError = refused
                wrong = json.dumps(refused.violations, ensure_ascii=False)
            except _NoArguments as nothing:
                failure, wrong = nothing, nothing.detail
            if asked == ROUNDS:
                raise failure
            said = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=dict)
            messages.append({"role": "assistant", "content": said})
            messages.append({"role": "user", "content": f"That does not fit; call the tool again, mended: {wrong}"})
        raise AssertionError("the last round returns or raises")

    def on_change(self, callback: Callback) -> AsyncFollower:
        """Calls back at each change, in a task of this loop, until the follower is closed."""
        return AsyncFollower(self._service.port, lambda follower: self._follow(follower, callback))

    async def _follow(self, follower: Any, callback: Callback) -> None:
        await follow(self, follower, callback)

    def stale(self) -> None:
        """Has what is held asked for again at its next use."""
        self._mark += 1

    async def told(self, update: Update) -> Update:
        """An update as it is told: where another schema is in force, with what it changes."""
        self.stale()
        before = self._offered or self._held
        if before is None or update.get("schema_id") in (None, before.value["schema_id"]):
            return update
        try:
            await self._ask()
        except OtherwiseError:
            return update  # The next call meets it; that something changed is told all the same.
        newer = (self._offered or self._held or before).value
        came, went, changed = pins.difference(before.value["key_digests"], newer["key_digests"])
        update["base"] = NewBase(
            old_revision=before.value["revision"],
            new_revision=newer["revision"],
            came=came,
            went=went,
            changed=changed,
            deprecation=newer.get("deprecation"),
        )
        return update

    async def revision(self, *, anew: bool = False) -> int:
        """The newest revision that was seen; asks where there is none yet, or anew."""
        if anew or not (self._offered or self._held):
            await self._ask()
        newest = self._offered or self._held
        assert newest is not None
        return newest.value["revision"]

    def stream_request(self, last: str) -> httpx.Request:
        """The request for the stream of changes since a revision."""
        headers = {"Accept": "text/event-stream", "Last-Event-ID": last}
        # Heartbeats come every 15 seconds unless an operator says otherwise; a minute of silence is a dead connection.
        path = f"{self._path}/updates/stream"
        return self._service.request("GET", path, self._version_query, headers, None, timeout=httpx.Timeout(60.0))

    def _is_fresh(self, held: _Held[Any]) -> bool:
        return held.mark == self._mark and time.monotonic() - held.at < self._service.max_age

    async def _current(self) -> Template:
        """The template that is held, asked for again where it is not fresh. Raises where the pin refuses the newest."""
        newest = self._offered or self._held
        if newest is None or not self._is_fresh(newest):
            await self._ask()
        if self._offered is not None:
            raise DigestRefused(self.name, self._refused(self._offered.value))
        assert self._held is not None
        return self._held.value

    def _refused(self, template: Template) -> list[str]:
        agreed = self.pin_state
        return pins.refused_keys(self.pin, agreed, pins.state_of(template)) if agreed else []

    async def _ask(self) -> None:
        mark, at, held = self._mark, time.monotonic(), self._held
        response = await self._get({}, held)
        if held is not None and response.status_code == 304:
            held.mark, held.at, self._offered = mark, at, None
            return self._take_outlook(held.value, response)
        template = cast(Template, read_object(response))
        try:
            pins.state_of(template)
        except (AttributeError, KeyError, TypeError, ValueError) as unfit:
            raise bad_answer(response.status_code, "It is no template: is this the service?") from unfit
        offered = _Held(template, response.headers.get("ETag"), mark, at)
        if self._refused(template):
            self._offered = offered
            outlook.take(template, response)
        else:
            self._held, self._offered = offered, None
            self._take_outlook(template, response)

    def _take_outlook(self, template: Template, response: httpx.Response) -> None:
        """Has a template say what is to become of its schema, and warns once where that is to go."""
        if outlook.take(template, response) and template["schema_id"] not in self._warned:
            self._warned.add(template["schema_id"])
            outlook.warn(template)

    async def _form(self, name: str, read: Callable[[httpx.Response], Any]) -> Any:
        template = await self._current()
        held = self._forms.get(name)
        if held is not None and self._is_fresh(held):
            return held.value
        mark, at = self._mark, time.monotonic()
        response = await self._get({"format": name}, held)
        if held is None or response.status_code != 304:
            held = self._forms[name] = _Held(read(response), response.headers.get("ETag"), mark, at)
        held.mark, held.at = mark, at
        told = response.headers.get("Otherwise-Digest")
        if told is not None and told != pins.digest(template):
            # The template moved on between the two requests: the pin has to see it first.
            self.stale()
            held.mark = self._mark
            await self._current()
        return held.value

    async def _get(self, query: dict[str, str], held: _Held[Any] | None) -> httpx.Response:
        headers = {"If-None-Match": held.etag} if held is not None and held.etag else {}
        return await self._service.call("GET", f"{self._path}/template", query={**self._query, **query}, headers=headers)

    async def _post(
        self,
        path: str,
        template: Template,
        payload: dict[str, Any],
        utterance: str | None = None,
        key: str | None = None,
        with_revision: bool = True,
    ) -> Reply:
        body: dict[str, Any] = {"schema_id": template["schema_id"], "payload": payload}
        if with_revision:
            body["revision"] = template["revision"]
        if self.pin == "exact":
            body["pinned"] = True
        if utterance is not None:
            body["utterance"] = utterance
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        try:
            response = await self._service.call("POST", path, headers=headers, body=as_body(body), heard=(422,))
            self._take_outlook(template, response)
            if not response.is_success:
                raise failure_of(response)
            reply = cast(Reply, read_object(response))
        except OtherwiseError as failure:
            self._heed(failure.problem)
            if failure.code in ("schema_retired", "unknown_schema"):
                self.stale()
            if isinstance(failure, Unavailable):
                failure.idempotency_key = key
            raise
        self._heed(reply)
        return reply

    def _heed(self, answer: Mapping[str, Any]) -> None:
        """Marks what is held as stale where an answer says so."""
        exchange = answer.get("exchange")
        change = exchange.get("template_change") if isinstance(exchange, dict) else None
        if answer.get("schema_update_suggestion") or (isinstance(change, dict) and change.get("class") != "none"):
            self.stale()


class Scenario:
    """One scenario of a service. `Otherwise.scenario` makes it."""

    def __init__(self, logic: AsyncScenario) -> None:
        self._logic = logic

    template = blocking(AsyncScenario.template)
    tool = blocking(AsyncScenario.tool)
    prompt = blocking(AsyncScenario.prompt)
    model = blocking(AsyncScenario.model)
    validate = blocking(AsyncScenario.validate)
    submit = blocking(AsyncScenario.submit)
    other = blocking(AsyncScenario.other)
    fill = blocking(AsyncScenario.fill)

    @property
    def name(self) -> str:
        return self._logic.name

    @property
    def pin_state(self) -> PinState | None:
        """What was agreed to, as JSON to be kept: given back as `pin_state`, it is held to after a restart."""
        return self._logic.pin_state

    @property
    def digests(self) -> dict[str, str]:
        """The digests of the keys that the pin holds; none before the first fetch."""
        return self._logic.digests

    def accept(self) -> None:
        """Takes the template that the pin refused."""
        self._logic.accept()

    def on_change(self, callback: Callable[[Update], None]) -> Follower:
        """Calls back at each change, in a thread of its own, until the follower is closed."""
        return Follower(self._logic._service.port, lambda follower: run(self._logic._follow(follower, callback)))


def _as_object(payload: Payload) -> dict[str, Any]:
    """A copy of a payload, as JSON has it."""
    if isinstance(payload, BaseModel):
        return payload.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if not isinstance(payload, Mapping):
        raise TypeError(
            f"a payload is a mapping of the template's keys to values, or a filled model(), not {type(payload).__name__}: "
            "give one such as {'origin': 'PEK'}; what no key holds is said with .other(text, payload), and a text in plain "
            "words is filled in with .fill(text, llm)"
        )
    return copy.deepcopy(dict(payload))


class _NoArguments(OtherwiseError):
    """What a model wrote is no JSON object: cut off, say."""

    def __init__(self) -> None:
        super().__init__("bad_arguments", None, "Model gave no arguments", "the arguments are one JSON object")


def _arguments(given: Arguments) -> dict[str, Any]:
    try:
        value = read_json(given) if isinstance(given, str) else given
    except ValueError:
        value = None
    if not isinstance(value, Mapping):
        raise _NoArguments
    return dict(value)
