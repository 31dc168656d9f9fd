// A client of Otherwise, a schema registry for AI agents that learns.

export { keyDigest, templateDigest } from "./canonical.js";
export { Otherwise } from "./client.js";
export { DigestRefused, InvalidPayload, OtherwiseError, Stale, Unavailable } from "./errors.js";
export { Follower } from "./follower.js";
export { Scenario } from "./scenario.js";
export type * from "./types.js";
export { verifyWebhook } from "./webhooks.js";
export type { VerifyOptions, WebhookEvent } from "./webhooks.js";
