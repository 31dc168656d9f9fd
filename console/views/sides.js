// Two templates side by side: what differs of each key, member by member and by word.

import { useCall } from '../api.js';
import { query } from '../router.js';
import { t } from '../text.js';
import { Busy, Empty, Problem, code, html, visible } from '../parts/bits.js';
import { Class, Words, gravest } from '../parts/diff.js';

/** What a template says of itself as it is served, and not of what it takes. */
const ASIDE = ['schema_id', 'scenario', 'version', 'revision', 'keys', 'key_digests', 'patches', 'left_out'];

const written = value => (value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 1).replace(/\s+/g, ' '));

/** The names of what differs between two documents, in the order of the newer one. */
function differing(was = {}, became = {}, aside = ['key_name']) {
  const names = [...new Set([...Object.keys(became), ...Object.keys(was)])];
  return names.filter(name => !aside.includes(name) && written(was[name]) !== written(became[name]));
}

/** `told` is the difference as the service tells it; `from` and `to` are as it was asked for. */
export function Sides({ of, scenario, told, from, to, client }) {
  const template = (side, named) => `${of}/template${query({ ...(side.schema_id === named ? { schema_id: named } : { as_of: named }), client })}`;
  const [older, newer] = [useCall(template(told.from, from), { scenario }), useCall(template(told.to, to), { scenario })];
  const problem = older.problem ?? newer.problem;
  if (problem) return html`<${Problem} problem=${problem} again=${() => { older.again(); newer.again(); }} />`;
  if (!older.data || !newer.data) return html`<${Busy} />`;
  const [old, young] = [older, newer].map(side => new Map(side.data.keys.map(key => [key.key_name, key])));
  const keys = [...new Set([...young.keys(), ...old.keys()])].map(name => ({ name, was: old.get(name), became: young.get(name), members: differing(old.get(name), young.get(name)) }));
  const groups = [{ was: older.data, became: newer.data, members: differing(older.data, newer.data, ASIDE) }, ...keys].filter(group => group.members.length);
  const same = keys.filter(key => !key.members.length);
  if (!groups.length) return html`<${Empty} title=${t('changed.same')} />`;
  return html`<table class="plain sides"><caption class="sr">${t('changed.sides')}</caption>
    <thead><tr><td></td><th scope="col">${told.from.version}</th><th scope="col">${told.to.version}</th></tr></thead>
    ${groups.map(({ name, was, became, members }) => html`<tbody>
      <tr><th scope="rowgroup" colspan="3"><b><bdi>${name ?? t('changed.template')}</bdi></b> <${Class} of=${gravest(told.changes, name)} /></th></tr>
      ${members.map(member => html`<tr><th scope="row"><code>${visible(member)}</code></th>
        ${['del', 'ins'].map(side => html`<td>${(side === 'del' ? was : became)?.[member] === undefined ? html`<span class="dim">–</span>`
          : html`<${Words} side=${side} was=${written(was?.[member])} became=${written(became?.[member])} />`}</td>`)}</tr>`)}</tbody>`)}</table>
    ${same.length > 0 && html`<p class="sm dim">${t('changed.as_before')} ${same.map(key => html`${code(key.name)} `)}</p>`}`;
}
