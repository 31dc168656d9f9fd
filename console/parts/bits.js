// The small pieces of every view. What clients and people wrote stands as text: no markup, no links, no hidden controls.

import { h } from '../vendor/preact.js';
import { useEffect, useRef, useState } from '../vendor/hooks.js';
import htm from '../vendor/htm.js';
import { BASE } from '../api.js';
import { useKeys } from '../keys.js';
import { set } from '../router.js';
import { day, moment, now, number, percent, span, t, useZone, word } from '../text.js';

export const html = htm.bind(h);

/** A name of the service's. */
export const code = name => html`<code><bdi>${name}</bdi></code>`;

const SHOWN_MAX = 200;
/** Controls that could turn a line around or hide a part of it. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

export const visible = text => String(text).replace(CONTROLS, control => (control === '\n' ? ' ⏎ '
  : `⟨U+${control.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`));

/** What somebody wrote: in its own direction, the beginning of it at first. */
export function Said({ text, quote }) {
  const [all, show] = useState(false);
  const whole = visible(text ?? '');
  const isCut = !all && whole.length > SHOWN_MAX;
  const shown = isCut ? `${whole.slice(0, SHOWN_MAX)}…` : whole;
  const body = quote ? html`<q dir="auto">${shown}</q>` : html`<bdi>${shown}</bdi>`;
  return html`${body}${isCut && html` <button type="button" class="link" onClick=${() => show(true)}>${t('more')}</button>`}`;
}

/** A sentence of the service, which speaks English; what stands between backquotes in it is a name. */
export function Sentence({ text }) {
  const parts = String(text ?? '').split('`');
  return html`<span lang="en">${parts.map((part, at) => (at % 2 ? html`<code>${visible(part)}</code>` : html`<bdi>${visible(part)}</bdi>`))}</span>`;
}

export const Chip = ({ tone = 'mute', children }) => html`<span class=${`chip ${tone}`}>${children}</span>`;
export const Kbd = ({ children }) => html`<kbd aria-hidden="true">${children}</kbd>`;
export const Busy = () => html`<p class="dim" role="status">${t('loading')}</p>`;

/** The tabs of a view, `[[id, name, count]]`, by number keys; the first one's id is empty. */
export function Tabs({ label, tabs, open = '' }) {
  const turn = id => set({ tab: id, after: '' });
  useKeys(Object.fromEntries(tabs.map(([id], place) => [place + 1, () => turn(id)])));
  return html`<div class="tabs" role="group" aria-label=${label}>${tabs.map(([id, name, count], place) => html`
    <button aria-pressed=${open === id} onClick=${() => turn(id)}>${name}${count !== undefined && ` (${number(count)})`} <${Kbd}>${place + 1}<//></button>`)}</div>`;
}

/** A moment in the reader's zone, in full when pointed at. */
export function Time({ at, short }) {
  useZone();
  if (!at) return html`<span class="dim">–</span>`;
  return html`<time datetime=${at} title=${`${at} · ${ago(at)}`}>${short ? day(at) : moment(at)}</time>`;
}

const ago = at => t('ago', { span: span((now() - new Date(at)) / 1000) });

/** Nothing to show, why, and what would change that. */
export function Empty({ title, text, command, children }) {
  return html`<div class="empty"><h2>${title}</h2>${text && html`<p>${text}</p>`}${command && html`<pre tabindex="0">${command}</pre>`}${children}</div>`;
}

/** What to do about a status that says no more than it must. */
const HINTS = { 401: () => t('problem.unknown'), 403: () => t('problem.forbidden') };

/** Seconds until something is tried again, which nobody wants to have read out one by one. */
function Countdown({ from, say }) {
  const [left, put] = useState(from);
  useEffect(() => {
    const timer = setInterval(() => put(n => Math.max(0, n - 1)), 1000);
    return () => clearInterval(timer);
  }, []);
  return html`<span aria-live="off">${say(left)}</span>`;
}

