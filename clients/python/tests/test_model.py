"""The class of a template judges as the service does: one template of every keyword, many values, two judges."""

from __future__ import annotations

import threading
from typing import Any

import httpx
import pytest
from pydantic import BaseModel, ValidationError

from otherwise_client import InvalidPayload, Otherwise, Template
from otherwise_client.model import model_of


def key(name: str, kind: str, is_required: bool = False, **constraints: Any) -> dict[str, Any]:
    return {
        "key_name": name,
        "key_type": kind,
        "required": is_required,
        "semantic_description": f"The {name} of the case.",
        "constraints": constraints,
    }


KEYS: list[tuple[dict[str, Any], list[Any]]] = [
    (key("need", "string", True), ["x", "", None, 1, True, ["x"]]),
    (key("level", "string", enum=["low", "high"]), ["low", "Low", "middle", None, 1]),
    (key("step", "integer", enum=[1, 2]), [1, 1.0, 3, "1", True]),
    (key("fixed", "boolean", const=True), [True, False, 1, None]),
    (key("count", "integer", minimum=1, maximum=9), [1, 9, 0, 10, 7.0, 7.5, "7", True, None]),
    (key("share", "number", exclusiveMinimum=0, exclusiveMaximum=1), [0.5, 0, 1, 0.0001, "0.5", False]),
    (key("price", "number", multipleOf=0.01), [0.07, 19.99, 1, 0.005, 1e12]),
    (key("code", "string", pattern="^[A-Z]{3}$", minLength=3), ["ABC", "abc", "AB", "ABCD", "ÄBC"]),
    (key("digits", "string", pattern="\\d+"), ["a1", "a", "٣"]),
    (key("word", "string", minLength=2, maxLength=3), ["ab", "abc", "a", "abcd", "éé", "😀", "😀😀"]),
    (key("day", "string", format="date"), ["2026-05-04", "2024-02-29", "2026-02-29", "4 May", "20260504", "0000-01-01"]),
    (key("hour", "string", format="time"), ["09:00:00Z", "09:00:00+02:00", "09:00", "25:00:00Z", "09:00:00.5z", "09:00:00"]),
    (key("at", "string", format="date-time"), ["2026-05-04T09:00:00Z", "2026-05-04 09:00:00Z", "2026-05-04T09:00:00", "2026-13-04T09:00:00Z"]),
    (key("long", "string", format="duration"), ["PT2H", "P1DT12H", "P1W", "P", "PT", "P1Y2M3D", "2H", "P1W2D", "P1Y3D"]),
    (key("who", "string", format="uuid"), ["123e4567-e89b-12d3-a456-426614174000", "123e4567", "{123e4567-e89b-12d3-a456-426614174000}"]),
    (key("mail", "string", format="email"), ["a@example.org", "a", "a@", "@b.org"]),
    (key("host4", "string", format="ipv4"), ["192.0.2.1", "192.0.2.256", "192.0.2", "192.0.2.01"]),
    (key("host6", "string", format="ipv6"), ["2001:db8::1", "::", "1", "fe80::1%eth0"]),
    (key("tags", "array", items={"type": "string", "maxLength": 3}, minItems=1, maxItems=3, uniqueItems=True),
     [["a"], [], ["a", "a"], ["a", "b", "c", "d"], ["abcd"], [1], "a", None]),
    (key("sizes", "array", items={"type": "integer"}), [[1, 2.0], [1.5], [True], []]),
    (key("place", "object", properties={"street": {"type": "string"}, "number": {"type": "integer", "minimum": 1}},
         required=["street"], additionalProperties=False),
     [{"street": "x"}, {"number": 1}, {"street": "x", "number": 0}, {"street": "x", "more": 1}, {"street": "x", "number": None},
      {"street": None}, [], "x"]),
    (key("bag", "object", additionalProperties={"type": "number"}), [{}, {"a": 1}, {"a": "b"}, {"a": {}}]),
]  # fmt: skip


