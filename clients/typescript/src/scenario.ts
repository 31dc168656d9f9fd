// A scenario as one client sees it: its template, held as the pin says, and what is submitted by it.

import { sha256 } from "./canonical.js";
import { badAnswer, DigestRefused, InvalidPayload, OtherwiseError, Stale, Unavailable } from "./errors.js";
import { Follower } from "./follower.js";
import { failure, json, parsed } from "./http.js";
import type { Answer, Transport } from "./http.js";
import { outlookOf, warn } from "./outlook.js";
import type { Outlook } from "./outlook.js";
import { checked, refusedKeys, stateOf, versionOf } from "./pin.js";
import { repaired } from "./repair.js";
import type { Accepted, ClientOptions, Deprecation, Digests, Message, Model, Payload, Pin, PinState, ScenarioOptions, SubmitOptions, Template, ToolForm, Updates } from "./types.js";

/** A template is asked for again after this time. */
const MAX_AGE_MS = 30_000;
/** Times that a payload is sent again with the repairs of the service: repairs that need more do not come to an end. */
const REPAIRS_MAX = 2;
/** Prefix of an idempotency key that serves the client's own retries. */
const GENERATED = "generated:";
/** Times that a model is asked. */
const ROUNDS_MAX = 3;
/** Submissions without an answer of which it is remembered by what they were made, for callers that submit them again. */
const UNANSWERED_MAX = 1000;
/** Times that a form is asked for until it is of the template that is held: another change in between is rare. */
const FORM_TRIES = 3;

const ASK = "Call the tool with what the user asks for. Leave out what was not said, and never make a value up. What no other key can hold goes into `other`, in the user's own words.";

/** Something that was fetched: a template, or a form of one. */
interface Fetched<T> {
  value: T;
  etag: string | null;
  /** The digest of its template, where the service names it. */
  digest: string | null;
  outlook: Outlook;
}

/** When something was asked for last, and under which count of news. */
interface Asked {
  at: number;
  news: number;
}

export class Scenario {
  readonly name: string;
  readonly #transport: Transport;
  readonly #pin: Pin;
  readonly #wishes: Record<string, string | undefined>;
  readonly #maxAgeMs: number;
  readonly #onDeprecated: (template: Template & { deprecation: Deprecation }) => void;
  /** Schemas of which it was told already that they are to go. */
  readonly #told = new Set<string>();
  readonly #forms = new Map<string, Fetched<unknown> & { asked: Asked }>();
  /** By what template each submission was made that got no answer, by its key: the same again has the same body. */
  readonly #unanswered = new Map<string, { schema_id: string; revision: number | undefined }>();
  readonly #agreed: PinState | undefined;
  #held: Fetched<Template> | undefined;
  #refused: { keys: readonly string[]; fetched: Fetched<Template> } | undefined;
  #asked: Asked | undefined;
  #asking: { news: number; done: Promise<void> } | undefined;
  /** Counts what told that something changed. What was asked for under an earlier count is asked for again. */
  #news = 0;

  /** Made by `Otherwise.scenario`. */
  constructor(transport: Transport, name: string, { maxAgeMs = MAX_AGE_MS, onDeprecated = warn }: ClientOptions, { pin = "additive", pinState, language, experimental }: ScenarioOptions) {
    this.name = name;
    this.#transport = transport;
    this.#maxAgeMs = maxAgeMs;
    this.#onDeprecated = onDeprecated;
    this.#pin = pin;
    this.#agreed = pinState && checked(pinState);
    const trials = experimental === false ? "false" : undefined;
    this.#wishes = { preferred_language: language, experimental: trials, version: versionOf(pin) };
  }

