// A list of rows of which one is open: a real table, moved through with j and k, by 50.

import { useEffect, useRef } from '../vendor/hooks.js';
import { useKeys } from '../keys.js';
import { set } from '../router.js';
import { t } from '../text.js';
import { Kbd, html } from './bits.js';

/** `columns` is `[{head, cell, num}]`; `id` tells a row; the parameter `param` of the address says which one is open. */
export function Table({ caption, columns, rows, id, param, open, next, first }) {
  const body = useRef(null);
  const at = rows.findIndex(row => id(row) === open);
  const move = step => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, (at < 0 ? (step > 0 ? -1 : 0) : at) + step))];
    if (row) set({ [param]: id(row) });
  };
  useKeys({ j: () => move(1), k: () => move(-1), ...(next && { n: () => set({ after: next, [param]: '' }) }) });
  useEffect(() => { body.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' }); }, [open]);
  return html`<div class="scroll"><table>
    <caption class="sr">${caption}</caption>
    <thead><tr>${columns.map(column => html`<th scope="col" class=${column.num && 'num'}>${column.head}</th>`)}</tr></thead>
    <tbody ref=${body}>${rows.map(row => html`<tr key=${id(row)} class=${id(row) === open && 'sel'} aria-current=${id(row) === open ? 'true' : undefined}
      onClick=${event => { if (param && !event.target.closest('a, button, input, label')) set({ [param]: id(row) }); }}>
      ${columns.map(column => html`<td class=${column.num && 'num'}>${column.cell(row)}</td>`)}</tr>`)}</tbody>
  </table></div>
  ${(next || first) && html`<p class="row">
    ${first && html`<button onClick=${() => set({ after: '', [param]: '' })}>${t('table.first')}</button>`}
    ${next && html`<button onClick=${() => set({ after: next, [param]: '' })}>${t('table.next')} <${Kbd}>n<//></button>`}</p>`}`;
}

/** What is told of the row that the address opens: beside the list where there is room, else it is gone to. */
export function Panel({ open, children }) {
  const box = useRef(null);
  useEffect(() => {
    const it = box.current;
    it.scrollTop = 0;
    const { top, bottom } = it.getBoundingClientRect();
    if (!open || (bottom > 0 && top < innerHeight / 2)) return;
    it.focus({ preventScroll: true });
    it.scrollIntoView();
  }, [open]);
  return html`<div class="panel" tabindex="-1" ref=${box}>${children}</div>`;
}

/** The button that opens a row: what is clicked, read out and reached with the tabulator. */
export function Opener({ param, value, open, children }) {
  return html`<button class="opener" aria-pressed=${value === open} onClick=${() => set({ [param]: value })}>${children}</button>`;
}
