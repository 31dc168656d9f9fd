// `.zod()` against the service's own export of the same template, read by Ajv, and against the service itself.

import "otherwise-client/zod";

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import Ajv from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { InvalidPayload, Otherwise } from "otherwise-client";
import type { Payload } from "otherwise-client";
import { zodSchema } from "otherwise-client/zod";
import * as z from "zod";

import { Service } from "./service.js";

/** Of the payloads that are refused, the service judges one in so many too. */
const ASKED_EACH = 4;

/** Everything that a key may be held to. */
const keys = {
  name: { type: "string", minLength: 2, maxLength: 3 },
  code: { type: "string", pattern: "^[A-Z]{2}$" },
  day: { type: "string", format: "date" },
  token: { type: "string", format: "uuid" },
  host: { type: "string", format: "ipv4" },
  size: { type: "string", enum: ["s", "m"] },
  fixed: { type: "integer", const: 7 },
  short: { type: "string", enum: ["a", "bcd"], maxLength: 2 },
  count: { type: "integer", minimum: 1, maximum: 9, multipleOf: 2 },
  price: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 100, multipleOf: 0.25 },
  yes: { type: "boolean" },
  pair: { type: "array", items: { type: "integer", minimum: 0 }, minItems: 1, maxItems: 2, uniqueItems: true },
  bag: { type: "array", uniqueItems: true },
  rows: { type: "array", items: { type: "object", properties: { id: { type: "integer" } }, required: ["id"], additionalProperties: false } },
  // A member that every object inherits, one that is required and not declared, and values of one type for the others.
  box: { type: "object", properties: { to_string: { type: "string" }, constructor: { type: "boolean" } }, required: ["depth"], additionalProperties: { type: "number" } },
  free: { type: "object" },
  mode: { type: "object", enum: [{ fast: true }, { fast: false, level: 1 }] },
  constructor: { type: "string", maxLength: 3 },
};

