// `scenario.zod()`: the template as a schema of Zod, for programs that check a payload before they send it.
//
//     import "otherwise-client/zod";
//
// It refuses nothing that the service accepts, but for whole numbers beyond 2^53, which JavaScript cannot tell apart. Beyond what it
// checks the service knows more: the formats that are not in FORMATS, and keys that were withdrawn.

import * as z from "zod";

import { canonical } from "./canonical.js";
import { Scenario } from "./scenario.js";
import type { Key, Payload, Template } from "./types.js";

declare module "./scenario.js" {
  interface Scenario {
    /** The template that is held as a schema of Zod 4. */
    zod(): Promise<z.ZodObject>;
  }
}

Scenario.prototype.zod = async function zod(this: Scenario) {
  return zodSchema(await this.template());
};

/** The keywords of JSON Schema that a key may have; the service admits no others. */
interface Rule {
  type?: unknown;
  enum?: unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  items?: Rule | boolean;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Record<string, Rule | boolean>;
  required?: string[];
  additionalProperties?: Rule | boolean;
}

/** Formats that are checked here; each takes at least what the service takes. */
const FORMATS: Record<string, z.ZodType<string>> = {
  date: z.iso.date(),
  ipv4: z.ipv4(),
  uuid: z.guid(),
};

/** A template as a schema. Keys that it does not have pass, unless it is strict: the service learns from them. */
export function zodSchema(template: Pick<Template, "keys" | "strict" | "description">): z.ZodObject {
  const shape = Object.fromEntries(template.keys.map((key) => [key.key_name, member(key.key_name, described(key), key.required)]));
  const schema = template.strict ? z.strictObject(shape) : z.looseObject(shape);
  return template.description ? schema.describe(template.description) : schema;
}

function described(key: Key): z.ZodType {
  const schema = key.key_name === "other" ? z.union([z.string(), z.array(z.string())]) : ruled({ ...key.constraints, type: key.key_type });
  return schema.describe(key.semantic_description);
}

/** A member of an object. Zod takes what every object inherits, such as its `constructor`, for a value that was given. */
function member(name: string, schema: z.ZodType, required: boolean): z.ZodType {
  const own = required ? schema : schema.optional();
  return name in Object.prototype ? z.preprocess((value) => (value === Object.prototype[name as keyof object] ? undefined : value), own) : own;
}

/** A value of the rule's type, or of any type where it names none; each keyword speaks of values of its own type alone. */
function ruled(rule: Rule | boolean | undefined): z.ZodType {
  if (typeof rule === "boolean") return rule ? z.unknown() : z.never();
  if (rule === undefined || !Object.keys(rule).length) return z.unknown();
  const types = rule.type === undefined ? [] : [rule.type].flat();
  const schemas = (types.length ? types : ["string", "number", "boolean", "array", "object", "null"]).map((type) => typed(String(type), rule));
  const [only, ...others] = schemas;
  const schema = only && !others.length ? only : z.union(schemas);
  const values = rule.enum ?? (rule.const === undefined ? undefined : [rule.const]);
  return values ? listed(schema, values) : schema;
}

/** Values of a list that also fit the rest of the rule. */
function listed(schema: z.ZodType, values: readonly unknown[]): z.ZodType {
  const right = values.filter((value) => schema.safeParse(value).success);
  if (!right.length) return z.never();
  if (right.every((value) => value === null || typeof value !== "object")) return z.literal(right as z.core.util.Literal[]);
  const texts = new Set(right.map(canonical));
  return schema.refine((value) => texts.has(canonical(value)), `One of ${[...texts].join(", ")}`);
}

function typed(type: string, rule: Rule): z.ZodType {
  switch (type) {
    case "string":
      return string(rule);
    case "integer":
      return number(z.int(), rule);
    case "number":
      return number(z.number(), rule);
    case "boolean":
      return z.boolean();
    case "null":
      return z.null();
    case "array":
      return array(rule);
    case "object":
      return object(rule);
    default:
      return z.unknown();
  }
}

/** Lengths count characters, where JavaScript counts the halves of some. */
function string({ minLength = 0, maxLength, pattern, format }: Rule): z.ZodType {
  let schema = z.string();
  if (minLength || maxLength !== undefined) schema = schema.regex(new RegExp(`^[^]{${minLength},${maxLength ?? ""}}$`, "u"));
  if (pattern !== undefined) schema = schema.regex(new RegExp(pattern, "u"));
  const further = Object.hasOwn(FORMATS, format ?? "") ? FORMATS[format!] : undefined;
  return further ? schema.and(further) : schema;
}

function number(schema: z.ZodNumber, { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Rule): z.ZodType {
  if (minimum !== undefined) schema = schema.gte(minimum);
  if (maximum !== undefined) schema = schema.lte(maximum);
  if (exclusiveMinimum !== undefined) schema = schema.gt(exclusiveMinimum);
  if (exclusiveMaximum !== undefined) schema = schema.lt(exclusiveMaximum);
  return multipleOf === undefined ? schema : schema.multipleOf(multipleOf);
}

function array({ items, minItems, maxItems, uniqueItems }: Rule): z.ZodType {
  let schema = z.array(ruled(items));
  if (minItems !== undefined) schema = schema.min(minItems);
  if (maxItems !== undefined) schema = schema.max(maxItems);
  return uniqueItems ? schema.refine((values) => new Set(values.map(canonical)).size === values.length, "No two alike") : schema;
}

function object({ properties = {}, required = [], additionalProperties: rest }: Rule): z.ZodType {
  const undeclared = required.filter((name) => !Object.hasOwn(properties, name));
  const declared = Object.entries(properties).map(([name, rule]): [string, z.ZodType] => [name, member(name, ruled(rule), required.includes(name))]);
  const shape = Object.fromEntries(declared);
  const open = rest === false ? z.strictObject(shape) : z.object(shape).catchall(ruled(rest));
  return undeclared.length ? open.refine((value: Payload) => undeclared.every((name) => Object.hasOwn(value, name)), `Needs ${undeclared.join(", ")}`) : open;
}
