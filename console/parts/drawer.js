// The calls that made what is seen, each to be copied for a terminal.

import { useEffect, useState } from '../vendor/hooks.js';
import { asCurl, calls, watchCalls } from '../api.js';
import { useKeys } from '../keys.js';
import { t } from '../text.js';
import { Kbd, html } from './bits.js';

/** Copies a text, or selects it where the clipboard is not given to pages (plain HTTP). */
async function copy(text, element) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return false;
  }
}

export function Drawer() {
  const [, redraw] = useState();
  const [open, put] = useState(false);
  const [copied, say] = useState('');
  useEffect(() => watchCalls(redraw), []);
  useKeys({ c: () => put(!open) });
  const take = async (note, event) => {
    const isCopied = await copy(asCurl(note), event.target.closest('li').querySelector('pre'));
    say(isCopied ? t('calls.copied') : t('calls.selected'));
  };
  return html`<details class="api" open=${open} onToggle=${event => { put(event.target.open); if (event.target.open) event.target.scrollIntoView({ block: 'nearest' }); }}>
    <summary>${t('calls.made', { n: calls.length })} <${Kbd}>c<//></summary>
    <p class="sm dim">${t('calls.key')} <span role="status">${copied}</span></p>
    ${open && html`<ol class="calls" tabindex="0" aria-label=${t('calls.made', { n: calls.length })}>${calls.map(note => html`<li key=${note.id}>
      <button type="button" class="sm" onClick=${event => take(note, event)}>${t('calls.copy')}</button>
      <span class=${note.status >= 400 || !note.status ? 'chip bad' : 'chip mute'}>${note.status || t('calls.lost')}</span>
      <span class="dim sm">${note.ms} ms</span><pre>${asCurl(note)}</pre></li>`)}</ol>`}
  </details>`;
}