/** What failed: title, detail, code with what it means, and a way to try again. */
export function Problem({ problem, again, data }) {
  if (!problem) return null;
  if (problem.code === 'unreachable') {
    return html`<div class="card problem" role="alert"><h2>${t('problem.unreachable')}</h2>
      ${data && html`<p>${t('problem.stale')}</p>`}
      ${again && html`<p>${t('problem.unreachable_why')}</p><button type="button" onClick=${again}>${t('problem.again')}</button>`}</div>`;
  }
  const { title, detail, code, status, request, retry } = problem;
  return html`<div class="card problem" role="alert">
    <h2><bdi lang="en">${title}</bdi> <${Chip} tone="bad">${status}<//></h2>
    ${detail && html`<p><${Sentence} text=${detail} /></p>`}
    ${request && HINTS[status] && html`<p>${HINTS[status]()}</p>`}
    ${(problem.defects ?? problem.violations ?? []).map(defect => html`<p class="sm"><code>${defect.pointer ?? defect.path ?? ''}</code> <${Sentence} text=${defect.message ?? defect.detail} /></p>`)}
    ${request && html`<p class="sm dim">${code && html`<a href=${new URL(`problems/${code}`, BASE).href} target="_blank" rel="noreferrer">${code}</a> · `}
      ${t('problem.request')} <code>${request}</code>${retry > 0 && html` · <${Countdown} key=${request} from=${retry} say=${n => t(again ? 'problem.retry' : 'problem.wait', { n })} />`}</p>`}
    ${again && html`<button type="button" onClick=${again}>${t('problem.again')}</button>`}
  </div>`;
}

/** What stands where an answer is not there: why it does not come, or that it is waited for. */
export const instead = ({ problem, again }) => (problem ? html`<${Problem} problem=${problem} again=${again} />` : html`<${Busy} />`);

/** How long a reader has not typed before the service is asked. */
const QUIET_MS = 150;

/** A field that says a parameter of the address after a moment of quiet, with `more`; `takes` says which words are whole. */
export function Typed({ label, name, value, more, takes = () => true, ...field }) {
  const [typed, put] = useState(value);
  const said = useRef(value);
  useEffect(() => {
    if (typed === value || !takes(typed)) return undefined;
    const timer = setTimeout(() => { said.current = typed; set({ ...more, [name]: typed }); }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  // A link is followed; what the field itself said is not, since more may be typed by now.
  useEffect(() => { if (value !== said.current) put(said.current = value); }, [value]);
  return html`<label>${label}<input autocomplete="off" spellcheck=${false} value=${typed} onInput=${event => put(event.target.value)} ...${field} /></label>`;
}

/** What a key takes, in few words. */
export function typeOf(key) {
  const values = key?.constraints?.enum;
  return values ? `${key.key_type} · ${t('values', { n: values.length })}` : key?.key_type ?? '';
}

/** Whom a key is for. */
export function Audience({ audience }) {
  if (!audience || audience.kind === 'global') return null;
  return html` <${Chip}>${word('audience', audience.kind)} <bdi>${audience.id}</bdi><//>`;
}

const GLYPHS = { bad: '✕', warn: '!', ok: '✓', info: '~', mute: '·' };

/** A judgement by glyph, word and colour together. */
export const Mark = ({ tone, children }) => html`<${Chip} tone=${tone}><span aria-hidden="true">${GLYPHS[tone]}</span> ${children}<//>`;

/** What the rule would say of a trial, by what was counted when; with its `gates` also between what. */
export function Foretold({ backtest, gates }) {
  const foretold = backtest?.prediction;
  if (!backtest) return html`<span class="dim sm">${t('foretold.none')}</span>`;
  const tones = { promote: 'ok', deprecate: 'bad', extend: 'warn', wait: 'mute' };
  return html`${foretold && html`<${Mark} tone=${tones[foretold.verdict] ?? 'mute'}>${word('foretold', foretold.verdict)}<//><br />`}
    <span class="dim sm">${t('foretold.share', { share: percent(backtest.share), n: backtest.payloads })} <${Time} short=${!gates} at=${backtest.at} />${gates && html`<br />${t('measured.edges', { stays: percent(gates.usage.stays), leaves: percent(gates.usage.leaves) })}`}</span>`;
}

/** A button for a deed: disabled where the caller may not, with who may. */
export function Deed({ may, needs = 'operator', tone = '', onClick, disabled, type = 'button', k, children }) {
  const denied = may === false;
  const why = denied ? t('may_not', { role: needs }) : undefined;
  return html`<button type=${type} class=${tone} disabled=${denied || disabled} title=${why} onClick=${onClick}>${children}${k && !denied && html` <${Kbd}>${k}<//>`}${denied && html` <span class="sm">(${why})</span>`}</button>`;
}
