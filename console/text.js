// What the page says, in the reader's language: sentences by id, numbers, shares and times.

import { useEffect, useState } from './vendor/hooks.js';

const LANGUAGE = 'en';
const plural = new Intl.PluralRules(LANGUAGE);
const whole = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(LANGUAGE, { maximumFractionDigits: 1 });
const share = new Intl.NumberFormat(LANGUAGE, { style: 'percent', maximumFractionDigits: 1 });

let sentences = {};

/** Loads the sentences; nothing is drawn before. */
export async function load() {
  const answer = await fetch(`text/${LANGUAGE}.json`, { credentials: 'same-origin' });
  sentences = await answer.json();
}

/** The sentence of an id; `{name}` in it stands for a value, and `n` chooses between its forms. */
export function t(id, values = {}) {
  let sentence = sentences[id];
  if (sentence && typeof sentence === 'object') sentence = sentence[plural.select(values.n)] ?? sentence.other;
  if (sentence === undefined) return id;
  return sentence.replace(/\{(\w+)\}/g, (all, name) => {
    const value = values[name];
    return value === undefined ? all : typeof value === 'number' ? number(value) : String(value);
  });
}

/** What a code of the service is called here: of a group of ids; a code that is not known stands as it is. */
export function word(group, code) {
  return sentences[`${group}.${code}`] ?? String(code ?? '').replaceAll('_', ' ');
}

export const number = value => (Math.abs(value) < 100 && value % 1 ? tenths : whole).format(value);

/** A share of one as percent, or a dash where there is none. */
export const percent = value => (value === null || value === undefined ? '–' : share.format(value).replace('%', '\u00a0%'));

const DAY_S = 86400;

/** How long something takes, in its largest unit. */
export function span(seconds) {
  const s = Math.max(0, Math.round(seconds));
  if (s < 60) return t('span.s', { n: s });
  if (s < 3600) return t('span.min', { n: Math.floor(s / 60) });
  if (s < 2 * DAY_S) return t('span.h', { n: Math.floor(s / 3600) });
  return t('span.d', { n: Math.floor(s / DAY_S) });
}

let zone = localStorage.getItem('otherwise.zone') === 'local' ? undefined : 'UTC';
const watchers = new Set();
let offset = 0;

/** Milliseconds by which the service's clock is ahead of this one. */
export const setOffset = ms => { offset = ms; };
export const clockOffset = () => offset;
export const now = () => Date.now() + offset;

export const zoneIsLocal = () => zone === undefined;

/** Between UTC and the browser's own zone. */
export function switchZone() {
  zone = zone ? undefined : 'UTC';
  localStorage.setItem('otherwise.zone', zone ? 'utc' : 'local');
  watchers.forEach(redraw => redraw({}));
}

/** Draws the caller anew when the zone changes. */
export function useZone() {
  const [, redraw] = useState();
  useEffect(() => {
    watchers.add(redraw);
    return () => watchers.delete(redraw);
  }, []);
}

const formats = new Map();

function format(kind, options) {
  const key = `${kind} ${zone}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat('en-GB', { ...options, timeZone: zone }));
  return formats.get(key);
}

/** A moment with its zone: 25 Nov 2026, 08:49 UTC. */
export const moment = at => format('moment', {
  day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', timeZoneName: 'short',
}).format(new Date(at));

/** Its date alone: 25 Nov. Days of the service are days of UTC whatever the zone. */
export const day = at => (/^\d{4}-\d\d-\d\d$/.test(at)
  ? new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
  : format('day', { day: 'numeric', month: 'short' })).format(new Date(at));
