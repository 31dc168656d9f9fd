// The table that holds every client of the service to the same behaviour.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Otherwise, Scenario } from "otherwise-client";
import type { Payload, PinState, ScenarioOptions, ToolForm } from "otherwise-client";

import { root } from "./service.js";
import { Stub, subset } from "./stub.js";
import type { Step, Templates } from "./stub.js";

interface Call {
  call: string;
  payload?: Payload;
  text?: string;
  form?: ToolForm;
  utterance?: string;
  idempotency_key?: string;
  repair?: boolean | "all";
  query?: string;
  llm?: { gives: Payload; sees?: string[] }[];
  expect?: unknown;
  payload_after?: Payload;
  error?: string;
  error_has?: unknown;
  error_says?: string[];
}

interface Case {
  name: string;
  client: { client?: string | null; key?: string | null; scenario: string; max_age?: number; pin_state?: PinState } & ScenarioOptions;
  steps: Call[];
  script: Step[];
  pauses?: [number, number][];
}

const { cases, templates } = JSON.parse(readFileSync(`${root}/clients/cases.json`, "utf8")) as { cases: Case[]; templates: Templates };

for (const one of cases) test(one.name, () => run(one));

async function run({ client: about, steps, script, pauses }: Case): Promise<void> {
  const stub = await new Stub(script, templates).start();
  const waited: number[] = [];
  try {
    const { client, key, scenario: name, max_age, pin_state: pinState, ...options } = about;
    const otherwise = new Otherwise(stub.url, {
      ...(client && { client }),
      ...(key && { key }),
      ...(max_age !== undefined && { maxAgeMs: max_age * 1000 }),
      onDeprecated: () => undefined,
      sleep: async (ms) => void waited.push(ms / 1000),
    });
    const scenario = otherwise.scenario(name, { ...options, ...(pinState && { pinState }) });
    for (const step of steps) await take(step, otherwise, scenario);
  } catch (error) {
    await stub.end(); // What is wrong with a request says more than what came of it.
    throw error;
  }
  await stub.end();
  if (!pauses) return;
  assert.equal(waited.length, pauses.length, `waited ${waited}`);
  pauses.forEach(([least, most], index) => assert.ok(least <= waited[index]! && waited[index]! <= most, `pause ${index + 1}: ${waited[index]}`));
}

async function take(step: Call, otherwise: Otherwise, scenario: Scenario): Promise<void> {
  const payload = step.payload && structuredClone(step.payload);
  const given = call({ ...step, ...(payload && { payload }) }, otherwise, scenario);
  if (step.error) {
    const error = await given.then(() => assert.fail(`${step.call} did not fail`), (error: Error) => error);
    assert.equal(error.constructor.name, step.error, error.stack);
    assert.equal(error.name, step.error);
    subset(error, step.error_has ?? {}, "error");
    for (const text of step.error_says ?? []) assert.ok(error.message.includes(text), `${text} is not in ${error.message}`);
  } else {
    const value = await given;
    if (step.expect !== undefined) subset(value, step.expect, step.call);
  }
  if (step.payload_after) assert.deepEqual(payload, step.payload_after);
}

async function call(step: Call, otherwise: Otherwise, scenario: Scenario): Promise<unknown> {
  const { payload = {}, text = "", utterance, repair, idempotency_key: idempotencyKey } = step;
  switch (step.call) {
    case "template":
      return scenario.template();
    case "tool":
      return scenario.tool(step.form!);
    case "prompt":
      return scenario.prompt();
    case "validate":
      return scenario.validate(payload);
    case "submit":
      return scenario.submit(payload, { ...(utterance && { utterance }), ...(idempotencyKey && { idempotencyKey }), ...(repair !== undefined && { repair }) });
    case "other":
      return scenario.other(text, payload);
    case "accept":
      return scenario.accept();
    case "digests":
      return scenario.digests;
    case "pin_state":
      return scenario.pinState;
    case "scenarios":
      return otherwise.scenarios(step.query);
    case "fill": {
      const answers = [...(step.llm ?? [])];
      const accepted = await scenario
        .fill(text, (messages, tool) => {
          const { gives, sees = [] } = answers.shift() ?? assert.fail("the model is asked once more");
          for (const one of sees) assert.ok([...messages.map(({ content }) => content), JSON.stringify(tool)].some((seen) => seen.includes(one)), one);
          return gives;
        })
        .finally(() => assert.equal(answers.length, 0, "answers that the model was not asked for"));
      return accepted;
    }
    case "on_change": {
      const wanted = (step.expect as unknown[]).length;
      const came: unknown[] = [];
      const follower = scenario.onChange((updates) => {
        came.push(updates);
        if (came.length === wanted) follower.close();
      });
      await follower.closed;
      return came;
    }
    default:
      return assert.fail(`no such call: ${step.call}`);
  }
}
