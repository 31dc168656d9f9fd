// A model that says what a script says, over the protocol of OpenAI's Chat Completions, on loopback.

import assert from "node:assert/strict";

import { body, listen } from "./service.js";

/** What the model is asked with. */
export interface Asked {
  messages: { role: string; content: unknown; tool_calls?: unknown }[];
  tools?: { type: string; function: { name: string; description: string; parameters: unknown } }[];
}

/** What the model says: words, or a call of a tool. */
export type Says = string | { tool: string; arguments: unknown };

export async function scripted(script: Says[]): Promise<{ url: string; asked: Asked[]; end: () => Promise<void> }> {
  const asked: Asked[] = [];
  const { url, end } = await listen(async (request, response) => {
    const says = script[asked.length];
    asked.push(JSON.parse(await body(request)) as Asked);
    const id = `call_${asked.length}`;
    const message =
      typeof says === "object"
        ? { content: null, tool_calls: [{ id, type: "function", function: { name: says.tool, arguments: JSON.stringify(says.arguments) } }] }
        : { content: says };
    response.writeHead(says === undefined ? 500 : 200, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify({
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 0,
        model: "scripted",
        choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: typeof says === "object" ? "tool_calls" : "stop" }],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }),
    );
  });
  const whole = async () => {
    await end();
    assert.equal(asked.length, script.length, "times that the model was asked");
  };
  return { url: `${url}/v1`, asked, end: whole };
}
