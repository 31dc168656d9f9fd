// A scenario as one client sees it: its template, held as the pin says, and what is submitted by it.

import { DigestRefused, InvalidPayload, OtherwiseError, Stale, Unavailable } from "./errors.js";
import { Follower } from "./follower.js";
import { parsed } from "./http.js";
import type { Answer, Transport } from "./http.js";
import { refusedKeys, versionOf } from "./pin.js";
import { repaired } from "./repair.js";
import type { Accepted, Digests, Message, Model, Payload, Pin, ScenarioOptions, SubmitOptions, Template, ToolForm, Updates } from "./types.js";

/** Times that a payload is sent again with the repairs of the service: repairs that need more do not come to an end. */
const REPAIRS_MAX = 2;
/** Times that a model is asked. */
const ROUNDS_MAX = 3;
/** Times that a form is asked for until it is of the template that is held: another change in between is rare. */
const FORM_TRIES = 3;

const ASK = "Call the tool with what the user asks for. Leave out what was not said, and never make a value up. What no other key can hold goes into `other`, in the user's own words.";

/** Something that was fetched: a template, or a form of one. */
interface Fetched<T> {
  value: T;
  etag: string | null;
  /** The digest of its template, where the service names it. */
  digest: string | null;
}

/** The same, with when it was asked for last; asked for again where that is long ago, or something is known to have changed since. */
interface Form extends Fetched<unknown> {
  askedAt: number;
}

export class Scenario {
  readonly name: string;
  readonly #transport: Transport;
  readonly #pin: Pin;
  readonly #wishes: Record<string, string | undefined>;
  readonly #maxAgeMs: number;
  readonly #forms = new Map<string, Form>();
  #held: Fetched<Template> | undefined;
  #refused: { keys: readonly string[]; fetched: Fetched<Template> } | undefined;
  #askedAt = -Infinity;
  #asking: Promise<void> | undefined;

  /** Made by `Otherwise.scenario`. */
  constructor(transport: Transport, name: string, maxAgeMs: number, { pin = "additive", language, experimental }: ScenarioOptions) {
    this.name = name;
    this.#transport = transport;
    this.#maxAgeMs = maxAgeMs;
    this.#pin = pin;
    const trials = experimental === false ? "false" : undefined;
    this.#wishes = { preferred_language: language, experimental: trials, version: versionOf(pin) };
  }