interface Rule {
  type?: string;
  enum?: unknown[];
  anyOf?: Rule[];
  properties?: Record<string, Rule>;
  required?: string[];
  items?: Rule;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

const ODD: unknown[] = [true, 3, -0.5, "x", "", [], {}, ["x"], { depth: 1 }];
const TEXTS = ["a", "ab", "AB", "ABC", "😀😀", "😀😀😀😀", "2026-02-28", "2026-02-30", "123e4567-e89b-12d3-a456-426614174000", "192.0.2.1", "192.0.2.256"];

/** Ajv as it reads what the service exports. It checks the formats that the schema of Zod checks, and takes any other. */
const ajv = new Ajv.default({ strict: false, logger: false, ownProperties: true });
formats.default(ajv, ["date", "uuid", "ipv4"]);

/** Values that are right by a rule, or nearly. */
function values(rule: Rule): unknown[] {
  if (rule.enum) return [...rule.enum, `${rule.enum[0]}x`, ...ODD];
  if (rule.anyOf) return rule.anyOf.flatMap(values);
  const { minimum = 0, maximum = 10, exclusiveMinimum = minimum, exclusiveMaximum = maximum, multipleOf = 1 } = rule;
  switch (rule.type) {
    case "string":
      return [...TEXTS, ...[rule.minLength ?? 0, rule.maxLength ?? 5].flatMap((length) => ["é".repeat(length), "😀".repeat(length + 1)]), ...ODD];
    case "integer":
    case "number":
      return [minimum, maximum, minimum - 1, maximum + 1, exclusiveMinimum, exclusiveMaximum, 7, multipleOf, multipleOf * 3, 2.5, ...ODD];
    case "array": {
      const items = values(rule.items ?? {});
      return [...items.map((item) => [item]), [items[0], items[0]], [{ a: 1, b: 2 }, { b: 2, a: 1 }], items.slice(0, 2), items.slice(0, (rule.maxItems ?? 3) + 1), ...ODD];
    }
    case "object": {
      const right = ([name, below]: [string, Rule]): [string, unknown] => [name, values(below).find((value) => ajv.validate(below, JSON.parse(JSON.stringify(value))))];
      const full = Object.fromEntries(Object.entries(rule.properties ?? {}).map(right));
      const lacking = Object.keys(full).map((name) => ({ ...full, [name]: undefined }));
      return [full, { ...full, depth: 3 }, { ...full, depth: 3, constructor: true }, { ...full, depth: "deep" }, { ...full, more: {} }, ...lacking, ...ODD];
    }
    default:
      return ODD;
  }
}

/** Payloads by a schema: each value of each key once in one that is else right, then some with a key too many or a required one too few. */
function* payloads(schema: Rule): Generator<Payload> {
  const pools = Object.entries(schema.properties ?? {}).map(([name, rule]) => {
    const all = values(rule).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    return { name, all, right: all.find((value) => ajv.validate(rule, value)) };
  });
  const required = Object.fromEntries(pools.filter(({ name }) => schema.required?.includes(name)).map(({ name, right }) => [name, right]));
  const full = Object.fromEntries(pools.map(({ name, right }) => [name, right]));
  for (const { name, all } of pools) for (const value of all) yield { ...required, [name]: value };
  for (const { name } of pools) yield { ...full, [name]: undefined };
  yield* [required, full, { ...full, never_heard_of: 1 }, {}];
}

let service: Service;
before(async () => (service = await Service.start()));
after(() => service.end());

async function compared(name: string): Promise<void> {
  const scenario = new Otherwise(service.url, { client: "ada" }).scenario(name);
  const exported = await fetch(`${service.url}/v1/scenarios/${name}/template?format=json-schema`);
  const schema = (await exported.json()) as Rule;
  const byAjv = ajv.compile(schema);
  const byZod = await scenario.zod();
  let refused = 0;
  const verdicts = new Set<boolean>();
  for (const made of payloads(schema)) {
    const payload = JSON.parse(JSON.stringify(made)) as Payload; // Without what is undefined.
    const right = byAjv(payload);
    const ours = byZod.safeParse(payload);
    assert.equal(ours.success, right, `${name}: ${JSON.stringify(payload)}: ${ours.error?.message ?? JSON.stringify(byAjv.errors)}`);
    if (ours.success) assert.deepEqual(JSON.parse(JSON.stringify(ours.data)), payload, "what passes is passed on as it is");
    verdicts.add(right);
    if (right || refused++ % ASKED_EACH) continue;
    // What the service takes is right here too. (Not the other way round: what is omitted, it takes as null as well.)
    const accepted = await scenario.validate(payload).then(() => true, (error: unknown) => (error instanceof InvalidPayload ? false : Promise.reject(error)));
    assert.equal(accepted, false, `${name}: the service takes ${JSON.stringify(payload)}`);
  }
  assert.deepEqual([...verdicts].sort(), [false, true], `${name}: some payloads fit and some do not`);
}

for (const strict of [false, true]) {
  test(`every keyword is checked as Ajv and the service check it, ${strict ? "strict" : "open"}`, async () => {
    const name = strict ? "everything_strict" : "everything";
    const template = {
      schema_id: `${name}_v1`,
      scenario: name,
      strict,
      keys: [
        ...Object.entries(keys).map(([key_name, { type, ...constraints }]) => ({ key_name, key_type: type, required: key_name === "name", semantic_description: `The ${key_name}.`, constraints })),
        { key_name: "other", key_type: "string", required: false, semantic_description: "What no other key can hold." },
      ],
    };
    const put = await fetch(`${service.url}/v1/schemas/${name}_v1`, { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(template) });
    assert.ok(put.ok, await put.text());
    await compared(name);
  });
}

test("every template that comes along is checked as Ajv and the service check it, and is a JSON Schema again", async () => {
  const otherwise = new Otherwise(service.url, { client: "ada" });
  const rows = await otherwise.scenarios();
  assert.ok(rows.length >= 10, `${rows.length} scenarios`);
  for (const { scenario } of rows) {
    if (!scenario.startsWith("everything")) await compared(scenario);
    const { properties } = z.toJSONSchema(await otherwise.scenario(scenario).zod()) as Rule;
    const { keys } = await otherwise.scenario(scenario).template();
    assert.deepEqual(Object.keys(properties ?? {}).sort(), keys.map((key) => key.key_name).sort());
  }
});

test("a number with decimals is a multiple as people count", () => {
  const schema = zodSchema({ keys: [{ key_name: "price", key_type: "number", required: true, semantic_description: "Price.", constraints: { multipleOf: 0.1 } }] });
  assert.deepEqual([0.3, 0.7, 1.1, 0.35].map((price) => schema.safeParse({ price }).success), [true, true, true, false]);
});
