// A deed asks before it is done: what it does, a reason for the record, and what came of it.

import { useEffect, useRef, useState } from '../vendor/hooks.js';
import { at, call } from '../api.js';
import { t } from '../text.js';
import { Problem, html } from './bits.js';

/** A dialog that has the focus until it is closed, which then goes back to where it was. */
export function Dialog({ title, onClose, children }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    return () => before?.focus?.({ preventScroll: true });
  }, []);
  return html`<dialog ref=${box} aria-labelledby="dialog-title" onClose=${onClose} onCancel=${onClose}>
    <h2 id="dialog-title">${title}</h2>${children}</dialog>`;
}

/** To stop a scenario's evolution, or to let it go on. */
export const turning = (scenario, isFrozen, after) => ({
  title: t(isFrozen ? 'thaw.title' : 'freeze.title', { scenario }), text: isFrozen ? '' : t('freeze.text'), label: t(isFrozen ? 'thaw.yes' : 'freeze.yes'),
  tone: isFrozen ? 'p' : 'r', path: `${at('scenarios', scenario)}:${isFrozen ? 'thaw' : 'freeze'}`, after,
});

/**
 * Asks for the reason and does it. `deed` is `{title, text, label, tone, path, body, headers, choice, after, failed}`; `path` may be a
 * list, which is done one by one with each answer shown.
 */
export function Ask({ deed, onClose }) {
  const [reason, put] = useState('');
  const [chosen, choose] = useState(deed.choice?.options[0][0]);
  const [state, become] = useState({});
  const paths = Array.isArray(deed.path) ? deed.path : [deed.path];
  const submit = async event => {
    event.preventDefault();
    become({ busy: true });
    const failed = [];
    for (const path of paths) {
      const body = { ...deed.body, ...(deed.choice && { [deed.choice.name]: chosen }), ...(reason && { reason }) };
      const answer = await call('POST', path, { body, headers: deed.headers });
      if (!answer.ok) failed.push({ path, problem: answer.problem });
    }
    if (failed.length < paths.length) deed.after?.(failed);
    if (failed.length) { become({ failed }); deed.failed?.(failed[0].problem); } else onClose();
  };
  return html`<${Dialog} title=${deed.title} onClose=${onClose}>
    <form method="dialog" onSubmit=${submit}>
      ${deed.text && html`<p>${deed.text}</p>`}
      ${deed.choice && html`<fieldset><legend>${deed.choice.legend}</legend>${deed.choice.options.map(([value, label]) => html`
        <label class="line"><input type="radio" name=${deed.choice.name} value=${value} checked=${chosen === value} onChange=${() => choose(value)} /> ${label}</label>`)}</fieldset>`}
      <label>${t('ask.reason')}<input name="reason" maxlength="500" autofocus value=${reason} onInput=${event => put(event.target.value)} /></label>
      ${state.failed?.map(({ path, problem }) => html`${paths.length > 1 && html`<p class="sm"><code>${path}</code></p>`}<${Problem} problem=${problem} />`)}
      <p class="row">
        <button type="submit" class=${deed.tone ?? 'p'} disabled=${state.busy}>${deed.label}</button>
        <button type="button" onClick=${onClose}>${t('ask.cancel')}</button>
      </p>
    </form><//>`;
}