  /**
   * The template in force.
   *
   * @throws DigestRefused where it changed in a way that the pin does not take
   */
  async template(): Promise<Template> {
    return structuredClone(await this.#current());
  }

  /** The template as the definition of a tool, in the form of a model's interface. */
  async tool(form: ToolForm): Promise<Record<string, unknown>> {
    return structuredClone((await this.#form(`${form}-tool`, parsed)) as Record<string, unknown>);
  }

  /** The template in words, for a prompt. */
  async prompt(): Promise<string> {
    return (await this.#form("markdown", ({ text }) => text)) as string;
  }

  /** The digests of the keys that are held. */
  get digests(): Digests {
    return { ...this.#held?.value.key_digests };
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
    return this.#send("/v1/submissions:validate", await this.#current(), payload, { utterance, signal }, {});
  }

  /**
   * Submits a payload. One that is refused is sent again with the service's repairs, where each violation has one.
   *
   * @throws InvalidPayload where the payload does not fit, with every violation
   */
  async submit(payload: Payload, options: SubmitOptions = {}): Promise<Accepted> {
    const template = await this.#current();
    let key = options.idempotencyKey ?? crypto.randomUUID();
    for (let repairs = 0; ; repairs++) {
      try {
        return await this.#send("/v1/submissions", template, payload, options, { "Idempotency-Key": key });
      } catch (error) {
        if (!(error instanceof InvalidPayload) || options.repair === false || repairs === REPAIRS_MAX) throw error;
        const next = repaired(payload, error.violations);
        if (!next) throw error;
        payload = next;
        // Another payload is another submission; a caller that comes again under its own key meets the same ones.
        key = options.idempotencyKey === undefined ? crypto.randomUUID() : `${options.idempotencyKey}.${repairs + 1}`;
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
    const tool = await this.tool(form);
    const messages: Message[] = [
      { role: "system", content: ASK },
      { role: "user", content: text },
    ];
    for (let round = 1; ; round++) {
      const given = await model(structuredClone(messages), structuredClone(tool));
      const payload = typeof given === "string" ? (JSON.parse(given) as Payload) : given;
      try {
        return await this.submit(payload, { utterance: text, ...(signal && { signal }) });
      } catch (error) {
        if (!(error instanceof InvalidPayload) || round === ROUNDS_MAX) throw error;
        messages.push({ role: "assistant", content: JSON.stringify(payload) }, { role: "user", content: error.advice() });
      }
    }
  }

  /** Calls back with each change of the scenario, from the revision that is held on, until the follower is closed. */
  onChange(callback: (updates: Updates) => unknown): Follower {
    const path = `${this.#path()}/updates/stream`;
    const { version } = this.#wishes;
    const start = {
      revision: async () => (this.#held ?? (await this.#seen())).value.revision,
      renewed: async () => {
        this.#forget();
        return (await this.#seen()).value.revision;
      },
    };
    return new Follower(this.#transport, { method: "GET", path, query: { version } }, start, (updates) => {
      this.#forget();
      return callback(updates);
    });
  }

  #path(): string {
    return `/v1/scenarios/${encodeURIComponent(this.name)}`;
  }

  /** Has everything asked for again: something is known to have changed. */
  #forget(): void {
    this.#askedAt = -Infinity;
    for (const form of this.#forms.values()) form.askedAt = -Infinity;
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

  /** Asks for the template where that is due. Calls that come meanwhile wait for the same answer. */
  #ask(): Promise<void> {
    if (this.#held && Date.now() - this.#askedAt < this.#maxAgeMs) return Promise.resolve();
    this.#asking ??= this.#fetchTemplate().finally(() => (this.#asking = undefined));
    return this.#asking;
  }

  async #fetchTemplate(): Promise<void> {
    const askedAt = Date.now();
    const fetched = await this.#fetch({}, this.#held?.etag, (answer) => parsed(answer) as unknown as Template);
    this.#askedAt = askedAt;
    this.#refused = undefined;
    if (!fetched) return;
    const keys = this.#held ? refusedKeys(this.#pin, this.#held.value, fetched.value) : [];
    if (keys.length) this.#refused = { keys, fetched };
    else this.#held = fetched;
  }

  /** A form of the template that is held: one of another template is not given before that one is taken. */
  async #form(format: string, read: (answer: Answer) => unknown): Promise<unknown> {
    await this.#current();
    for (let tries = 0; tries < FORM_TRIES; tries++) {
      let form = this.#forms.get(format);
      if (!form || Date.now() - form.askedAt >= this.#maxAgeMs) {
        const askedAt = Date.now();
        const fetched = await this.#fetch({ format }, form?.etag, read);
        form = { ...(fetched ?? form!), askedAt };
        this.#forms.set(format, form);
      }
      if (form.digest === null || form.digest === this.#held?.digest) return form.value;
      this.#askedAt = -Infinity;
      await this.#current();
      if (form.digest === this.#held?.digest) return form.value;
      form.askedAt = -Infinity;
    }
    throw new OtherwiseError({ code: "changing", title: "Template keeps changing", detail: "each form was of another template than the one served with it; try again" });
  }

  /** What is served, read; none where the entity tag is current still. */
  async #fetch<T>(query: { format?: string }, etag: string | null | undefined, read: (answer: Answer) => T): Promise<Fetched<T> | undefined> {
    const path = `${this.#path()}/template`;
    const request = { method: "GET" as const, path, query: { ...this.#wishes, ...query } };
    const answer = await this.#transport.call(etag ? { ...request, headers: { "If-None-Match": etag } } : request);
    if (answer.status === 304) return undefined;
    return { value: read(answer), etag: answer.headers.get("etag"), digest: answer.headers.get("otherwise-digest") };
  }

  async #send(path: string, template: Template, payload: Payload, options: Pick<SubmitOptions, "utterance" | "signal">, headers: Record<string, string>): Promise<Accepted> {
    const { schema_id, revision } = template;
    const { utterance, signal } = options;
    // An exact pin is judged by what it holds. Left out where undefined. The text is made once: a retry is to have the same bytes.
    const body = JSON.stringify({ schema_id, payload, revision, pinned: this.#pin === "exact" || undefined, utterance });
    const request = { method: "POST" as const, path, headers: { "Content-Type": "application/json", ...headers }, body, signal };
    try {
      const reply = parsed(await this.#transport.call(request)) as Accepted;
      this.#notice(reply);
      return reply;
    } catch (error) {
      if (error instanceof Stale || (error instanceof OtherwiseError && error.code === "unknown_schema")) this.#forget();
      if (error instanceof OtherwiseError && error.problem) this.#notice(error.problem);
      if (error instanceof Unavailable) error.idempotencyKey = headers["Idempotency-Key"];
      throw error;
    }
  }

  /** Takes notice of news in a reply: the template that is held is another one by now. */
  #notice(reply: Pick<Accepted, "schema_update_suggestion"> & { exchange?: Accepted["exchange"] }): void {
    const change = reply.exchange?.template_change;
    if (reply.schema_update_suggestion || (change && change.class !== "none")) this.#forget();
  }
}
