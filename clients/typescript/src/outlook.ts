// What is to become of the schema that was served, as the headers of an answer say it.

import type { Deprecation } from "./types.js";

/** What the last answer said. */
export interface Outlook {
  deprecation?: Deprecation;
  latest?: string;
}

/** Reads the headers; nothing is there of what they do not say. */
export function outlookOf(headers: Headers): Outlook {
  const outlook: Outlook = {};
  const latest = headers.get("otherwise-latest");
  if (latest !== null) outlook.latest = latest;
  const since = moment(Number(/^@(-?\d+)$/.exec(headers.get("deprecation") ?? "")?.[1] ?? NaN) * 1000);
  if (since === undefined) return outlook;
  const sunset = moment(Date.parse(headers.get("sunset") ?? ""));
  const link = /<([^>]*)>[^<]*?;\s*rel="?deprecation\b/i.exec(headers.get("link") ?? "")?.[1];
  outlook.deprecation = { since, ...(sunset !== undefined && { sunset }), ...(link !== undefined && { link }) };
  return outlook;
}

/** Says on the console that a schema is to go. */
export function warn({ schema_id, deprecation: { since, sunset, link }, latest }: { schema_id: string; latest?: string; deprecation: Deprecation }): void {
  const gone = sunset === undefined ? "" : `, and may be gone from ${sunset} on`;
  const instead = latest === undefined ? "" : `; version ${latest} is in force`;
  console.warn(`${schema_id} is deprecated since ${since}${gone}${instead}${link === undefined ? "" : ` (${link})`}`);
}

/** Milliseconds since 1970 as RFC 3339 has them; none where they are no moment. */
function moment(ms: number): string | undefined {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString().replace(".000", "") : undefined;
}
