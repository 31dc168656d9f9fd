// Servers that answer anything: what is read is bounded in bytes, time and depth, and fails as an error of the client.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

import { InvalidPayload, Otherwise, OtherwiseError, Unavailable } from "otherwise-client";

const TEMPLATE = { schema_id: "tram_v1", scenario: "tram", version: "1.0.0", revision: 1, language: "en", keys: [], key_digests: {} };
const DEEP = "[".repeat(100_000) + "]".repeat(100_000);
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const EVENT_CHARS_MAX = 8 * 1024 * 1024;
/** Bytes by which a process may grow while it reads an answer of the largest size. */
const GROWTH_MAX = 300 * 1024 * 1024;

const TEN_MB = gzipSync(Buffer.alloc(10_000_000));

const head = (...lines: string[]) => ["HTTP/1.1 200 OK", "Connection: close", ...lines, "", ""].join("\r\n");
const whole = (body: string | Buffer, ...lines: string[]) => Buffer.concat([Buffer.from(head(`Content-Length: ${Buffer.byteLength(body)}`, ...lines)), Buffer.from(body)]);

/** Runs something against a server of one function, which is given each connection and the request as far as it came at once. */
async function against(serve: (socket: Socket, request: string) => unknown, run: (url: string) => Promise<void>): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.once("data", (request) => void serve(socket, request.toString("latin1")));
  }).unref();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    for (const socket of sockets) socket.destroy();
  }
}

/** Sends pieces until the client has enough. */
async function endless(socket: Socket, first: string, piece: string, ms = 0): Promise<void> {
  socket.write(first);
  while (!socket.destroyed) {
    // Where the client reads slower, it waits.
    if (!socket.write(piece) || ms) await pause(ms);
  }
}

const ANSWERS: Record<string, (socket: Socket) => unknown> = {
  "without an end": (socket) => endless(socket, `${head()}{"a":"`, "x".repeat(65_536)),
  // 900 MB in members of 10 MB each.
  "that is a bomb": (socket) => socket.end(whole(Buffer.concat([gzipSync('{"a":"'), ...Array.from({ length: 90 }, () => TEN_MB)]), "Content-Encoding: gzip")),
  "that nests deeply": (socket) => socket.end(whole(DEEP)),
  "that nests too deeply below": (socket) => socket.end(whole(JSON.stringify({ ...TEMPLATE, x: JSON.parse("[".repeat(200) + "]".repeat(200)) as unknown }))),
  "that is no template": (socket) => socket.end(whole(JSON.stringify({ ...TEMPLATE, keys: [7] }))),
};

for (const [name, serve] of Object.entries(ANSWERS)) {
  test(`an answer ${name} is an error of the client, and bounded in memory`, () =>
    against(serve, async (url) => {
      const before = process.resourceUsage().maxRSS;
      const tram = new Otherwise(url, { sleep: async () => undefined }).scenario("tram");
      for (const call of [() => tram.template(), () => tram.submit({})]) {
        await assert.rejects(call, (error: OtherwiseError) => error.constructor === OtherwiseError && error.code === "bad_answer");
      }
      assert.ok((process.resourceUsage().maxRSS - before) * 1024 < GROWTH_MAX);
    }));
}

test("an answer at the limit is read", async () => {
  const text = JSON.stringify({ ...TEMPLATE, x: "" });
  const full = JSON.stringify({ ...TEMPLATE, x: "x".repeat(ANSWER_BYTES_MAX - text.length) });
  for (const more of ["", " "]) {
    await against(
      (socket) => socket.end(whole(gzipSync(full + more), "Content-Encoding: gzip")),
      async (url) => {
        const read = new Otherwise(url).scenario("tram").template();
        if (more) await assert.rejects(read, /larger than 33554432 bytes/);
        else assert.equal((await read).revision, 1);
      },
    );
  }
});

for (const first of ["HTTP/1.1 200 OK\r\nX: ", head()]) {
  test(`a byte a moment does not outlast the deadline of a call, after ${JSON.stringify(first.slice(-12))}`, () =>
    against(
      (socket) => endless(socket, first, "x", 50),
      async (url) => {
        const tram = new Otherwise(url, { timeoutMs: 500, sleep: async () => undefined }).scenario("tram");
        await assert.rejects(tram.template(), Unavailable);
      },
    ));
}

for (const [name, odd] of Object.entries({ "that nests deeply": DEEP, "that is no object": "7", "that is no JSON": "{", "without an end": "x".repeat(EVENT_CHARS_MAX + 1024 * 1024) })) {
  test(`a follower survives an event ${name}`, async () => {
    const came: string[] = [];
    const serve = (socket: Socket, request: string) => {
      if (!request.includes("/updates/stream")) return socket.end(whole(JSON.stringify(TEMPLATE)));
      came.push(/last-event-id: (\d+)/i.exec(request)?.[1] ?? "");
      const event = came.length === 1 ? `id: 7\nevent: update\ndata: ${odd}\n\n` : "";
      const update = JSON.stringify({ revision: 8, schema_id: "tram_v1", patches: [], withdrawn_keys: [] });
      return socket.end(`${head("Content-Type: text/event-stream")}${event}id: 8\nevent: update\ndata: ${update}\n\n`);
    };
    await against(serve, async (url) => {
      const tram = new Otherwise(url, { sleep: async () => undefined }).scenario("tram");
      await new Promise<void>((resolve, reject) => {
        const follower = tram.onChange(() => {
          follower.close();
          resolve();
        });
        follower.closed.catch(reject);
      });
    });
    // An event without an end is asked for again; any other is passed over.
    assert.deepEqual(came.slice(0, 2), ["1", odd.length > EVENT_CHARS_MAX ? "1" : "7"]);
  });
}

test("an event is bounded line by line too", async () => {
  let connections = 0;
  const serve = (socket: Socket, request: string) => {
    if (!request.includes("/updates/stream")) return socket.end(whole(JSON.stringify(TEMPLATE)));
    connections += 1;
    return endless(socket, head("Content-Type: text/event-stream"), "data: x\n".repeat(10_000));
  };
  await against(serve, async (url) => {
    const follower = new Otherwise(url, { sleep: async () => undefined }).scenario("tram").onChange(() => assert.fail("no event ended"));
    while (connections < 2) await pause(10);
    follower.close();
    await follower.closed;
  });
});

test("a list without an end is left", async () => {
  for (const [rows, count] of [[1000, 10_000], [0, 0]] as const) {
    const page = JSON.stringify({ scenarios: Array.from({ length: rows }, () => ({ scenario: "a" })), next: "a" });
    await against((socket) => socket.end(whole(page)), async (url) => assert.equal((await new Otherwise(url).scenarios()).length, count));
  }
});

test("repairs that multiply a value are none", async () => {
  const copies = Array.from({ length: 60 }, (_, n) => ({ op: "copy", from: "/payload", path: `/payload/x${n}`, lossless: true }));
  const problem = JSON.stringify({ code: "invalid_payload", title: "No", detail: "no", violations: [{ key: "x", repair: copies }, 7] });
  let posted = 0;
  const serve = (socket: Socket, request: string) =>
    socket.end(request.startsWith("GET") || posted++ < 0 ? whole(JSON.stringify(TEMPLATE)) : Buffer.from(whole(problem).toString("latin1").replace("200 OK", "422 No"), "latin1"));
  await against(serve, async (url) => {
    const tram = new Otherwise(url).scenario("tram");
    await assert.rejects(tram.submit({ a: "b".repeat(1000) }), (error: InvalidPayload) => error instanceof InvalidPayload && error.violations.length === 1);
    assert.equal(posted, 1);
  });
});
