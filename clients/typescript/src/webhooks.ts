// For receivers of webhooks: whether a letter is from the service, as Standard Webhooks says.

import { OtherwiseError } from "./errors.js";

/** Seconds that a letter's moment may be from now; the same as in the libraries of Standard Webhooks. */
const TOLERANCE_S = 300;

/** A letter: a CloudEvents 1.0 event. It may come twice: its `id` is the same then. */
export interface WebhookEvent {
  specversion: "1.0";
  id: string;
  source: string;
  type: string;
  subject?: string;
  time: string;
  data: Record<string, unknown>;
}

export interface VerifyOptions {
  toleranceS?: number;
  /** Seconds since 1970; now by default. */
  now?: number;
}

/**
 * Reads a letter, if the service that knows one of these secrets sent it, and sent it just now. Give several secrets while one takes the
 * place of another. `body` is what came, as it came: parsed and written again, it has another signature.
 *
 * @throws OtherwiseError with the code `bad_signature` where it is anybody else's
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: Headers | Readonly<Record<string, string | string[] | undefined>>,
  body: string | Uint8Array<ArrayBuffer>,
  { toleranceS = TOLERANCE_S, now = Date.now() / 1000 }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const given = headers instanceof Headers ? headers : new Headers(Object.entries(headers).flatMap(([name, value]): [string, string][] => (typeof value === "string" ? [[name, value]] : [])));
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => given.get(name));
  if (!id || !timestamp || !signatures) throw refusal("webhook-id, webhook-timestamp or webhook-signature is missing");
  if (!/^\d+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > toleranceS) throw refusal("webhook-timestamp is not of now: an old letter sent again, or a clock is wrong");
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const signed = new Uint8Array(await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer());
  const candidates = signatures.split(" ").flatMap((one) => (one.startsWith("v1,") ? (decoded(one.slice(3)) ?? []) : []));
  for (const one of typeof secret === "string" ? [secret] : secret) {
    const raw = decoded(one.replace(/^whsec_/, ""));
    if (!raw?.length) throw new TypeError("a secret is `whsec_` and base64, as the registration answered it");
    const key = await crypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
    for (const candidate of candidates) {
      if (await crypto.subtle.verify("HMAC", key, candidate, signed)) return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent;
    }
  }
  throw refusal("no signature is of a secret that is known here");
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function refusal(detail: string): OtherwiseError {
  return new OtherwiseError({ code: "bad_signature", title: "Letter is not the service's", detail });
}
