// What waits: is it right, and what if I say yes?

import { useState } from '../vendor/hooks.js';
import { at, useCall } from '../api.js';
import { href, query, set } from '../router.js';
import { useKeys } from '../keys.js';
import { percent, span, t } from '../text.js';
import { Audience, Chip, Deed, Empty, Foretold, Kbd, Problem, Said, Sentence, Tabs, html, instead, typeOf } from '../parts/bits.js';
import { Ask, turning } from '../parts/dialog.js';
import { Edit } from '../parts/edit.js';
import { Evidence } from '../parts/evidence.js';
import { Opener, Table } from '../parts/table.js';
import { Values } from './values.js';

const PAGE = 50;

const key = approval => approval.new_keys[0] ?? approval.modified_keys[0];
const name = approval => key(approval)?.key_name ?? approval.patch_id;

export function Waits({ scenario, params, me, list }) {
  const isValues = params.tab === 'values';
  return html`<h1>${t('waits.title')}</h1>
    <${Tabs} label=${t('waits.tabs')} tabs=${[['', t('waits.proposals')], ['values', t('waits.values')]]} open=${params.tab} />
    ${isValues ? html`<${Values} scenario=${scenario} params=${params} me=${me} />` : html`<${Proposals} scenario=${scenario} params=${params} me=${me} frozen=${list?.scenarios.filter(one => one.frozen).map(one => one.scenario) ?? []} />`}`;
}

