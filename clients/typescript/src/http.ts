// One call over HTTP: tried again where that is safe and may help, and turned into an error where it failed.

import { badAnswer, InvalidPayload, OtherwiseError, Stale, Unavailable } from "./errors.js";
import type { ClientOptions, Problem, Violation } from "./types.js";
import { USER_AGENT } from "./version.js";

/** Tries of one call, the first included. */
const TRIES = 4;
/** The first pause is drawn from up to this; each further one from up to twice as much. */
export const PAUSE_MS = 500;
/** No pause is longer, whatever `Retry-After` says: a caller waits for the answer. */
export const PAUSE_MS_MAX = 30_000;
/** Bytes of an answer that are read, after decompression: a template of a thousand keys takes a few hundred kilobytes. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/** Levels that JSON may nest, as in the service: what walks deeper values would exhaust the stack. */
const LEVELS_MAX = 128;
/** Gateways and a busy service: what was asked for may work in a moment. */
const PASSING = [429, 502, 503, 504];
/** Failures behind the service that the same call would meet again. */
const FINAL = ["executor_refused", "bad_result", "executor_not_allowed"];

export interface Request {
  method: "GET" | "POST";
  path: string;
  query?: Record<string, string | undefined>;
  headers?: Record<string, string>;
  body?: string;
  signal?: AbortSignal | undefined;
  /** A status that is an answer too, whatever it tells. */
  heard?: number;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
}

export class Transport {
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;
  readonly #fetch: typeof fetch;

  constructor(url: string | URL, options: ClientOptions) {
    const base = new URL(url);
    if (base.protocol !== "http:" && base.protocol !== "https:") throw new TypeError("the service's URL begins with http: or https:");
    this.#base = base.origin + base.pathname.replace(/\/+$/, "");
    this.#headers = { "User-Agent": USER_AGENT };
    if (options.key !== undefined) this.#headers["Authorization"] = `Bearer ${header("key", options.key)}`;
    if (options.client !== undefined) this.#headers["Otherwise-Client"] = header("client", options.client);
    this.#timeoutMs = options.timeoutMs ?? 30_000;
    // Taken at the call, as platforms want it called on their own object and tests put another one there.
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    this.sleep = options.sleep ?? sleep;
  }

  /** The answer, where it is one of 200 to 299, 304 or what is heard; else throws, after as many tries as may help. */
  async call(request: Request): Promise<Answer> {
    for (let failures = 1; ; failures++) {
      const answer = await this.#attempt(request);
      if (!(answer instanceof Error) && (answer.status < 300 || answer.status === 304 || answer.status === request.heard)) return answer;
      const failed = failure(answer);
      if (!(failed instanceof Unavailable) || failures === TRIES) throw failed;
      const jitter = Math.random() * PAUSE_MS * 2 ** (failures - 1);
      await this.sleep(Math.min(failed.retryAfterMs + jitter, PAUSE_MS_MAX), request.signal);
    }
  }

  /** What came, or the error that kept it from coming. The body is read within the attempt: it may break off as well. */
  async #attempt(request: Request): Promise<Answer | Error> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
    const init = this.#init(request, signal);
    try {
      const response = await this.#fetch(this.#address(request), init);
      return await whole(response);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (error instanceof OtherwiseError) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** A stream, open; throws where there is none, and tries nothing again. */
  async open(request: Request): Promise<ReadableStream<Uint8Array>> {
    const init = this.#init(request, request.signal);
    const response = await this.#fetch(this.#address(request), init).catch((error: unknown) => {
      request.signal?.throwIfAborted();
      throw failure(error instanceof Error ? error : new Error(String(error)));
    });
    if (response.ok && response.body) return response.body;
    throw failure(await whole(response).catch((error: unknown) => (error instanceof Error ? error : new Error(String(error)))));
  }

  #address({ path, query = {} }: Request): string {
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return `${this.#base}${path}${given.length ? `?${new URLSearchParams(given)}` : ""}`;
  }

  /** Throws where a header cannot be sent: that is no failure of the network. */
  #init({ method, headers, body }: Request, signal: AbortSignal | undefined): RequestInit {
    const init: RequestInit = { method, headers: new Headers({ ...this.#headers, ...headers }), redirect: "manual", cache: "no-store" };
    if (body !== undefined) init.body = body;
    if (signal) init.signal = signal;
    return init;
  }
}

/** An answer with its text, within the limit. */
async function whole(response: Response): Promise<Answer> {
  const { status, headers, body } = response;
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (const reader = body?.getReader(); reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > ANSWER_BYTES_MAX) {
      await reader.cancel().catch(() => undefined);
      throw badAnswer(`it is larger than ${ANSWER_BYTES_MAX} bytes`, status);
    }
    text += decoder.decode(value, { stream: true });
  }
  return { status, headers, text: text + decoder.decode() };
}

/** JSON as an object that has these members, each an object or a list. */
export function parsed({ status, text }: { status: number | undefined; text: string }, ...members: string[]): Record<string, unknown> {
  const value = json(text) as Record<string, unknown> | null | undefined;
  if (typeof value === "object" && value !== null && members.every((name) => typeof value[name] === "object" && value[name] !== null)) return value;
  throw badAnswer("it is not what the service answers: is this its address?", status);
}

/** The error that an answer tells of. */
export function failure(answer: Answer | Error): OtherwiseError {
  if (answer instanceof OtherwiseError) return answer;
  if (answer instanceof Error) {
    const cause = answer.cause instanceof Error ? answer.cause : answer;
    return new Unavailable({ code: "unreachable", title: "Service cannot be reached", detail: cause.message || cause.name }, answer);
  }
  const { status, headers, text } = answer;
  const problem = problemOf(text);
  if (problem?.code === "invalid_payload") return new InvalidPayload({ ...problem, violations: listed(problem.violations) });
  const about = problem
    ? { ...problem, status, problem }
    : { code: "bad_answer", status, title: "Answer cannot be read", detail: `the status is ${status}, and what comes with it is not the service's` };
  if (problem?.code === "schema_retired") return new Stale(about);
  if (!isPassing(status, problem)) return new OtherwiseError(about);
  return Object.assign(new Unavailable(about), { retryAfterMs: retryAfterMs(headers) });
}

/** The violations of a problem document, which anybody may have written. */
function listed(violations: unknown): Violation[] {
  return Array.isArray(violations) ? violations.filter((one) => typeof one === "object" && one !== null) : [];
}

function isPassing(status: number, problem: Problem | undefined): boolean {
  if (status === 409) return problem?.code === "idempotency_in_flight";
  return PASSING.includes(status) && !FINAL.includes(problem?.code ?? "");
}

function problemOf(text: string): Problem | undefined {
  const value = json(text) as Partial<Problem> | null | undefined;
  return typeof value?.code === "string" && typeof value.title === "string" && typeof value.detail === "string" ? (value as Problem) : undefined;
}

/** Parses JSON; gives none where the text is no JSON, or nests too deeply. */
export function json(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    let level = [value];
    for (let levels = 0; level.length; levels++) {
      if (levels > LEVELS_MAX) return undefined;
      level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
    }
    return value;
  } catch {
    return undefined;
  }
}

/** Milliseconds that `Retry-After` asks for, said in seconds or as a moment. */
function retryAfterMs(headers: Headers): number {
  const text = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return ms > 0 ? ms : 0;
}

/** A value that a header holds. What is wrong is said without it: it may be a secret. */
function header(name: string, value: string): string {
  if (/^[!-~]+$/.test(value)) return value;
  throw new TypeError(`${name} is empty or has characters that no header holds: give visible ASCII alone`);
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}
