// A list of rows of which one is open: a real table, moved through with j and k, by 50.

import { useEffect, useRef, useState } from '../vendor/hooks.js';
import { useKeys } from '../keys.js';
import { set } from '../router.js';
import { t } from '../text.js';
import { Kbd, html } from './bits.js';

/**
 * What is open of the list at this address, `[id, row, pass]`: what is named, else the first that came, also when it is listed no more:
 * no key that is pressed may meet another. `pass` goes on after these; an empty page leads to the first.
 */
export function useOpen(list, rows, idOf, param, params) {
  const [first, hold] = useState({});
  const newest = useRef();
  newest.current = rows;
  const named = params[param];
  const held = named || (first.list === list && first.id);
  const id = held || (rows?.length ? idOf(rows[0]) : undefined);
  useEffect(() => {
    if (named) hold({}); else if (!held && id && rows !== first.passed) hold({ list, id });
    if (rows?.length === 0 && params.after) set({ after: '' });
  }, [rows, named]);
  const pass = ids => {
    const passed = newest.current ?? [];
    const left = passed.map(idOf).filter(one => one === id || !ids.includes(one));
    const at = left.indexOf(id);
    const next = ids.includes(id) ? left[at + 1] ?? left[at - 1] : id;
    hold({ passed });
    set({ [param]: next, after: next && params.after });
  };
  return [id, rows?.find(row => idOf(row) === id), pass];
}

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