function Proposals({ scenario, params, me, frozen }) {
  const { data, problem, again } = useCall(`v1/approvals${query({ limit: PAGE, scenario, after: params.after })}`, { scenario });
  const [selected, select] = useState([]);
  const [deed, ask] = useState(null);
  const may = me.can('operate');
  const rows = data?.approvals ?? [];
  const shown = rows.find(row => row.patch_id === params.p) ?? rows[0];
  const toggle = id => select(selected.includes(id) ? selected.filter(one => one !== id) : [...selected, id]);
  const done = () => { select([]); set({ p: '' }); again(); };
  const chosen = rows.filter(row => selected.includes(row.patch_id));
  const all = verb => ask({
    title: t(verb === 'approve' ? 'waits.approve_all' : 'waits.reject_all', { n: chosen.length }), text: chosen.map(name).join(', '), tone: verb === 'reject' ? 'r' : 'p',
    label: t(verb === 'approve' ? 'approve.yes' : 'reject.yes'), path: chosen.map(row => `${at('patches', row.patch_id)}:${verb}`), after: done,
  });
  const meant = scenario ?? shown?.scenario;
  const isFrozen = frozen.includes(meant);
  const turn = () => meant && ask(turning(meant, isFrozen, again));
  useKeys({ x: () => shown && toggle(shown.patch_id), ...(may && { z: turn }) });
  const said = !data ? instead({ problem, again })
    : !rows.length ? html`<${Empty} title=${t('waits.none')} text=${t('waits.none_why')}>${scenario && html`<p><a href=${href('waits')}>${t('waits.elsewhere')}</a></p>`}<//>`
    : list();
  return html`${said}${deed && html`<${Ask} deed=${deed} onClose=${() => ask(null)} />`}`;

  function list() {
    return html`<p class="lead">${t('waits.lead', { n: data.waiting })} ${t('waits.longest', { span: span(Math.max(...rows.map(row => row.waits_s))) })}
        ${scenario && html` <a href=${href('waits')}>${t('waits.everywhere')}</a>`}</p>
      <${Problem} problem=${problem} data=${data} again=${again} />
      <div class="two"><div>
        <section class="card" aria-label=${t('waits.list')}>
          <${Table} caption=${t('waits.list')} rows=${rows} id=${row => row.patch_id} param="p" open=${shown?.patch_id} next=${data.next} first=${params.after} columns=${[
            { head: html`<span class="sr">${t('waits.select')}</span>`, cell: row => html`<input type="checkbox" aria-label=${t('waits.select_one', { key: name(row) })} checked=${selected.includes(row.patch_id)} onChange=${() => toggle(row.patch_id)} />` },
            { head: t('waits.key'), cell: row => html`<${Opener} param="p" value=${row.patch_id} open=${shown?.patch_id}><b><bdi>${name(row)}</bdi></b><//><span class="dim sm">${!scenario && html`<bdi>${row.scenario}</bdi> · `}${typeOf(key(row))}</span><${Audience} audience=${row.audience} />` },
            { head: t('waits.waits'), num: true, cell: row => span(row.waits_s) },
            { head: t('waits.clients'), num: true, cell: row => `${row.evidence.clients} / ${row.evidence.occurrences}` },
            { head: t('waits.if'), cell: row => html`<${Foretold} backtest=${row.evidence.backtest} />` },
          ]} />
          ${chosen.length > 0 && html`<p class="row"><${Deed} may=${may} needs="operator" onClick=${() => all('approve')}>${t('waits.approve_all', { n: chosen.length })}<//>
            <${Deed} may=${may} needs="operator" tone="r" onClick=${() => all('reject')}>${t('waits.reject_all', { n: chosen.length })}<//></p>`}
          <p class="sm dim keys">${['j', 'k', 'x', 'e', 'a', 'r', 'z'].map(k => html`<span><${Kbd}>${k}<//> ${KEYS[k]()}</span> `)}</p>
        </section>
        <${Why} row=${shown} />
        <${Evidence} key=${shown.patch_id} keyed patch=${shown.patch_id} scenario=${shown.scenario} />
      </div>
      <div class="side">${shown.waits_for
        ? html`<${Undecided} row=${shown} may=${may} ask=${ask} done=${done} />`
        : html`<${Edit} key=${shown.patch_id} patch=${shown.patch_id} scenario=${shown.scenario} may=${may} ask=${ask} done=${done} />`}
        <section class="card"><h2>${t('waits.scenario')} <bdi>${shown.scenario}</bdi></h2><p class="row">
          <${Deed} may=${may} needs="operator" tone=${isFrozen ? '' : 'r'} k="z" onClick=${turn}>${t(isFrozen ? 'thaw.yes' : 'freeze.yes')}<//></p></section>
      </div></div>`;
  }
}

const KEYS = {
  j: () => t('key.j'), k: () => t('key.k'), x: () => t('key.x'), e: () => t('key.e'), a: () => t('key.a'), r: () => t('key.r'), z: () => t('key.z'),
};

function Why({ row }) {
  return html`<section class="card" aria-label=${t('waits.why')}><h2>${t('waits.why')}</h2>
    <p class="first"><${Sentence} text=${row.why} /></p>
    ${row.waits_for && html`<p><${Sentence} text=${row.waits_for.detail} /></p>`}
    ${row.modified_keys.map(key => html`<p>${t('waits.modifies')} <code><bdi>${key.key_name}</bdi></code>: <${Said} text=${key.semantic_description} /></p>`)}
    <p class="dim sm">${t('waits.coverage', { share: percent(row.evidence.expected_coverage) })}</p></section>`;
}

/** A trial that its figures leave undecided: a person promotes or deprecates the key. */
function Undecided({ row, may, ask, done }) {
  const path = at('patches', row.patch_id);
  const act = (verb, title, label, tone) => ask({ title, label, tone, path: `${path}:${verb}`, after: done });
  const promote = () => act('promote', t('promote.title', { key: name(row) }), t('promote.yes'), 'p');
  const deprecate = () => act('deprecate', t('deprecate.title', { key: name(row) }), t('deprecate.yes'), 'r');
  useKeys(may ? { a: promote, r: deprecate } : {});
  return html`<section class="card"><h2>${t('undecided.title')} <code><bdi>${name(row)}</bdi></code></h2>
    <p><${Chip} tone="warn">${t('undecided.chip')}<//></p><p><${Sentence} text=${row.waits_for.detail} /></p>
    <p class="row"><${Deed} may=${may} needs="operator" tone="p" k="a" onClick=${promote}>${t('promote.yes')}<//>
      <${Deed} may=${may} needs="operator" tone="r" k="r" onClick=${deprecate}>${t('deprecate.yes')}<//></p></section>`;
}
