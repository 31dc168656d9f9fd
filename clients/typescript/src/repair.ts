// Repairs: the JSON Patch operations (RFC 6902) that the service offers with a violation.

import type { components } from "./api.js";
import type { Payload, Violation } from "./types.js";

type Operation = components["schemas"]["RepairOperation"];
type Container = Record<string, unknown> | unknown[];

/** Characters of JSON that a copied value may take: copies of copies would grow without an end. */
const COPIED_CHARS_MAX = 1024 * 1024;

/**
 * The payload with all repairs; none where a violation has no repair, or one that does not fit the payload. Those that may lose something
 * of what the caller wrote are applied with `lossy` alone.
 */
export function repaired(payload: Payload, violations: readonly Violation[], lossy = false): Payload | undefined {
  if (violations.length === 0 || !violations.every((one) => Array.isArray(one.repair) && one.repair.length)) return undefined;
  const submission = { payload: structuredClone(payload) };
  const operations = violations.flatMap((one) => one.repair ?? []).filter(isContainer) as Operation[];
  if (!lossy && !operations.every(({ lossless }) => lossless === true)) return undefined;
  return operations.every((operation) => apply(submission, operation)) ? submission.payload : undefined;
}

/** Carries one operation out; says whether that could be done. */
function apply(document: Container, { op, path, from, value }: Operation): boolean {
  switch (op) {
    case "add":
      return add(document, path, structuredClone(value));
    case "replace":
      return read(document, path) !== undefined && put(document, path, structuredClone(value));
    case "remove":
      return remove(document, path);
    case "copy":
    case "move": {
      const value = from === undefined ? undefined : read(document, from);
      const isHuge = op === "copy" && (JSON.stringify(value) ?? "").length > COPIED_CHARS_MAX;
      const moved = isHuge ? undefined : structuredClone(value);
      if (from === undefined || moved === undefined || (op === "move" && !remove(document, from))) return false;
      return add(document, path, moved);
    }
    default:
      return false;
  }
}

/** The container above the last step of a pointer that leads into the payload, and that step. */
function above(document: Container, pointer: unknown): [Container, string] | undefined {
  if (typeof pointer !== "string") return undefined;
  const steps = pointer.split("/").slice(1).map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = steps.pop();
  if (last === undefined || steps[0] !== "payload") return undefined;
  let at: unknown = document;
  for (const step of steps) at = isContainer(at) && Object.hasOwn(at, step) ? (at as Record<string, unknown>)[step] : undefined;
  return isContainer(at) ? [at, last] : undefined;
}

function read(document: Container, pointer: string): unknown {
  const place = above(document, pointer);
  return place && Object.hasOwn(place[0], place[1]) ? (place[0] as Record<string, unknown>)[place[1]] : undefined;
}

function put(document: Container, pointer: string, value: unknown): boolean {
  const place = above(document, pointer);
  // A name such as `__proto__` is a member like any other, which an assignment would not make.
  if (place) Object.defineProperty(place[0], place[1], { value, writable: true, enumerable: true, configurable: true });
  return place !== undefined;
}

function add(document: Container, pointer: string, value: unknown): boolean {
  const place = above(document, pointer);
  if (!place || !Array.isArray(place[0])) return put(document, pointer, value);
  const index = place[1] === "-" ? place[0].length : Number(place[1]);
  if (!Number.isInteger(index) || index < 0 || index > place[0].length) return false;
  place[0].splice(index, 0, value);
  return true;
}

function remove(document: Container, pointer: string): boolean {
  const place = above(document, pointer);
  if (!place || !Object.hasOwn(place[0], place[1])) return false;
  const [container, step] = place;
  if (Array.isArray(container)) container.splice(Number(step), 1);
  else delete container[step];
  return true;
}

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}
