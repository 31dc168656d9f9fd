// A deed asks before it is done: what it does, a reason for the record, and what came of it.

import { useEffect, useRef, useState } from '../vendor/hooks.js';
import { at, call } from '../api.js';
import { href } from '../router.js';
import { t } from '../text.js';
import { Mark, Problem, Sentence, html } from './bits.js';

/** A dialog that has the focus until it is closed, which then goes back to where it was. */
export function Dialog({ title, onClose, children }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    // Once all is drawn: what was there may be gone.
    return () => queueMicrotask(() => (before?.isConnected ? before : document.getElementById('main'))?.focus({ preventScroll: true }));
  }, []);
  return html`<dialog ref=${box} aria-labelledby="dialog-title" onClose=${onClose}>
    <h2 id="dialog-title"><${Sentence} text=${title} /></h2>${children}</dialog>`;
}

/** The deed that is asked about, or what was done last. */
let state = {};
let redraw = () => {};
const become = next => { state = next; redraw({}); };

/** Asks about a deed. */
export const ask = deed => become({ deed });

/** The dialog of a deed; then what was done, with its record, until another place is gone to. */
export function Asked({ here }) {
  [, redraw] = useState();
  useEffect(() => become({}), [here]);
  const { deed, done } = state;
  return html`<div role="status" class="done">${done && html`<p class="banner ok"><${Mark} tone="ok">${t('ask.done')}<//> <${Sentence} text=${done.title} />
      ${done.record && html` <a href=${done.record}>${t('ask.record')}</a>`} <button type="button" class="link" onClick=${() => become({})}>${t('help.close')}</button></p>`}</div>
    ${deed && html`<${Ask} key=${deed.title} deed=${deed} onClose=${() => become({})} />`}`;
}

/** Where the decisions of a scenario are on record. */
export const recorded = scenario => href('changed', scenario, { tab: 'log' });

/** To stop a scenario's evolution, or to let it go on. */
export const turning = (scenario, isFrozen, after) => ({
  title: `${t(isFrozen ? 'thaw.yes' : 'freeze.yes')}: \`${scenario}\``, text: isFrozen ? '' : t('freeze.text'), label: t(isFrozen ? 'thaw.yes' : 'freeze.yes'),
  tone: isFrozen ? 'p' : 'r', path: `${at('scenarios', scenario)}:${isFrozen ? 'thaw' : 'freeze'}`, record: recorded(scenario), after,
});

/**
 * `deed` is `{title, text, label, tone, method, path, body, headers, choice, bare, record, after, failed}`; `text` may be several, `path`
 * too, which is done one by one with each failure shown; a `bare` one takes no reason.
 */
function Ask({ deed, onClose }) {
  const { choice, bare } = deed;
  const [reason, put] = useState('');
  const [chosen, choose] = useState(choice?.chosen);
  const [came, tell] = useState({});
  // What was done already is not done again.
  const paths = came.failed?.map(one => one.path) ?? [deed.path].flat();
  const submit = async event => {
    event.preventDefault();
    tell({ busy: true });
    const failed = [];
    const body = { ...deed.body, ...(choice && { [choice.name]: chosen }), ...(reason && { reason }) };
    let answer;
    for (const path of paths) {
      answer = await call(deed.method ?? 'POST', path, { body, headers: deed.headers });
      if (!answer.ok) failed.push({ path, problem: answer.problem });
    }
    if (failed.length < paths.length) deed.after?.(answer);
    if (failed.length) { tell({ failed }); deed.failed?.(answer); } else become({ done: deed });
  };
  return html`<${Dialog} title=${deed.title} onClose=${onClose}>
    <form method="dialog" onSubmit=${submit}>
      ${[deed.text].flat().filter(Boolean).map(one => html`<p>${typeof one === 'string' ? html`<${Sentence} text=${one} />` : one}</p>`)}
      ${choice && html`<fieldset><legend>${choice.legend}</legend>${choice.options.map(([value, label], at) => html`
        <label class="line"><input type="radio" name=${choice.name} required autofocus=${!at} checked=${chosen === value} onChange=${() => choose(value)} /> ${label}</label>`)}</fieldset>`}
      ${!bare && html`<label>${t('ask.reason')}<input name="reason" maxlength="500" autofocus=${!choice} value=${reason} onInput=${event => put(event.target.value)} /></label>`}
      ${came.failed?.map(({ path, problem }) => html`${Array.isArray(deed.path) && html`<p class="sm"><code>${path}</code></p>`}<${Problem} problem=${problem} />`)}
      <p class="row">
        <button type="submit" class=${deed.tone ?? 'p'} autofocus=${bare} disabled=${came.busy}>${deed.label}</button>
        <button type="button" onClick=${onClose}>${t('ask.cancel')}</button>
      </p>
    </form><//>`;
}
