// What waits: is it right, and what if I say yes?

import { useState } from '../vendor/hooks.js';
import { at, drafts, useCall } from '../api.js';
import { href, query } from '../router.js';
import { useKeys } from '../keys.js';
import { span, t, word } from '../text.js';
import { Audience, Chip, Deed, Empty, Foretold, Problem, Said, Sentence, Tabs, code, html, instead, typeOf } from '../parts/bits.js';
import { ask, recorded, turning } from '../parts/dialog.js';
import { Edit } from '../parts/edit.js';
import { Evidence, Examples, useEvidence } from '../parts/evidence.js';
import { Opener, Panel, Table, useOpen } from '../parts/table.js';
import { Values } from './values.js';

const PAGE = 50;

const key = approval => approval.new_keys[0] ?? approval.modified_keys[0];
/** Whether it is approved or rejected, and no trial that its figures leave undecided. */
const isProposal = approval => approval && !approval.waits_for;
const name = approval => key(approval)?.key_name ?? approval.patch_id;

export function Waits({ scenario, params, me, list }) {
  const keys = useCall(`v1/approvals${query({ limit: 1, scenario })}`, { scenario });
  const values = useCall(me.can('audit') && `v1/audits${query({ limit: 1, scenario })}`, { scenario });
  return html`<h1>${t('waits.title')}</h1>
    <${Tabs} label=${t('waits.title')} tabs=${[['', t('waits.proposals'), keys.data?.waiting], ['values', t('waits.values'), values.data?.waiting]]} open=${params.tab} />
    <${params.tab === 'values' ? Values : Proposals} scenario=${scenario} params=${params} me=${me} list=${list} />`;
}

function Proposals({ scenario, params, me, list }) {
  const path = `v1/approvals${query({ limit: PAGE, scenario, after: params.after })}`;
  const { data, problem, again } = useCall(path, { scenario });
  const [selected, select] = useState([]);
  const may = me.can('operate');
  const rows = data?.approvals;
  const [id, shown, pass] = useOpen(path, rows, row => row.patch_id, 'p', params);
  const evidence = useEvidence(id, scenario);
  const toggle = id => select(selected.includes(id) ? selected.filter(one => one !== id) : [...selected, id]);
  const chosen = rows?.filter(row => isProposal(row) && selected.includes(row.patch_id)) ?? [];
  const done = of => { select([]); pass(of.map(row => row.patch_id)); again(); };
  const all = (verb, title, tone) => ask({
    title, text: chosen.map(name).join(', '), tone, record: recorded(chosen[0].scenario), label: title, path: chosen.map(row => `${at('patches', row.patch_id)}:${verb}`), after: () => done(chosen), failed: again,
  });
  const meant = scenario ?? shown?.scenario;
  const turn = () => meant && ask(turning(meant, !!list?.scenarios.find(one => one.scenario === meant)?.frozen, again));
  useKeys({ x: () => isProposal(shown) && toggle(id), ...(may && { z: turn }) });
  if (!rows || (params.after && !rows.length)) return instead({ problem, again });
  if (!rows.length) return html`<${Empty} title=${t('waits.none')} text=${t('waits.none_why')}>${scenario && html`<p><a href=${href('waits')}>${t('waits.everywhere')}</a></p>`}<//>`;
  return html`<p class="lead">${t('waits.lead', { n: data.waiting })} ${t('waits.longest', { span: span(Math.max(...rows.map(row => row.waits_s))) })}
      ${scenario && html` <a href=${href('waits')}>${t('waits.everywhere')}</a>`}</p>
    <${Problem} problem=${problem} data=${data} again=${again} />
    <div class="two"><div>
      <section class="card">
        <${Table} caption=${t('waits.list')} rows=${rows} id=${row => row.patch_id} param="p" open=${shown?.patch_id} next=${data.next} first=${params.after} columns=${[
          { head: html`<span class="sr">${t('waits.select')}</span>`, cell: row => isProposal(row) && html`<input type="checkbox" aria-label=${t('waits.select_one', { key: name(row) })} checked=${selected.includes(row.patch_id)} onChange=${() => toggle(row.patch_id)} />` },
          { head: t('waits.key'), cell: row => html`<${Opener} param="p" value=${row.patch_id} open=${shown?.patch_id}><b><bdi>${name(row)}</bdi></b><//><span class="dim sm">${!scenario && html`<bdi>${row.scenario}</bdi> · `}${typeOf(key(row))}</span><${Audience} audience=${row.audience} />
            ${drafts.has(`${row.scenario} ${row.patch_id}`) && html`<${Chip} tone="info">${t('waits.begun')}<//>`}` },
          { head: t('figure.waits'), num: true, cell: row => span(row.waits_s) },
          { head: t('waits.clients'), num: true, cell: row => `${row.evidence.clients} / ${row.evidence.occurrences}` },
          { head: t('waits.if'), cell: row => html`<${Foretold} backtest=${row.evidence.backtest} />` },
        ]} />
        ${chosen.length > 0 && html`<p class="row">${[['approve', t('waits.approve_all', { n: chosen.length }), 'p'], ['reject', t('waits.reject_all', { n: chosen.length }), 'r']].map(one => html`<${Deed} may=${may} tone=${one[2]} onClick=${() => all(...one)}>${one[1]}<//>`)}</p>`}
      </section>
    </div><${Panel} open=${params.p}>
      ${shown ? html`<${Why} row=${shown} />${shown.waits_for
        ? html`<${Undecided} row=${shown} may=${may} done=${() => done([shown])} />`
        : html`<${Edit} key=${shown.patch_id} of=${shown} gates=${evidence.data?.gates} may=${may} done=${() => done([shown])} />`}`
        : html`<p class="notice" role="alert">${code(id)} ${t('waits.gone')}</p>`}
      <${Evidence} key=${id} of=${evidence} scenario=${scenario ?? shown?.scenario} brief=${!!shown} />
    <//></div>`;
}

function Why({ row }) {
  return html`<section class="card"><h2>${t('waits.why')}</h2>
    <p class="first"><${Sentence} text=${row.why} /></p>
    ${row.waits_for && html`<p><${Sentence} text=${row.waits_for.detail} /></p>`}
    ${row.modified_keys.map(key => html`<p>${t('waits.modifies')} ${code(key.key_name)}: <${Said} text=${key.semantic_description} /></p>`)}
    <${Examples} sensitive=${row.sensitive} texts=${row.evidence.examples} /></section>`;
}

/** A trial that its figures leave undecided: a person promotes or deprecates the key. */
function Undecided({ row, may, done }) {
  const path = at('patches', row.patch_id);
  const act = (verb, tone, label = word('deed', verb)) => ask({ title: `${label} \`${name(row)}\``, label, tone, path: `${path}:${verb}`, record: href('overview', row.scenario, { p: row.patch_id }), after: done });
  const promote = () => act('promote', 'p');
  const deprecate = () => act('deprecate', 'r');
  useKeys(may ? { a: promote, r: deprecate } : {});
  return html`<section class="card"><h2>${t('undecided.title')} ${code(name(row))}</h2>
    <p class="row"><${Deed} may=${may} tone="p" k="a" onClick=${promote}>${word('deed', 'promote')}<//>
      <${Deed} may=${may} tone="r" k="r" onClick=${deprecate}>${word('deed', 'deprecate')}<//></p></section>`;
}
