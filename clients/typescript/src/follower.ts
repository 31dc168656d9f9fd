// Follows the changes of a scenario in the background, through breaks and restarts of the service.

import { OtherwiseError, Unavailable } from "./errors.js";
import { serverEvents } from "./events.js";
import { PAUSE_MS, PAUSE_MS_MAX, parsed } from "./http.js";
import type { Request, Transport } from "./http.js";
import type { Updates } from "./types.js";

/** The pause until the service asks for another one. */
const RETRY_MS = 3000;
/** The longest pause that the service's own settings can ask for. */
const ASKED_MS_MAX = 3_600_000;
/** A stream that is silent for so long is taken for dead: six times the pause after which the service says by default that it lives. */
const SILENT_MS_MAX = 90_000;

/** Where a follower begins. */
export interface Start {
  /** The revision that the client holds. */
  revision(): Promise<number>;
  /** The same, asked for anew: the service does not know the one that came last. */
  renewed(): Promise<number>;
}

export class Follower {
  /** Fulfilled once the follower is closed; rejected where it cannot go on, because the service refuses it. */
  readonly closed: Promise<void>;
  readonly #end = new AbortController();
  readonly #transport: Transport;
  readonly #request: Request;
  #retryMs = RETRY_MS;
  #failures = 0;
  #last: number | undefined;

  constructor(transport: Transport, request: Request, start: Start, callback: (updates: Updates) => unknown) {
    this.#transport = transport;
    this.#request = request;
    this.closed = this.#run(start, callback).catch((error: unknown) => {
      if (!this.#end.signal.aborted) throw error;
    });
    // Whoever does not look at `closed` is told here, and not brought down by it.
    this.closed.catch((error: unknown) => console.error("changes are no longer followed:", error));
  }

  /** Ends it; nothing is called after that. */
  close(): void {
    this.#end.abort();
  }

  async #run(start: Start, callback: (updates: Updates) => unknown): Promise<void> {
    const { signal } = this.#end;
    let renewed = false;
    while (!signal.aborted) {
      let asked = 0;
      try {
        this.#last ??= await (renewed ? start.renewed() : start.revision());
        for await (const updates of this.#connection(this.#last)) {
          if (signal.aborted) return;
          await told(callback, updates);
        }
        renewed = false;
      } catch (error) {
        if (error instanceof OtherwiseError && error.status === 400 && !renewed) {
          // Its history is another one, as after a restore of a backup.
          renewed = true;
          this.#last = undefined;
          continue;
        }
        // Without a status it is an event that cannot be read: the next connection begins after the one before it, or after it.
        if (!(error instanceof Unavailable) && !(error instanceof OtherwiseError && error.code === "bad_answer" && error.status === undefined)) throw error;
        this.#failures += 1;
        asked = error instanceof Unavailable ? error.retryAfterMs : 0;
      }
      if (signal.aborted) return;
      const jitter = Math.random() * Math.min(PAUSE_MS * 2 ** this.#failures, PAUSE_MS_MAX);
      await this.#transport.sleep(Math.min(Math.max(this.#retryMs, asked), ASKED_MS_MAX) + jitter, signal);
    }
  }

  /** The updates of one connection, until it ends. One that breaks off has ended too: the next one goes on where it was. */
  async *#connection(last: number): AsyncGenerator<Updates> {
    const connection = new AbortController();
    const signal = AbortSignal.any([this.#end.signal, connection.signal]);
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(silence);
      silence = setTimeout(() => connection.abort(), SILENT_MS_MAX);
    };
    heard();
    try {
      const headers = { Accept: "text/event-stream", "Last-Event-ID": String(last) };
      const body = await this.#transport.open({ ...this.#request, headers, signal });
      for await (const { event, data, id, retryMs } of serverEvents(body, heard)) {
        this.#retryMs = retryMs ?? this.#retryMs;
        if (event !== "update") continue;
        const isNumbered = id !== undefined && /^\d+$/.test(id);
        if (isNumbered) this.#last = Number(id);
        const updates = parsed({ status: undefined, text: data }) as unknown as Updates;
        if (!isNumbered) this.#last = updates.revision;
        this.#failures = 0;
        yield updates;
      }
    } catch (error) {
      if (error instanceof OtherwiseError) throw error;
    } finally {
      clearTimeout(silence);
    }
  }
}

/** Calls back. What the caller's function does wrong is no reason to follow no longer. */
async function told(callback: (updates: Updates) => unknown, updates: Updates): Promise<void> {
  try {
    await callback(updates);
  } catch (error) {
    console.error("the callback of onChange failed, and changes are followed further:", error);
  }
}
