// Writes the types of the API that the client uses, out of the description of the HTTP interface:
//
//     node scripts/types.mjs ../../docs/openapi.json src/api.ts
//
// Only the schemas that the client names, and what they refer to: what else the service can do is none of this package.

import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const NAMED = ["Accepted", "EffectiveTemplate", "ProblemDocument", "Scenarios", "Submission", "Updates"];

/** The schemas of these names with all that they refer to, in the order of their names. */
function reachable(schemas, names) {
  const found = new Map();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (found.has(name)) continue;
    if (!schemas[name]) throw new Error(`the description has no schema ${name}`);
    found.set(name, schemas[name]);
    for (const [, other] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) waiting.push(other);
  }
  return Object.fromEntries([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}

const [from, to] = process.argv.slice(2);
const { openapi, info, components } = JSON.parse(await readFile(from, "utf8"));
const trimmed = { openapi, info, paths: {}, components: { schemas: reachable(components.schemas, NAMED) } };
const text = astToString(await openapiTS(trimmed, { alphabetize: true, emptyObjectsUnknown: true }));
await writeFile(to, `// Written by \`npm run types\` out of docs/openapi.json; a test holds the two together.\n\n${text}`);
