// Every way to fail, by which a program can tell what to do next.

import type { Problem, Violation } from "./types.js";

/** Values of a closed list that a message names: a dozen is read, more is searched. */
const VALUES_TOLD_MAX = 12;

/** A call that failed. `code` is stable: docs/errors.md lists those of the service. */
export class OtherwiseError extends Error {
  override readonly name: string = "OtherwiseError";
  readonly code: string;
  /** The status of HTTP, where there was an answer. */
  readonly status: number | undefined;
  readonly title: string;
  readonly detail: string;
  /** The service's own document, where it sent one. */
  readonly problem: Problem | undefined;

  constructor(about: { code: string; status?: number | undefined; title: string; detail: string; problem?: Problem | undefined }, cause?: unknown) {
    super(`${about.title}: ${about.detail}`, { cause });
    this.code = about.code;
    this.status = about.status;
    this.title = about.title;
    this.detail = about.detail;
    this.problem = about.problem;
  }
}

/** The payload does not fit the template. The message says why in words that a model can go by; it holds no value of the payload. */
export class InvalidPayload extends OtherwiseError {
  override readonly name = "InvalidPayload";
  readonly violations: readonly Violation[];

  constructor(problem: Problem) {
    const violations = problem.violations ?? [];
    super({ ...problem, detail: [problem.detail, ...violations.map(told)].join("\n- "), problem });
    this.violations = violations;
  }

  /** The reasons, each with what would have been right, for a model that tries again. */
  advice(): string {
    return `The payload was refused. Mend this and call the tool again with the whole payload:\n${this.violations.map((one) => `- ${told(one)}`).join("\n")}`;
  }
}

/** The template has changed in a way that the pin does not take. Look at the keys, then call `accept()` on the scenario. */
export class DigestRefused extends OtherwiseError {
  override readonly name = "DigestRefused";
  readonly keys: readonly string[];

  constructor(scenario: string, keys: readonly string[]) {
    const detail = `${keys.join(", ")} of ${scenario} changed since the template was accepted; look at them, then call accept()`;
    super({ code: "digest_refused", title: "Template has changed", detail });
    this.keys = keys;
  }
}

/** The schema that the client holds is gone. The next call fetches the one in force: fill that one. */
export class Stale extends OtherwiseError {
  override readonly name = "Stale";
}

/** The service could not be reached, or was busy or broken, as often as it was tried. */
export class Unavailable extends OtherwiseError {
  override readonly name = "Unavailable";
  /** Milliseconds after which the service wants to be asked again; 0 where it did not say. */
  retryAfterMs = 0;
  /** Of a submission: it may be on record. Submit the same again under this key, and it is no second one: for ten minutes where the key
   * was generated here, as long as the service keeps keys where the caller named it. */
  idempotencyKey: string | undefined;
}

/** The error for an answer that no service gives. */
export function badAnswer(detail: string, status?: number): OtherwiseError {
  return new OtherwiseError({ code: "bad_answer", status, title: "Answer cannot be read", detail });
}

/** Where a violation is, what would fit, and how it is repaired. */
function told({ pointer, message, expected, repair }: Violation): string {
  const listed = (expected as { enum?: unknown[] } | undefined)?.enum;
  const isNamed = listed !== undefined && message.includes(JSON.stringify(listed[0]));
  const values = isNamed ? undefined : listed;
  const more = values && values.length > VALUES_TOLD_MAX ? ` and ${values.length - VALUES_TOLD_MAX} more` : "";
  const fits = values ? `; one of ${values.slice(0, VALUES_TOLD_MAX).map((value) => JSON.stringify(value)).join(", ")}${more}` : expected && !isNamed ? `; expected ${JSON.stringify(expected)}` : "";
  return `${pointer}: ${message}${fits}${repair ? `; repair: ${JSON.stringify(repair)}` : ""}`;
}
