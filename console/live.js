// What happens, told to every tab: one of them reads `GET /v1/events` and hands it on, since browsers give a host six connections in all.
// Where there are no events, no locks or no channel, each tab asks again every 15 seconds.

import { useEffect, useState } from './vendor/hooks.js';

const POLL_MS = 15000;
const RETRY_MS = 3000;
const RETRY_MAX_MS = 30000;

const listeners = new Set();
const watchers = new Set();
let state = { mode: 'starting', since: Date.now() };
let streaming = false;

/** Hears of what happens: `{event, scenario?, …}`, every 15 seconds `poll` where nothing is told, and else `tick`. Answers how to hear no more. */
export function onEvent(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const tell = event => listeners.forEach(listener => listener(event));

function become(mode) {
  if (state.mode === mode) return;
  const wasLost = state.mode === 'lost';
  state = { mode, since: Date.now() };
  watchers.forEach(put => put(state));
  if (wasLost && mode !== 'lost') tell({ event: 'reset' });
}

/** `{mode, since}`: `live`, `poll`, or `lost` since when. */
export function useLive() {
  const [shown, put] = useState(state);
  useEffect(() => {
    watchers.add(put);
    put(state);
    return () => watchers.delete(put);
  }, []);
  return shown;
}

/** Whether a status is not the service's own, but that of what stands before it. */
const isAway = status => [0, 502, 504].includes(status);

/** Hears how a call was answered, where that is all that is known of the service. */
export function reached(status) {
  if (state.mode === 'poll' && isAway(status)) become('lost');
  if (state.mode === 'lost' && !isAway(status)) become('poll');
}

/** Begins to listen as this caller; `open` opens the stream, where the caller may. Answers how to end it. */
export function start(name, open) {
  const abort = new AbortController();
  streaming = false;
  const timer = setInterval(() => {
    if (!document.hidden) tell({ event: streaming ? 'tick' : 'poll' });
  }, POLL_MS);
  const stop = () => { abort.abort(); clearInterval(timer); become('starting'); };
  if (!open || !navigator.locks || !globalThis.BroadcastChannel) { become('poll'); return stop; }
  const channel = new BroadcastChannel(`otherwise ${location.pathname} ${name}`);
  channel.onmessage = ({ data }) => hear(data);
  abort.signal.addEventListener('abort', () => channel.close());
  const share = data => { hear(data); if (!abort.signal.aborted) channel.postMessage(data); };
  channel.postMessage({ ask: true });
  function hear(data) {
    if (data.ask) { if (leads) channel.postMessage({ mode: state.mode }); return; }
    if (data.mode) { streaming = data.mode === 'live'; become(data.mode); } else tell(data);
  }
  let leads = false;
  navigator.locks.request(channel.name, { signal: abort.signal }, async () => {
    leads = true;
    await follow(open, abort.signal, share);
  }).catch(() => {});
  return stop;
}

/** Reads the stream for as long as this tab leads; opens it again where it ends. */
async function follow(open, signal, share) {
  let last = null;
  let wait = RETRY_MS;
  while (!signal.aborted) {
    let mode = 'lost';
    try {
      const answer = await open(last, signal);
      if (answer.ok) {
        share({ mode: 'live' });
        wait = RETRY_MS;
        await lines(answer.body, (event, data, id) => {
          if (id) last = id;
          if (event !== 'bye') share({ ...data, event });
        });
      } else if (!isAway(answer.status)) mode = 'poll';
    } catch { /* it is tried again */ }
    if (signal.aborted) return;
    share({ mode });
    await new Promise(done => setTimeout(done, wait));
    wait = Math.min(2 * wait, RETRY_MAX_MS);
  }
}

/** Server-Sent Events out of a body. */
async function lines(body, take) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const blocks = rest.split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const fields = { event: 'message', data: '' };
      for (const line of block.split(/\r?\n/)) {
        const [, name, text] = /^(\w+): ?(.*)$/.exec(line) ?? [];
        if (name === 'data') fields.data += text; else if (name) fields[name] = text;
      }
      if (!fields.data) continue;
      let data = {};
      try { data = JSON.parse(fields.data); } catch { /* no news */ }
      take(fields.event, data, fields.id);
    }
  }
}
