// `scenario.aiSdkTool()`: the template as a tool of the Vercel AI SDK, whose execution is a submission.
//
//     import "otherwise-client/ai";

import { jsonSchema, tool } from "ai";
import type { JSONSchema7, Tool } from "ai";

import { Scenario } from "./scenario.js";
import type { Accepted, Payload } from "./types.js";

declare module "./scenario.js" {
  interface Scenario {
    /** The template that is held as a tool: the model fills it, and what it says is submitted. What does not fit is told to the model. */
    aiSdkTool(): Promise<Tool<Payload, Accepted>>;
  }
}

Scenario.prototype.aiSdkTool = function aiSdkTool(this: Scenario) {
  return sdkTool(this);
};

/** The tool of a scenario. */
export async function sdkTool(scenario: Scenario): Promise<Tool<Payload, Accepted>> {
  const { description, inputSchema } = await scenario.tool("mcp");
  return tool({
    description: String(description ?? scenario.name),
    // Not checked here: the service says what does not fit in words that the model can go by.
    inputSchema: jsonSchema<Payload>(inputSchema as JSONSchema7),
    execute: (payload, { abortSignal }) => scenario.submit(payload, abortSignal ? { signal: abortSignal } : {}),
  });
}
