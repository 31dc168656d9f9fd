// The canonical form of JSON (RFC 8785), and the digests that are made of it.

import type { Key, Template } from "./types.js";

/** JSON in the one form that everybody writes alike: no space, and members in the order of their names' code units. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

/** `sha256:` and the digest of a text in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256:${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** What the service gives as the digest of a key: of what a model goes by, and nothing else. */
export function keyDigest({ key_name, key_type, semantic_description, constraints = {} }: Key): Promise<string> {
  return sha256(canonical({ constraints, key_name, key_type, semantic_description }));
}

/** The header `Otherwise-Digest` of a template: one digest over all of its keys. */
export function templateDigest({ key_digests }: Pick<Template, "key_digests">): Promise<string> {
  return sha256(canonical(key_digests));
}
