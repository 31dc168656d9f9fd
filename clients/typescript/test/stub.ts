// A service that answers what a script says, request by request, and holds each request to it.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Step {
  request: {
    method: string;
    path: string;
    query?: Record<string, string | null>;
    headers?: Record<string, string | null>;
    body?: unknown;
  };
  response: {
    status: number;
    headers?: Record<string, string>;
    body?: unknown;
    text?: string;
    of?: string;
    close?: boolean;
    hold?: boolean;
  };
}

export type Templates = Record<string, { headers: Record<string, string>; body: unknown }>;

/** Holds that a value has what is expected: objects member by member, lists item by item; null stands for a missing member too. */
export function subset(found: unknown, expected: unknown, at: string): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(found), `${at} is no list`);
    assert.equal(found.length, expected.length, `${at} has another length`);
    expected.forEach((one, index) => subset(found[index], one, `${at}[${index}]`));
  } else if (typeof expected === "object" && expected !== null) {
    assert.ok(typeof found === "object" && found !== null, `${at} is no object`);
    for (const [name, one] of Object.entries(expected)) subset((found as Record<string, unknown>)[name], one, `${at}.${name}`);
  } else if (expected === null) {
    assert.ok(found === null || found === undefined, `${at} is ${JSON.stringify(found)}`);
  } else {
    assert.deepEqual(found, expected, at);
  }
}

export class Stub {
  url = "";
  readonly #script: readonly Step[];
  readonly #templates: Templates;
  readonly #names = new Map<string, string>();
  readonly #wrong: unknown[] = [];
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #came = 0;

  constructor(script: readonly Step[], templates: Templates) {
    this.#script = script;
    this.#templates = templates;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
    return this;
  }

  /** Ends it, and holds that every request came as the script says and no other. */
  async end(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    for (const wrong of this.#wrong) throw wrong;
    assert.equal(this.#came, this.#script.length, "requests that came");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const place = this.#came++;
    const step = this.#script[place];
    try {
      assert.ok(step, `one request more than the script has: ${request.method} ${request.url}`);
      await this.#hold(step.request, request, `request ${place + 1}`);
    } catch (error) {
      this.#wrong.push(error);
      response.writeHead(418).end();
      return;
    }
    const { status, headers = {}, body, text, of, close, hold } = step.response;
    if (close) {
      request.socket.destroy();
      return;
    }
    const template = of === undefined ? undefined : this.#templates[of];
    const sent = body ?? (text === undefined && status === 200 ? template?.body : undefined);
    response.writeHead(status, { ...(sent === undefined ? {} : { "Content-Type": "application/json" }), ...template?.headers, ...headers });
    const bytes = sent === undefined ? (text ?? "") : JSON.stringify(sent);
    if (hold) response.write(bytes);
    else response.end(bytes);
  }

  async #hold(expected: Step["request"], request: IncomingMessage, at: string): Promise<void> {
    const url = new URL(request.url ?? "", this.url);
    assert.equal(`${request.method} ${url.pathname}`, `${expected.method} ${expected.path}`, at);
    for (const [name, one] of Object.entries(expected.query ?? {})) this.#text(url.searchParams.get(name), one, `${at}: query ${name}`);
    for (const [name, one] of Object.entries(expected.headers ?? {})) {
      const value = request.headers[name.toLowerCase()];
      this.#text(value === undefined ? null : String(value), one, `${at}: header ${name}`);
    }
    if (expected.body === undefined) return;
    let text = "";
    for await (const chunk of request.setEncoding("utf8")) text += chunk;
    subset(JSON.parse(text), expected.body, `${at}: body`);
  }

  #text(found: string | null, expected: string | null, at: string): void {
    if (expected === null || !/^([*]$|[=!])/.test(expected)) return assert.equal(found, expected, at);
    assert.ok(found !== null, `${at} is missing`);
    const name = expected.slice(1);
    if (expected.startsWith("=")) assert.equal(found, this.#names.get(name) ?? found, at);
    if (expected.startsWith("!")) assert.notEqual(found, this.#names.get(name) ?? name, at);
    if (expected.startsWith("=")) this.#names.set(name, found);
  }
}
