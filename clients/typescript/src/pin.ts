// What a client agreed to, and which changes of a template go beyond it.

import type { Key, Pin, PinState, Template } from "./types.js";

/** Pins by what is taken; any other is a range of versions. */
const KINDS = ["additive", "exact", "none"];

/** The range of versions that goes to the service, where the pin is one. */
export function versionOf(pin: Pin): string | undefined {
  return KINDS.includes(pin) ? undefined : pin;
}

/** What of a template is agreed to by taking it. */
export function stateOf({ schema_id, revision, keys, key_digests }: Template): PinState {
  const names = (isMeant: (key: Key) => unknown) => keys.filter(isMeant).map(({ key_name }) => key_name).sort();
  return { schema_id, revision, digests: { ...key_digests }, required: names(({ required }) => required), experimental: names(({ experimental }) => experimental) };
}

/** A state as it was given back, once it is one. */
export function checked(state: PinState): PinState {
  const { digests, required, experimental } = state ?? {};
  if (typeof digests === "object" && digests !== null && Array.isArray(required) && Array.isArray(experimental)) return structuredClone(state);
  throw new TypeError("pinState is what `pinState` of a scenario gave: give it back as it was");
}

/** The keys of a served template that the pin does not take, given what was agreed to. */
export function refusedKeys(pin: Pin, agreed: PinState, served: PinState): string[] {
  if (pin === "none") return [];
  const [before, after] = [agreed.digests, served.digests];
  return Object.keys({ ...before, ...after }).filter((name) => {
    const demanded = served.required.includes(name) && !agreed.required.includes(name);
    if (before[name] === undefined) return demanded || pin === "exact";
    // A key on trial was never promised to stay.
    if (after[name] === undefined) return pin === "exact" || !agreed.experimental.includes(name);
    return demanded || before[name] !== after[name];
  });
}
