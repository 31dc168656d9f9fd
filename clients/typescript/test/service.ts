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
  readonly url: string;
  readonly #port: number;
  readonly #data: string;
  readonly #settings: Record<string, string>;
  #process: ChildProcess | undefined;

  private constructor(port: number, settings: Record<string, string>) {
    this.#port = port;
    this.url = `http://127.0.0.1:${port}`;
    this.#data = mkdtempSync(join(tmpdir(), "otherwise-client-"));
    this.#settings = settings;
  }

  /** A service that is ready; settings by the names of their environment variables. */
  static async start(settings: Record<string, string> = {}): Promise<Service> {
    const { port, end } = await listen(() => undefined);
    await end();
    const service = new Service(port, settings);
    await service.begin();
    return service;
  }

  async begin(): Promise<void> {
    const listen = `127.0.0.1:${this.#port}`;
    const args = ["serve", "--listen", listen, "--data", this.#data, "--schemas", `${root}/schemas`, "--models", `${root}/models`];
    let said = "";
    const child = spawn(program, args, { cwd: root, env: { ...process.env, ...this.#settings }, stdio: ["ignore", "pipe", "pipe"] });
    this.#process = child;
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (said += text));
    // A minute: a debug build on a busy machine reads models in seconds.
    for (let turn = 0; turn < 600; turn++) {
      assert.equal(child.exitCode, null, said);
      const ready = await fetch(`${this.url}/readyz`).catch(() => undefined);
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
export async function listen(listener: RequestListener): Promise<{ port: number; url: string; end: () => Promise<void> }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const end = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, url: `http://127.0.0.1:${port}`, end };
}

/** The whole body of a request. */
export async function body(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) text += chunk;
  return text;
}
