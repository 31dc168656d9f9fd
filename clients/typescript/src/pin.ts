// What a client agreed to, and which changes of a template go beyond it.

import type { Pin, Template } from "./types.js";

/** Pins by what is taken; any other is a range of versions. */
const KINDS = ["additive", "exact", "none"];

/** The range of versions that goes to the service, where the pin is one. */
export function versionOf(pin: Pin): string | undefined {
  return KINDS.includes(pin) ? undefined : pin;
}

/** The keys of a served template that the pin does not take, given the one that is held. */
export function refusedKeys(pin: Pin, held: Template, served: Template): string[] {
  if (pin === "none") return [];
  const before = new Map(held.keys.map((key) => [key.key_name, key]));
  const refused: string[] = [];
  for (const { key_name, required } of served.keys) {
    const was = before.get(key_name);
    before.delete(key_name);
    const changed = was && (held.key_digests[key_name] !== served.key_digests[key_name] || (required && !was.required));
    if (changed || (!was && (required || pin === "exact"))) refused.push(key_name);
  }
  // A key on trial was never promised to stay.
  for (const { key_name, experimental } of before.values()) if (!experimental || pin === "exact") refused.push(key_name);
  return refused;
}