@pytest.fixture(scope="module")
def zoo(url: str) -> tuple[str, type[BaseModel]]:
    other = {**key("other", "string"), "semantic_description": "What no other key holds."}
    schema = {"schema_id": "zoo_v1", "scenario": "zoo", "keys": [definition for definition, _ in KEYS] + [other]}
    answer = httpx.put(f"{url}/v1/schemas/zoo_v1", json=schema, headers={"Otherwise-Client": "pat"})
    assert answer.status_code == 201, answer.text
    with Otherwise(url, client="zed") as service:
        return url, service.scenario("zoo").model()


@pytest.mark.parametrize(("name", "values"), [(definition["key_name"], values) for definition, values in KEYS])
def test_class_and_service_agree(name: str, values: list[Any], zoo: tuple[str, type[BaseModel]]) -> None:
    url, model = zoo
    with Otherwise(url, client="zed") as service:
        scenario = service.scenario("zoo")
        verdicts = {"class": [], "service": []}  # type: dict[str, list[bool]]
        for value in values:
            payload = {"need": "x", name: value}
            verdicts["class"].append(accepts(lambda: model.model_validate(payload)))
            verdicts["service"].append(accepts(lambda: scenario.validate(payload)))
    assert verdicts["class"] == verdicts["service"], values
    assert True in verdicts["class"] and False in verdicts["class"], "the values show nothing"


def accepts(judge: Any) -> bool:
    try:
        judge()
    except (ValidationError, InvalidPayload):
        return False
    return True


def test_what_a_class_dumps_is_what_was_said(zoo: tuple[str, type[BaseModel]]) -> None:
    said = {"need": "x", "count": 7.0, "other": ["a", "b"], "unheard_of": [1]}
    payload = zoo[1].model_validate(said)
    assert payload.model_dump(exclude_unset=True) == {**said, "count": 7}
    with Otherwise(zoo[0], client="zed") as service:
        reply = service.scenario("zoo").submit(payload)
    assert [one["code"] for one in reply["exchange"]["warnings"]] == ["unknown_key", "taken_as_other"]


def test_the_json_schema_of_a_class_says_what_is_enforced(zoo: tuple[str, type[BaseModel]]) -> None:
    schema = zoo[1].model_json_schema()
    assert schema["required"] == ["need"]
    assert schema["properties"]["count"]["anyOf"][0] == {"type": "integer", "minimum": 1, "maximum": 9}
    assert schema["properties"]["count"]["description"] == "The count of the case."
    assert "zoo_v1, revision" in schema["description"]


def template(*keys: dict[str, Any], **more: Any) -> Template:
    digests = {one["key_name"]: "sha256:0" for one in keys}
    head = {"schema_id": "odd_v1", "scenario": "odd", "version": "1.0.0", "revision": 1, "language": "en"}
    made: Any = {**head, "keys": list(keys), "key_digests": digests, "patches": [], **more}
    return made  # type: ignore[no-any-return]


def test_names_that_python_or_pydantic_take_are_keys_all_the_same() -> None:
    names = ["class", "from", "model_fields", "copy", "json", "schema", "_hidden", "hidden_", "x"]
    said = {name: "x" for name in names}
    made = model_of(template(*(key(name, "string") for name in names))).model_validate(said)
    assert made.model_dump(exclude_unset=True) == said


def test_a_strict_template_takes_no_other_key_and_a_learned_default_is_not_filled_in() -> None:
    learned = {**key("seat", "string"), "default_value": "aisle", "patch_id": "odd.p1", "experimental": True}
    own = {**key("class", "string"), "default_value": "economy"}
    model = model_of(template(learned, own, strict=True))
    made: Any = model()
    assert (made.seat, made.class_) == (None, "economy")
    with pytest.raises(ValidationError, match="extra_forbidden"):
        model.model_validate({"unheard_of": 1})


def test_a_pattern_that_python_cannot_read_is_left_to_the_service() -> None:
    model = model_of(template(key("name", "string", pattern="^\\p{Lu}")))
    assert accepts(lambda: model.model_validate({"name": "x"}))


def test_a_class_may_be_made_in_many_threads(zoo: tuple[str, type[BaseModel]]) -> None:
    made: list[type[BaseModel]] = []
    with Otherwise(zoo[0], client="zed") as service:
        scenario = service.scenario("zoo")
        threads = [threading.Thread(target=lambda: made.append(scenario.model())) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len({str(one.model_json_schema()) for one in made}) == 1 and len(made) == 8
