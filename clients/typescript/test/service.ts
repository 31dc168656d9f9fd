// The real service, for journeys: one process on loopback with a data folder of its own.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

/** The repository. */
export const root = process.env["OTHERWISE_ROOT"] ?? assert.fail("say where the repository is: OTHERWISE_ROOT");
const program = process.env["OTHERWISE_BIN"] ?? assert.fail("say where the built service is: OTHERWISE_BIN");

export class Service {
  /** Where it listens, also after it was stopped and began again. */
  url = "http://127.0.0.1:0";
  readonly #data = mkdtempSync(join(tmpdir(), "otherwise-client-"));
  #process: ChildProcess | undefined;

  /** A service that is ready. */
  static async start(): Promise<Service> {
    const service = new Service();
    await service.begin();
    return service;
  }

  async begin(): Promise<void> {
    const args = ["serve", "--listen", new URL(this.url).host, "--data", this.#data, "--schemas", `${root}/schemas`, "--models", `${root}/models`];
    let said = "";
    const child = spawn(program, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    // A minute: a debug build on a busy machine reads models in seconds.
    for (let turn = 0; turn < 600; turn++) {
      assert.equal(child.exitCode, null, said);
      // It says where it listens; the first time, that is a port that was free.
      this.url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? this.url;
      const ready = this.url.endsWith(":0") ? undefined : await fetch(`${this.url}/readyz`).catch(() => undefined);
      if (ready?.ok) return;
      await pause(100);
    }
    await this.stop("SIGKILL");
    assert.fail(`the service is not ready: ${said}`);
  }

  async stop(signal: "SIGTERM" | "SIGKILL" = "SIGTERM"): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (!child || child.exitCode !== null) return;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }

  async end(): Promise<void> {
    await this.stop();
    rmSync(this.#data, { recursive: true, force: true });
  }
}

/** A server on loopback. */
export async function listen(listener: RequestListener): Promise<{ url: string; end: () => Promise<void> }> {
  const server = createServer(listener).unref(); // A test that failed is to end all the same.
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const end = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${port}`, end };
}

/** The whole body of a request. */
export async function body(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
