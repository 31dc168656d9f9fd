// A letter of the real service, and what is none of its letters.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";

import { OtherwiseError, verifyWebhook } from "otherwise-client";

import { body, listen, Service } from "./service.js";

const NOW = 1_777_000_000;
const EVENT = { specversion: "1.0", id: "msg_1", source: "/v1", type: "dev.otherwise.webhook.test", time: "2026-04-24T03:06:40Z", data: {} };
const LETTER = JSON.stringify(EVENT);
const [OLD, NEW, FOREIGN] = ["old", "new", "foreign"].map((name) => `whsec_${Buffer.from(`the secret that is ${name}`).toString("base64")}`) as [string, string, string];

const signature = (secret: string, text = LETTER, timestamp: number | string = NOW) =>
  `v1,${createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`msg_1.${timestamp}.${text}`).digest("base64")}`;
const headers = (signatures: string, timestamp: number | string = NOW) => ({ "webhook-id": "msg_1", "webhook-timestamp": String(timestamp), "Webhook-Signature": signatures });

test("a letter is read under its secret, as text, as bytes, and by the old secret beside the new one", async () => {
  const right = headers(signature(NEW));
  assert.deepEqual(await verifyWebhook(NEW, right, LETTER, { now: NOW }), EVENT);
  assert.deepEqual(await verifyWebhook(NEW, new Headers(right), new TextEncoder().encode(LETTER), { now: NOW }), EVENT);
  assert.deepEqual(await verifyWebhook([NEW, OLD], headers(signature(OLD)), LETTER, { now: NOW }), EVENT);
  assert.deepEqual(await verifyWebhook(NEW, headers(`v2,abc v1,!!! ${signature(OLD)} ${signature(NEW)}`), LETTER, { now: NOW }), EVENT);
  for (const edge of [NOW - 300, NOW + 300]) assert.ok(await verifyWebhook(NEW, headers(signature(NEW, LETTER, edge), edge), LETTER, { now: NOW }));
});

test("anything else is refused", async () => {
  const refused: [string, Record<string, string>, string][] = [
    ["another secret", headers(signature(FOREIGN)), LETTER],
    ["another body", headers(signature(NEW)), LETTER.replace("1.0", "1.1")],
    ["a body that was written anew", headers(signature(NEW)), JSON.stringify(EVENT, null, 1)],
    ["another moment than was signed", headers(signature(NEW), NOW + 1), LETTER],
    ["a letter of before", headers(signature(NEW, LETTER, NOW - 301), NOW - 301), LETTER],
    ["a letter of later", headers(signature(NEW, LETTER, NOW + 301), NOW + 301), LETTER],
    ["no moment", headers(signature(NEW, LETTER, "soon"), "soon"), LETTER],
    ["another way of signing", headers(signature(NEW).replace("v1,", "v0,")), LETTER],
    ["no signature", headers(""), LETTER],
    ["no headers", {}, LETTER],
  ];
  for (const [what, given, text] of refused) {
    const error = await verifyWebhook([NEW, OLD], given, text, { now: NOW }).then(() => assert.fail(what), (error: unknown) => error);
    assert.ok(error instanceof OtherwiseError && error.code === "bad_signature", what);
  }
  await assert.rejects(verifyWebhook("whsec_", headers(signature(NEW)), LETTER, { now: NOW }), TypeError);
});

test("a letter of the service is read", async () => {
  const service = await Service.start();
  const letters: Promise<unknown>[] = [];
  let secret = "";
  const receiver = await listen(async (request, response) => {
    const read = verifyWebhook(secret, request.headers, await body(request));
    letters.push(read);
    const status = await read.then(() => 204, () => 401);
    response.writeHead(status).end();
  });
  try {
    const call = async (path: string, given: object) => {
      const answer = await fetch(`${service.url}/v1/webhooks${path}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given) });
      return (await answer.json()) as Record<string, unknown>;
    };
    const { id, secret: told } = await call("", { url: receiver.url });
    secret = String(told);
    assert.deepEqual(await call(`/${id}:test`, {}), { delivered: true, status: 204 });
    const event = (await letters[0]) as { type: string };
    assert.equal(event.type, "dev.otherwise.webhook.test");

    secret = FOREIGN;
    const { delivered, status } = await call(`/${id}:test`, {});
    assert.deepEqual({ delivered, status }, { delivered: false, status: 401 });
  } finally {
    await Promise.allSettled(letters);
    await receiver.end();
    await service.end();
  }
});
