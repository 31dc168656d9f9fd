// `.aiSdkTool()` and `.zod()` in the AI SDK itself, with a scripted model and the real service.

import "otherwise-client/ai";
import "otherwise-client/zod";

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, Output, stepCountIs } from "ai";
import { Otherwise } from "otherwise-client";

import { scripted } from "./model.js";
import { Service } from "./service.js";

const BOOKING = { origin: "PEK", destination: "SHA", departure_date: "2026-05-04" };
const PROMPT = "From Beijing to Shanghai on May 4th, for two, at a window.";

let service: Service;
before(async () => (service = await Service.start()));
after(() => service.end());

const flights = () => new Otherwise(service.url, { client: "ana" }).scenario("flight_booking");
const sdk = (baseURL: string) => createOpenAICompatible({ name: "scripted", baseURL, supportsStructuredOutputs: true })("scripted");

test("a model that calls the tool has submitted, and is given what came of it", async () => {
  const model = await scripted([{ tool: "flight_booking", arguments: { ...BOOKING, cabin_class: "Business", other: "window seat" } }, "Booked."]);
  const scenario = flights();
  const { text, steps } = await generateText({ model: sdk(model.url), tools: { flight_booking: await scenario.aiSdkTool() }, stopWhen: stepCountIs(3), prompt: PROMPT });
  await model.end();

  assert.equal(text, "Booked.");
  const [result] = steps[0]!.toolResults;
  const { payload, exchange } = result!.output as Awaited<ReturnType<typeof scenario.submit>>;
  assert.equal(exchange.status, "accepted");
  assert.deepEqual(payload, { ...BOOKING, cabin_class: "business", passenger_count: 1, other: "window seat" });

  // The model sees the tool as the service exports it, and the whole reply as the result.
  const [first, second] = model.asked;
  const exported = await scenario.tool("mcp");
  assert.deepEqual(first!.tools![0]!.function.parameters, exported["inputSchema"]);
  assert.equal(first!.tools![0]!.function.description, exported["description"]);
  assert.match(JSON.stringify(second!.messages.at(-1)), new RegExp(exchange.submission_id!));
});

test("what does not fit is told to the model, which calls again", async () => {
  const wrong = { ...BOOKING, passenger_count: 40 };
  const model = await scripted([{ tool: "flight_booking", arguments: wrong }, { tool: "flight_booking", arguments: { ...BOOKING, passenger_count: 2 } }, "Booked."]);
  const { steps } = await generateText({ model: sdk(model.url), tools: { flight_booking: await flights().aiSdkTool() }, stopWhen: stepCountIs(4), prompt: PROMPT });
  await model.end();

  const told = JSON.stringify(model.asked[1]!.messages.at(-1));
  assert.match(told, /passenger_count/);
  assert.match(told, /"?maximum\\*"?:9/, "what would have been right stands there");
  assert.doesNotMatch(told, /40/, "what was given does not");
  assert.equal((steps[1]!.toolResults[0]!.output as { exchange: { status: string } }).exchange.status, "accepted");
});

test("the schema of Zod has the SDK read an object that fits", async () => {
  const model = await scripted([JSON.stringify(BOOKING), JSON.stringify({ ...BOOKING, passenger_count: 40 })]);
  const output = Output.object({ schema: await flights().zod() });
  assert.deepEqual((await generateText({ model: sdk(model.url), output, prompt: PROMPT })).output, BOOKING);
  await assert.rejects(async () => (await generateText({ model: sdk(model.url), output, prompt: PROMPT })).output, /did not match schema/);
  await model.end();
});

test("the example books a flight", async () => {
  const model = await scripted([{ tool: "flight_booking", arguments: { ...BOOKING, other: "at a window please" } }, "Booked: flight to Shanghai."]);
  const example = fileURLToPath(new URL("../examples/book_flight.js", import.meta.url));
  const env = { ...process.env, MODEL_URL: model.url, OTHERWISE_URL: service.url };
  const { stdout } = await promisify(execFile)(process.execPath, [example], { env });
  await model.end();
  assert.equal(stdout, "Booked: flight to Shanghai.\n");
  const wishes = await fetch(`${service.url}/v1/scenarios/flight_booking/wishes`, { headers: { "Otherwise-Client": "ana" } });
  assert.match(await wishes.text(), /at a window please/, "what no key holds is on record as a wish of this client");
});
