// Server-Sent Events, as they come by `fetch`: a browser's EventSource sends no key.

import { badAnswer } from "./errors.js";

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
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return; // What no blank line ended is not an event.
      onBytes();
      const seen = rest.endsWith("\r") ? rest.length - 1 : rest.length;
      const text = rest + decoder.decode(value, { stream: true });
      let start = 0;
      // A carriage return at the end may be half of a line end.
      const lineEnd = /\r\n|\n|\r(?!$)/g;
      lineEnd.lastIndex = seen;
      for (let end; (end = lineEnd.exec(text)); ) {
        const line = text.slice(start, end.index);
        start = lineEnd.lastIndex;
        size += line.length + 1;
        if (line !== "") block.push(line);
        else {
          if (block.length) yield event(block);
          [block, size] = [[], 0];
        }
      }
      rest = text.slice(start);
      if (size + rest.length > EVENT_CHARS_MAX) throw badAnswer("an event is longer than any of the service");
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
