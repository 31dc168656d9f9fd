// What a client does on every platform: read, check, submit, follow. No word of any platform but `fetch`.

import { keyDigest, Otherwise } from "otherwise-client";
import type { Updates } from "otherwise-client";

/** A session with the service at this address, by a platform of this name; says how it went. */
export async function session(url: string, platform: string): Promise<string> {
  const otherwise = new Otherwise(url, { client: platform });
  const publish = (minor: number) =>
    fetch(`${url}/v1/schemas/${platform}_v${minor}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
        schema_id: `${platform}_v${minor}`,
        scenario: platform,
        version: `1.${minor}.0`,
        keys: [
          { key_name: "zone", key_type: "string", required: true, semantic_description: "Fare zone. Acceptable values: inner, outer." },
          ...(minor ? [{ key_name: "tickets", key_type: "integer", required: false, semantic_description: "How many tickets. Range: 1-9." }] : []),
          { key_name: "other", key_type: "string", required: false, semantic_description: "What no other key can hold." },
        ],
      }),
    });
  await publish(0);
  const scenario = otherwise.scenario(platform);
  const { keys, key_digests } = await scenario.template();
  for (const key of keys) if ((await keyDigest(key)) !== key_digests[key.key_name]) throw new Error(`the digest of ${key.key_name}`);
  const { payload, exchange } = await scenario.submit({ zone: "Inner", other: "a window seat" });
  const updates = await new Promise<Updates>((resolve, reject) => {
    const follower = scenario.onChange((updates) => {
      resolve(updates);
      follower.close();
    });
    follower.closed.catch(reject);
    publish(1).catch(reject);
  });
  const names = (await scenario.template()).keys.map(({ key_name }) => key_name);
  return `${exchange.status} ${JSON.stringify(payload)} ${updates.schema_id} ${names}`;
}
