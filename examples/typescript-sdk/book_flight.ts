// Books a flight with the AI SDK: a model fills the template of the scenario, and what it says is submitted.
//
//     npm install ai @ai-sdk/openai-compatible    # and the package of clients/typescript, as its README says
//     MODEL_URL=http://127.0.0.1:8000/v1 node book_flight.ts 'From Beijing to Shanghai on May 4th, at a window please.'
//
// The model is any that speaks OpenAI's protocol; the service runs on 127.0.0.1:8080, or where OTHERWISE_URL says. Node runs this
// file as it is from version 22.18 on; before that, compile it with tsc.

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { ToolLoopAgent } from "ai";
import { Otherwise } from "otherwise-client";
import "otherwise-client/ai";

const { MODEL_URL: baseURL = "http://127.0.0.1:8000/v1", OTHERWISE_URL = "http://127.0.0.1:8080" } = process.env;
const flights = new Otherwise(OTHERWISE_URL, { client: "ana" }).scenario("flight_booking");
const agent = new ToolLoopAgent({
  model: createOpenAICompatible({ name: "local", baseURL })("any"),
  tools: { flight_booking: await flights.aiSdkTool() },
});
const { text } = await agent.generate({ prompt: process.argv[2] ?? "From Beijing to Shanghai on May 4th, at a window please." });
console.log(text);
