// The shapes that a person meets. What comes from the service keeps its names there; what the client adds is spelt as here is custom.

import type { components } from "./api.js";

type Schemas = components["schemas"];

/** The effective template: the keys that this client may fill, and what each of them means. What is to become of its schema is what the
 * service's last answer said by its headers: that it is to go, and which version is in force where that is another one. */
export type Template = Schemas["EffectiveTemplate"] & { deprecation?: Deprecation; latest?: string };
/** That a schema is to go: since when, from when on it may be gone, where to read more. Moments are as RFC 3339 has them. */
export interface Deprecation {
  since: string;
  sunset?: string;
  link?: string;
}
/** A key of a template. */
export type Key = Schemas["EffectiveKey"];
/** A page of what is hosted. */
export type Scenarios = Schemas["Scenarios"];
/** One scenario that is hosted. */
export type ScenarioRow = Schemas["ScenarioRow"];
/** What changed for this client since a revision. */
export type Updates = Schemas["Updates"];
/** One reason why a payload does not fit, with a repair where the right value is determined. */
export type Violation = Schemas["Violation"];
/** A failure as the service tells it (RFC 9457). */
export type Problem = Schemas["ProblemDocument"];

/** Keys and values as the template says; what no key holds stands in `other`. */
export type Payload = Record<string, unknown>;

/** The answer to an accepted submission: the members of the executor's result, or `payload` as it was understood. */
export type Accepted = Schemas["Accepted"] & Record<string, unknown>;

/** The digest of each key, by its name. */
export type Digests = Readonly<Record<string, string>>;

/** Which changes of a template are taken without asking: `additive`, none (`exact`), all (`none`), or, within a range of versions such as
 * `^1`, the additive ones. */
export type Pin = "additive" | "exact" | "none" | (string & {});

/** What of a template was agreed to: plain JSON, to be kept and given back after a restart. */
export interface PinState {
  schema_id: string;
  revision: number;
  digests: Digests;
  required: string[];
  /** Keys on trial, which may go. */
  experimental: string[];
}

/** Whose form a tool has. */
export type ToolForm = "openai" | "openai-responses" | "anthropic" | "gemini" | "mcp";

/** A message to a model. */
export interface Message {
  role: "system" | "user" | "assistant";
  content: string;
}

/** The caller's function: gives messages and a tool to a model, and answers what the model calls the tool with, as an object or as its JSON. */
export type Model = (messages: Message[], tool: Record<string, unknown>) => Payload | string | Promise<Payload | string>;

export interface ClientOptions {
  /** The key of this client. */
  key?: string;
  /** The name that this client gives itself where the service runs open. */
  client?: string;
  /** Milliseconds that one attempt of a call may take; 30 s by default. */
  timeoutMs?: number;
  /** Milliseconds for which a template is not asked for again; 30 s by default. */
  maxAgeMs?: number;
  /** Is told once of each schema that is to go; `console.warn` by default. */
  onDeprecated?: (template: Template & { deprecation: Deprecation }) => void;
  /** What calls are made with; the `fetch` of the platform by default. */
  fetch?: typeof fetch;
  /** Waits this many milliseconds, and no longer than until the signal. Tests put a clock of their own here. */
  sleep?: (ms: number, signal?: AbortSignal) => Promise<void>;
}

export interface ScenarioOptions {
  /** Which changes are taken without asking; `additive` by default. */
  pin?: Pin;
  /** What was agreed to before a restart, as `pinState` of the scenario gave it. */
  pinState?: PinState;
  /** The language of the descriptions (BCP 47). */
  language?: string;
  /** Whether keys on trial are wanted; they are by default. */
  experimental?: boolean;
}

export interface SubmitOptions {
  /** What the user said. */
  utterance?: string;
  /** Makes a second try safe, also after a restart of this program. By default one is generated for each submission, which the service
   * keeps for ten minutes: name one to submit again later. */
  idempotencyKey?: string;
  /** Repairs of the service with which a refused payload is sent again: the lossless ones by default, with `"all"` also those that may
   * lose something of what was written. */
  repair?: boolean | "all";
  /** Ends the call. */
  signal?: AbortSignal;
}
