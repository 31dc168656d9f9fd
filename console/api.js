// The only one that calls the service: credentials, entity tags, what was called, and what failed.

import { useEffect, useRef, useState } from './vendor/hooks.js';
import { setOffset } from './text.js';
import { onEvent, reached } from './live.js';

const CALLS_KEPT = 50;
const KEPT_ANSWERS = 200;
const SETTLE_MS = 250;

/** Where the service is: the folder that this page's own lies in. */
export const BASE = new URL('..', document.baseURI);

/** Where the calls about one thing lie: of `scenarios`, `schemas`, `patches` or `audits`. */
export const at = (kind, id) => `v1/${kind}/${encodeURIComponent(id)}`;

/** Who calls. The key stays in this variable alone, unless the reader keeps it in the tab. */
const who = JSON.parse(sessionStorage.getItem('otherwise.who') ?? '{}');

export const session = () => who;

/** What somebody began to write, kept while other views are looked at. */
export const drafts = new Map();

/** Such a thing by its key, and how it is changed: `null` forgets it. */
export function useDraft(key, first) {
  const [value, hold] = useState(drafts.get(key) ?? first);
  return [value, next => { hold(next ?? first); if (next) drafts.set(key, next); else drafts.delete(key); }];
}

/** Says who calls from now on. */
export function enter({ key, name, kept, anonymous }) {
  Object.assign(who, { key, name, anonymous, looks: false });
  calls = [];
  answers.clear();
  drafts.clear();
  const stored = { name, anonymous, ...(kept && { key }) };
  sessionStorage.setItem('otherwise.who', JSON.stringify(stored));
}

/** Says whether the caller may look without a receipt. */
export const setLooks = may => { who.looks = may; };

/** Forgets it. */
export function leave() {
  enter({});
  sessionStorage.removeItem('otherwise.who');
}

/** The newest calls, newest first, for the drawer. */
export let calls = [];
const watchers = new Set();
export function watchCalls(redraw) {
  watchers.add(redraw);
  return () => watchers.delete(redraw);
}

/** Answers with an entity tag, by who asked and what. */
const answers = new Map();
let counter = 0;

export const credentials = () => (who.key ? { Authorization: `Bearer ${who.key}` } : who.name ? { 'Otherwise-Client': who.name } : {});

function headersOf(method, path, more) {
  const headers = { Accept: 'application/json', 'X-Request-Id': requestId(), ...credentials(), ...more };
  // Looking counts as no delivery: what an operator reads is no client's. Nobody else may say so.
  if (method === 'GET' && who.looks) headers['Otherwise-Receipt'] = 'none';
  const held = method === 'GET' && answers.get(path);
  if (held) headers['If-None-Match'] = held.etag;
  return headers;
}

export function requestId() {
  const random = crypto.getRandomValues(new Uint32Array(2));
  return `console-${random[0].toString(16)}${random[1].toString(16)}-${counter++}`;
}

/** Calls the service. Answers `{status, ok, body, etag, problem}`; `status` 0 where it cannot be reached. Throws only when aborted. */
export async function call(method, path, { body, headers, signal } = {}) {
  const sent = headersOf(method, path, headers);
  if (body !== undefined) sent['Content-Type'] = 'application/json';
  const began = performance.now();
  const note = { method, path, headers: sent, body, id: counter, status: 0 };
  const list = calls;
  let answer;
  try {
    const request = { method, headers: sent, signal, credentials: 'same-origin', cache: 'no-store' };
    if (body !== undefined) request.body = JSON.stringify(body);
    answer = await fetch(new URL(path, BASE), request);
  } catch (error) {
    if (error.name === 'AbortError') throw error;
    keep(list, note, began, 0);
    reached(0);
    return { status: 0, ok: false, problem: { code: 'unreachable' } };
  }
  keep(list, note, began, answer.status);
  reached(answer.status);
  const told = Date.parse(answer.headers.get('Date'));
  if (told) setOffset(Math.round((told - Date.now()) / 1000) * 1000);
  return read(method, path, answer, sent['X-Request-Id']);
}

