// A whole session over A2A with the official client: discover, negotiate, fill, submit, learn of a new key.
//
//     npm ci && npm run build
//     node built/a2a_session.js http://127.0.0.1:8080

import { randomUUID } from "node:crypto";
import { Role, type Message, type Part, type Task } from "@a2a-js/sdk";
import {
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
  type Client,
} from "@a2a-js/sdk/client";
import { setTimeout as pause } from "node:timers/promises";

const BOOKING = { origin: "PEK", destination: "SHA", departure_date: "2026-05-04" };
const WISHES = [
  "a window seat please",
  "I would like a window seat",
  "window seat if possible",
  "please book me a window seat",
  "a seat at the window please",
  "I prefer a window seat",
].flatMap((wish) => [wish, wish]); // a key that others see is made of ten fragments at least

function message(content: Part["content"], task?: Task): Message {
  return {
    messageId: randomUUID(),
    contextId: task?.contextId ?? "",
    taskId: task?.id ?? "",
    role: Role.ROLE_USER,
    parts: [{ content, metadata: undefined, filename: "", mediaType: "" }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}

const text = (value: string) => message({ $case: "text", value });

const booking = (more: object, task?: Task) =>
  message({ $case: "data", value: { schema_id: "flight_booking_v1", payload: { ...BOOKING, ...more } } }, task);

async function send(client: Client, said: Message, traveller: string): Promise<Task | Message> {
  const request = { tenant: "", message: said, configuration: undefined, metadata: undefined };
  // An open service takes any name for who calls; one with principals takes their keys.
  return client.sendMessage(request, { serviceParameters: { "Otherwise-Client": traveller } });
}

/** What a task or a message holds as data. */
function dataIn(answer: Task | Message): any {
  const parts =
    "artifacts" in answer
      ? [...answer.artifacts.flatMap((artifact) => artifact.parts), ...(answer.status?.message?.parts ?? [])]
      : answer.parts;
  const data = parts.flatMap((part) => (part.content?.$case === "data" ? [part.content.value] : []));
  return data[0];
}

/** The template that fits a wish. Right after a start, or a change, the service has not read all of them: ask again in a moment. */
async function find(client: Client, wish: string, who: string): Promise<any> {
  for (let turn = 0; turn < 100; turn++) {
    const found = dataIn(await send(client, text(wish), who));
    if (found.outcome === "match") return found.template;
    if (!found.unread) break;
    await pause(200);
  }
  throw new Error(`no scenario fits ${JSON.stringify(wish)}`);
}

/** Waits until the service is ready, half a minute at most. */
async function ready(url: string): Promise<void> {
  for (let turn = 0; turn < 150; turn++) {
    const answer = await fetch(new URL("/readyz", url)).catch(() => undefined);
    if (answer?.ok) return;
    await pause(200);
  }
  throw new Error(`${url} is not ready`);
}

async function session(client: Client, who: string) {
  // Negotiate: say in plain words what is wanted; the answer is the template that fits, or that none does.
  const template = await find(client, "I want to book a flight to Shanghai", who);
  console.log("negotiated", template.schema_id, template.keys.map((key: any) => key.key_name));

  // Fill it wrongly once: every violation comes with what would mend it, and the same task goes on.
  const task = (await send(client, booking({ passenger_count: "two" }), who)) as Task;
  console.log("refused:", dataIn(task).violations[0].message);
  const mended = dataIn(await send(client, booking({ passenger_count: 2 }, task), who));
  console.log("mended:", mended.exchange.status);

  // Fill and submit. What no key holds goes into `other`; several travellers want the same.
  for (const [number, wish] of WISHES.entries()) {
    const booked = dataIn(await send(client, booking({ passenger_count: 2, other: wish }), `${who}-${number % 5}`));
    console.log("submitted", booked.exchange.submission_id, "with", wish);
  }

  // Learn of the key that this brought, or that was there before.
  let learned: any;
  for (let turn = 0; turn < 50 && learned === undefined; turn++) {
    const now = await find(client, "I want to book a flight to Shanghai", who);
    learned = now.keys.find((key: any) => key.patch_id);
    await pause(200);
  }
  if (learned === undefined) throw new Error("no key came within 10 s");
  console.log("learned of", learned.key_name, "-", learned.semantic_description);
  const value = learned.key_type === "boolean" ? true : "window";
  console.log("submitted", dataIn(await send(client, booking({ [learned.key_name]: value }), who)).payload);
}

const [url = "http://127.0.0.1:8080", binding = "JSONRPC"] = process.argv.slice(2);
await ready(url);
const transports = [new JsonRpcTransportFactory(), new RestTransportFactory()];
const factory = new ClientFactory({ transports, preferredTransports: [binding] });
const card = await new DefaultAgentCardResolver().resolve(url);
console.log("discovered", card.name, card.skills.map((skill) => skill.id));
await session(await factory.createFromAgentCard(card), "ana");
