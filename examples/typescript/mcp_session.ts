// A whole session over MCP with the official client: discover, negotiate, fill, submit, learn of a new key.
//
//     npm ci && npm run build
//     node built/mcp_session.js http://127.0.0.1:8080

import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { setTimeout as pause } from "node:timers/promises";

const BOOKING = { origin: "PEK", destination: "SHA", departure_date: "2026-05-04" };
const TEMPLATE = "otherwise://scenarios/flight_booking/template";
const WISHES = [
  "a window seat please",
  "I would like a window seat",
  "window seat if possible",
  "please book me a window seat",
  "a seat at the window please",
  "I prefer a window seat",
].flatMap((wish) => [wish, wish]); // a key that others see is made of ten fragments at least

/** A client of a traveller. An open service takes any name for who calls; one with principals takes their keys. */
async function connected(url: string, traveller: string): Promise<Client> {
  const client = new Client(
    { name: "otherwise-example", version: "1.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  const headers = { "Otherwise-Client": traveller };
  await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }));
  return client;
}

const booking = (more: object) => ({ schema_id: "flight_booking_v1", payload: { ...BOOKING, ...more } });

/** The scenario that fits a wish. Right after a start the service has not read all templates: ask again in a moment. */
async function find(client: Client, wish: string): Promise<string> {
  for (let turn = 0; turn < 100; turn++) {
    const result = await client.callTool({ name: "list_scenarios", arguments: { q: wish } });
    const found = result.structuredContent as any;
    if (found.outcome === "match") return found.scenarios[0].scenario;
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

async function submit(client: Client, more: object): Promise<any> {
  const result = await client.callTool({ name: "submit_payload", arguments: booking(more) });
  if (result.isError) throw new Error(JSON.stringify(result.content));
  return result.structuredContent;
}

const textOf = (content: any): string => content.text;

const [url = "http://127.0.0.1:8080"] = process.argv.slice(2);
await ready(url);
const client = await connected(url, "ana");
const { tools } = await client.listTools();
console.log("discovered", tools.map((tool) => tool.name));
const scenario = await find(client, "I want to book a flight to Shanghai");

// Negotiate: the template as a resource, and as a prompt for a model.
const read = await client.readResource({ uri: TEMPLATE });
const template = JSON.parse(textOf(read.contents[0]));
console.log("negotiated", template.schema_id, template.keys.map((key: any) => key.key_name));
const prompt = await client.getPrompt({ name: scenario, arguments: { utterance: "fly to Shanghai next Monday" } });
console.log("prompt:", textOf(prompt.messages[0]!.content).split("\n")[0]);

// Fill it wrongly once: what is wrong comes back as a tool result, with what would mend it.
const refused = await client.callTool({ name: "submit_payload", arguments: booking({ passenger_count: "2" }) });
const [violation] = JSON.parse(textOf(refused.content[0])).violations;
console.log("refused:", violation.message, "mended by", violation.repair);

// A service that was taught before has the key already, and none will come.
let key = template.keys.find((key: any) => key.key_name.includes("seat"));
if (key) {
  console.log("learned before:", key.key_name, "-", key.semantic_description);
} else {
  const changed = new Promise((resolve) => client.setNotificationHandler("notifications/resources/updated", resolve));
  const subscription = await client.listen({ resourceSubscriptions: [TEMPLATE] });

  // Fill and submit. What no key holds goes into `other`; several travellers want the same.
  for (const [number, wish] of WISHES.entries()) {
    const traveller = await connected(url, `ana-${number % 5}`);
    const booked = await submit(traveller, { passenger_count: 2, other: wish });
    await traveller.close();
    console.log("submitted", booked.exchange.submission_id, "with", wish);
  }

  // Learn of the key that this brought.
  const late = setTimeout(() => {
    console.error("no key came within 30 s: run this on a service that has learned nothing yet");
    process.exit(1);
  }, 30_000);
  await changed;
  clearTimeout(late);
  await subscription.close();
  const since = template.revision;
  const news: any = await client.callTool({ name: "get_schema_updates", arguments: { scenario, since } });
  [key] = news.structuredContent.patches[0].new_keys;
  console.log("learned of", key.key_name, "-", key.semantic_description);
}
const said: any = { ...BOOKING, [key.key_name]: key.key_type === "boolean" ? true : "window" };

// The scenario is a tool as well: it asks for every key by now, null for what nothing was said of, and its call submits.
const tool = (await client.listTools()).tools.find((tool) => tool.title === template.scenario)!;
const filled = Object.fromEntries((tool.inputSchema.required ?? []).map((name) => [name, said[name] ?? null]));
const booked: any = await client.callTool({ name: tool.name, arguments: filled, _meta: tool._meta });
if (booked.isError) throw new Error(JSON.stringify(booked.content));
console.log("submitted", booked.structuredContent.payload, "by", tool.name);
await client.close();