async function read(method, path, answer, id) {
  const etag = answer.headers.get('ETag');
  if (answer.status === 304) return { status: 200, ok: true, ...answers.get(path) };
  const text = await answer.text();
  let body = text;
  try { body = JSON.parse(text); } catch { /* no JSON: it is told as it came */ }
  if (!answer.ok) {
    const problem = body && typeof body === 'object' ? body : { title: answer.statusText };
    const retry = Number(answer.headers.get('Retry-After'));
    return { status: answer.status, ok: false, problem: { ...problem, status: answer.status, request: id, retry } };
  }
  if (method === 'GET' && etag) {
    answers.set(path, { body, etag });
    if (answers.size > KEPT_ANSWERS) answers.delete(answers.keys().next().value);
  }
  return { status: answer.status, ok: true, body, etag };
}

/** Opens the stream of what happens, after the event with this id. */
export const listen = (last, signal) => fetch(new URL('v1/events', BASE), {
  headers: { Accept: 'text/event-stream', ...credentials(), ...(last && { 'Last-Event-ID': last }) }, signal, credentials: 'same-origin', cache: 'no-store',
});

function keep(list, note, began, status) {
  Object.assign(note, { status, ms: Math.round(performance.now() - began) });
  list.unshift(note);
  list.length = Math.min(list.length, CALLS_KEPT);
  watchers.forEach(redraw => redraw({}));
}

const quoted = text => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same call for a terminal; the key stands as `$OTHERWISE_KEY`. */
export function asCurl({ method, path, headers, body }) {
  const parts = ['curl', '-sS'];
  if (method !== 'GET') parts.push('-X', method);
  parts.push(quoted(new URL(path, BASE).href));
  if (headers.Authorization) parts.push('-H', '"Authorization: Bearer $OTHERWISE_KEY"');
  for (const name of ['Otherwise-Client', 'Otherwise-Receipt', 'If-Match', 'Idempotency-Key', 'Content-Type']) {
    if (headers[name]) parts.push('-H', quoted(`${name}: ${headers[name]}`));
  }
  if (body !== undefined) parts.push('-d', quoted(JSON.stringify(body)));
  return parts.join(' ');
}

/**
 * What a GET answers, `{data, etag, problem, loading, again}`, asked again when something happens in its scenario, of `on` where that is
 * given. Without a path nothing is asked. What came before stays while it is asked anew or cannot be.
 */
export function useCall(path, { scenario, on } = {}) {
  const [state, put] = useState({ loading: true });
  const [turn, again] = useState(0);
  const shown = useRef(null);
  useEffect(() => {
    if (!path) { put({ loading: false }); return undefined; }
    const abort = new AbortController();
    let timer;
    if (shown.current !== path) put({ loading: true });
    const ask = async () => {
      try {
        const answer = await call('GET', path, { signal: abort.signal });
        if (abort.signal.aborted) return;
        shown.current = path;
        put(before => (answer.ok
          ? { data: answer.body, etag: answer.etag, path, loading: false }
          : { ...(before.path === path && before), problem: answer.problem, loading: false }));
        const wait = answer.problem?.retry || (answer.status === 0 ? 3 : 0);
        if (wait) timer = setTimeout(ask, wait * 1000);
      } catch { /* given up for a newer one */ }
    };
    ask();
    const stop = onEvent(event => {
      const isMeant = ['poll', 'reset'].includes(event.event) || (on ? on.includes(event.event) : event.event !== 'tick');
      if (!isMeant || (scenario && event.scenario && event.scenario !== scenario)) return;
      clearTimeout(timer);
      timer = setTimeout(ask, SETTLE_MS);
    });
    return () => { abort.abort(); clearTimeout(timer); stop(); };
  }, [path, turn, scenario]);
  // What is still there of another address is not shown as this one's.
  const own = state.path === path || state.problem || !state.data ? state : { loading: true };
  return { ...own, again: () => again(n => n + 1) };
}