  /**
   * The template in force.
   *
   * @throws DigestRefused where it changed in a way that the pin does not take
   */
  async template(): Promise<Template> {
    await this.#current();
    return structuredClone({ ...this.#held!.value, ...this.#held!.outlook });
  }

  /** The template as the definition of a tool, in the form of a model's interface. */
  async tool(form: ToolForm): Promise<Record<string, unknown>> {
    return structuredClone((await this.#form(`${form}-tool`, parsed)) as Record<string, unknown>);
  }

  /** The template in words, for a prompt. */
  async prompt(): Promise<string> {
    return (await this.#form("markdown", ({ text }) => text)) as string;
  }

  /** What was agreed to, to be kept: given back as `pinState`, it is held to after a restart. None before the first template. */
  get pinState(): PinState | undefined {
    return this.#held ? stateOf(this.#held.value) : this.#agreed && structuredClone(this.#agreed);
  }

  /** The digests of the keys that were agreed to. */
  get digests(): Digests {
    return { ...this.pinState?.digests };
  }

  /** Takes the template that was refused, after somebody looked at it. */
  accept(): void {
    if (this.#refused) this.#held = this.#refused.fetched;
    this.#refused = undefined;
  }

  /**
   * What submitting would say; nothing is recorded.
   *
   * @throws InvalidPayload where the payload does not fit
   */
  async validate(payload: Payload, { utterance, signal }: Pick<SubmitOptions, "utterance" | "signal"> = {}): Promise<Accepted> {
    const { schema_id, revision } = await until(this.#current(), signal);
    return this.#send("/v1/submissions:validate", { schema_id, payload, revision, utterance }, {}, signal);
  }

  /**
   * Submits a payload. One that is refused is sent again with the service's repairs, where each violation has a lossless one. The same
   * call with the same idempotency key is one submission, however often it is made.
   *
   * @throws InvalidPayload where the payload does not fit, with every violation
   */
  async submit(payload: Payload, options: SubmitOptions = {}): Promise<Accepted> {
    const { idempotencyKey, utterance, signal } = options;
    const template = await until(this.#current(), signal);
    const first = idempotencyKey ?? `${GENERATED}${crypto.randomUUID()}`;
    // One key is for one body, which a revision would make another one once the template has moved on.
    const revision = idempotencyKey === undefined || this.#pin === "exact" ? template.revision : undefined;
    const by = this.#unanswered.get(first) ?? { schema_id: template.schema_id, revision };
    let key = first;
    for (let repairs = 0; ; repairs++) {
      try {
        const accepted = await this.#send("/v1/submissions", { ...by, payload, utterance }, { "Idempotency-Key": key }, signal);
        this.#unanswered.delete(first);
        return accepted;
      } catch (error) {
        if (error instanceof Unavailable) {
          error.idempotencyKey = first;
          this.#unanswered.set(first, by);
          const [oldest] = this.#unanswered.keys();
          if (this.#unanswered.size > UNANSWERED_MAX && oldest !== undefined) this.#unanswered.delete(oldest);
        }
        if (!(error instanceof InvalidPayload) || options.repair === false || repairs === REPAIRS_MAX) throw error;
        const next = repaired(payload, error.violations, options.repair === "all");
        if (!next) throw error;
        payload = next;
        // Another payload is another submission, whose key is kept as long; a caller that comes again under the first key meets the same ones.
        key = `${key.startsWith(GENERATED) ? GENERATED : ""}${await sha256(`${key}/repaired`)}`;
      }
    }
  }

  /** Submits a payload with what no key of it holds, beside what its `other` says already. */
  other(text: string, payload: Payload = {}, options: SubmitOptions = {}): Promise<Accepted> {
    const said = payload["other"] ?? [];
    const other = Array.isArray(said) ? [...said, text] : [said, text];
    return this.submit({ ...payload, other: other.length === 1 ? text : other }, options);
  }

  /** Has a model fill the tool from what the user said, submits that, and has it mend what does not fit; it is asked three times at most. */
  async fill(text: string, model: Model, { form = "openai", signal }: { form?: ToolForm; signal?: AbortSignal } = {}): Promise<Accepted> {
    const messages: Message[] = [
      { role: "system", content: ASK },
      { role: "user", content: text },
    ];
    for (let round = 1; ; round++) {
      const given = await model(structuredClone(messages), await this.tool(form));
      const payload = typeof given === "string" ? json(given) : given;
      let refused = new OtherwiseError({ code: "bad_arguments", title: "Model gave no arguments", detail: "they are one JSON object" });
      let advice = "These are no arguments: call the tool with one JSON object.";
      if (isPayload(payload)) {
        try {
          return await this.submit(payload, { utterance: text, ...(signal && { signal }) });
        } catch (error) {
          if (!(error instanceof InvalidPayload)) throw error;
          refused = error;
          advice = error.advice();
        }
      }
      if (round === ROUNDS_MAX) throw refused;
      messages.push({ role: "assistant", content: typeof given === "string" ? given : JSON.stringify(given) }, { role: "user", content: advice });
    }
  }

  /** Calls back with each change of the scenario, from the revision that is held on, until the follower is closed. */
  onChange(callback: (updates: Updates) => unknown): Follower {
    const path = `${this.#path()}/updates/stream`;
    const { version } = this.#wishes;
    const start = {
      revision: async () => (this.#refused?.fetched ?? this.#held ?? (await this.#seen())).value.revision,
      renewed: async () => {
        this.#news += 1;
        return (await this.#seen()).value.revision;
      },
    };
    return new Follower(this.#transport, { method: "GET", path, query: { version } }, start, (updates) => {
      this.#news += 1;
      return callback(updates);
    });
  }

  #path(): string {
    return `/v1/scenarios/${encodeURIComponent(this.name)}`;
  }

  #now(): Asked {
    return { at: Date.now(), news: this.#news };
  }

  #isFresh(asked: Asked | undefined): boolean {
    return asked !== undefined && asked.news === this.#news && Date.now() - asked.at < this.#maxAgeMs;
  }

  /** The template that is held, after a look whether it is in force still. */
  async #current(): Promise<Template> {
    await this.#ask();
    if (this.#refused) throw new DigestRefused(this.name, this.#refused.keys);
    return this.#held!.value;
  }

  /** The template that was served last, whether the pin takes it or not. */
  async #seen(): Promise<Fetched<Template>> {
    await this.#ask();
    return this.#refused?.fetched ?? this.#held!;
  }

  /** Asks for the template where that is due. Calls that come meanwhile wait for the same answer, unless there was news since. */
  #ask(): Promise<void> {
    if (this.#isFresh(this.#asked)) return Promise.resolve();
    if (this.#asking?.news === this.#news) return this.#asking.done;
    // One after the other: an answer that is older and comes later is not to take the newer one's place.
    const before = this.#asking?.done.catch(() => undefined);
    const done = Promise.resolve(before).then(() => this.#fetchTemplate());
    const asking = { news: this.#news, done: done.finally(() => this.#asking === asking && (this.#asking = undefined)) };
    this.#asking = asking;
    return asking.done;
  }

  async #fetchTemplate(): Promise<void> {
    const asked = this.#now();
    const fetched = await this.#fetch({}, this.#held, templateOf);
    this.#asked = asked;
    this.#refused = undefined;
    const agreed = this.pinState;
    const keys = agreed ? refusedKeys(this.#pin, agreed, stateOf(fetched.value)) : [];
    if (keys.length) this.#refused = { keys, fetched };
    else this.#hold(fetched);
  }

  /** Holds a template, and tells once of its schema where that is to go. */
  #hold(fetched: Fetched<Template>): void {
    this.#held = fetched;
    const template = structuredClone({ ...fetched.value, ...fetched.outlook });
    const { schema_id, deprecation } = template;
    if (!deprecation || this.#told.has(schema_id)) return;
    this.#told.add(schema_id);
    this.#onDeprecated({ ...template, deprecation });
  }

  /** A form of the template that is held: one of another template is not given before that one is taken. */
  async #form(format: string, read: (answer: Answer) => unknown): Promise<unknown> {
    await this.#current();
    for (let tries = 0; tries < FORM_TRIES; tries++) {
      let form = this.#forms.get(format);
      if (!form || !this.#isFresh(form.asked)) {
        const asked = this.#now();
        form = { ...(await this.#fetch({ format }, form, read)), asked };
        this.#forms.set(format, form);
      }
      const isOfHeld = ({ digest }: Fetched<unknown>) => digest === null || digest === (this.#held?.digest ?? digest);
      if (isOfHeld(form)) return form.value;
      this.#news += 1;
      await this.#current();
      if (isOfHeld(form)) {
        form.asked.news = this.#news;
        return form.value;
      }
    }
    throw new OtherwiseError({ code: "changing", title: "Template keeps changing", detail: "each form was of another template than the one served with it; try again" });
  }

  /** What is served, read; what is held where its entity tag is current still. */
  async #fetch<T>(query: { format?: string }, held: Fetched<T> | undefined, read: (answer: Answer) => T): Promise<Fetched<T>> {
    const path = `${this.#path()}/template`;
    const request = { method: "GET" as const, path, query: { ...this.#wishes, ...query } };
    const answer = await this.#transport.call(held?.etag ? { ...request, headers: { "If-None-Match": held.etag } } : request);
    const outlook = outlookOf(answer.headers);
    if (answer.status === 304 && held) return { ...held, outlook };
    return { value: read(answer), etag: answer.headers.get("etag"), digest: answer.headers.get("otherwise-digest"), outlook };
  }

  async #send(path: string, submission: { schema_id: string; [member: string]: unknown }, headers: Record<string, string>, signal: AbortSignal | undefined): Promise<Accepted> {
    // An exact pin is judged by what it holds. What is undefined is left out. The text is made once: a retry is to have the same bytes.
    const body = JSON.stringify({ ...submission, pinned: this.#pin === "exact" || undefined });
    const request = { method: "POST" as const, path, headers: { "Content-Type": "application/json", ...headers }, body, signal, heard: 422 };
    try {
      const answer = await this.#transport.call(request);
      if (this.#held?.value.schema_id === submission.schema_id) this.#hold({ ...this.#held, outlook: outlookOf(answer.headers) });
      if (answer.status === 422) throw failure(answer);
      const reply = parsed(answer, "exchange") as Accepted;
      this.#notice(reply);
      return reply;
    } catch (error) {
      if (error instanceof Stale || (error instanceof OtherwiseError && error.code === "unknown_schema")) this.#news += 1;
      if (error instanceof OtherwiseError && error.problem) this.#notice(error.problem);
      throw error;
    }
  }

  /** Takes notice of news in a reply: the template that is held is another one by now. */
  #notice(reply: Pick<Accepted, "schema_update_suggestion"> & { exchange?: Accepted["exchange"] }): void {
    const change = reply.exchange?.template_change;
    if (reply.schema_update_suggestion || (change && change.class !== "none")) this.#news += 1;
  }
}

/** A template, once it is one. */
function templateOf(answer: Answer): Template {
  const template = parsed(answer, "keys", "key_digests") as unknown as Template;
  if (Array.isArray(template.keys) && template.keys.every((key) => typeof key === "object" && key !== null)) return template;
  throw badAnswer("it is no template: is this the service's address?", answer.status);
}

function isPayload(value: unknown): value is Payload {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What others wait for as well, so that a signal ends the wait of one caller alone. */
async function until<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true, signal: over.signal });
  });
  return Promise.race([promise, aborted]).finally(() => over.abort());
}
