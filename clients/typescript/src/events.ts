// Server-Sent Events, as they come by `fetch`: a browser's EventSource sends no key.

import { OtherwiseError } from "./errors.js";

/** Characters of one event; an update holds some keys, and whoever sends more is not the service. */
const EVENT_CHARS_MAX = 8 * 1024 * 1024;

export interface ServerEvent {
  event: string;
  data: string;
  id?: string;
  /** Milliseconds before the next connection, where the service says so. */
  retryMs?: number;
}

/** The events of a stream, in order; one for each blank line, also where it brings nothing but an id or a pause. */
export async function* serverEvents(stream: ReadableStream<Uint8Array>, onBytes: () => void): AsyncGenerator<ServerEvent> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let block: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return; // What no blank line ended is not an event.
      onBytes();
      rest += decoder.decode(value, { stream: true });
      // A carriage return at the end may be half of a line end.
      for (let end; (end = /\r\n|\n|\r(?!$)/.exec(rest)); ) {
        const line = rest.slice(0, end.index);
        rest = rest.slice(end.index + end[0].length);
        if (line !== "") block.push(line);
        else if (block.length) {
          yield event(block);
          block = [];
        }
      }
      if (rest.length + block.reduce((sum, line) => sum + line.length, 0) > EVENT_CHARS_MAX) {
        throw new OtherwiseError({ code: "bad_answer", title: "Stream cannot be read", detail: "an event is longer than any of the service" });
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function event(lines: readonly string[]): ServerEvent {
  const read: ServerEvent = { event: "message", data: "" };
  const data: string[] = [];
  for (const line of lines) {
    const [, name, value = ""] = /^([^:]*):? ?([^]*)$/.exec(line) ?? [];
    if (name === "data") data.push(value);
    else if (name === "event") read.event = value;
    else if (name === "id") read.id = value;
    else if (name === "retry" && /^\d+$/.test(value)) read.retryMs = Number(value);
  }
  read.data = data.join("\n");
  return read;
}
