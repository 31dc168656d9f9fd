// Overview: how is this scenario?

import { at, useCall } from '../api.js';
import { useKeys } from '../keys.js';
import { href, set } from '../router.js';
import { number, percent, t, word } from '../text.js';
import { Audience, Busy, Deed, Empty, Problem, Time, code, html, typeOf } from '../parts/bits.js';
import { Chart } from '../parts/chart.js';
import { ask, recorded, turning } from '../parts/dialog.js';
import { Evidence, Stage, useEvidence } from '../parts/evidence.js';
import { Opener, Panel, Table } from '../parts/table.js';

const DAYS = 30;
/** What a person may do with a key by its stage. */
const DEEDS = {
  experimental: ['promote', 'deprecate', 'withdraw'], stable: ['demote', 'deprecate', 'withdraw'], deprecated: ['restore', 'withdraw'],
  withdrawn: ['restore'], expired: ['restore'], lapsed: ['restore'], rejected: ['restore'], awaiting_approval: [], queued: [],
};

const keyOf = patch => patch.new_keys[0] ?? patch.modified_keys[0] ?? {};

export function Overview({ scenario, params, me, list }) {
  const path = at('scenarios', scenario);
  const ledger = useCall(`${path}/ledger`, { scenario });
  const days = useCall(`${path}/stats?days=${DAYS}`, { scenario });
  const patches = useCall(`${path}/patches`, { scenario });
  const may = me.can('operate');
  const row = list?.scenarios.find(one => one.scenario === scenario);
  const rows = patches.data?.patches ?? [];
  const shown = rows.find(patch => patch.patch_id === params.p);
  const evidence = useEvidence(params.p, scenario);
  const { again } = patches;
  const told = ledger.data;
  const turn = () => ask(turning(scenario, !!row?.frozen, again));
  const used = told && shown && usage(told, shown);
  const act = verb => ask({
    title: `${word('deed', verb)} \`${keyOf(shown).key_name}\``, text: used && t('overview.used', { n: used.used, of: used.received }), record: recorded(scenario), label: word('deed', verb), tone: verb === 'promote' || verb === 'restore' ? 'p' : 'r',
    path: `${at('patches', shown.patch_id)}:${verb}`, headers: { 'If-Match': `"${shown.revision}"` }, after: again, failed: again,
  });
  useKeys(may ? { z: turn } : {});
  const problem = ledger.problem ?? patches.problem;
  if (problem && !told) return html`<h1>${scenario}</h1><${Problem} problem=${problem} again=${ledger.again} />`;
  if (!told) return html`<${Busy} />`;
  const counted = days.data?.days ?? [];
  const [refused, payloads] = ['refused', 'payloads'].map(of => counted.reduce((sum, day) => sum + day[of], 0));
  return html`<h1><bdi>${row?.name ?? scenario}</bdi></h1>
    <p class="lead">${row && html`${code(row.schema_id)} ${row.version} · ${t('overview.revision', { n: row.revision })}`} ${row?.owner && html`· <bdi>${row.owner}</bdi>`}
      ${me.can('publish') && html` · <a href=${href('changed', scenario, { tab: 'candidate' })}>${t('candidate.new')}</a>`}</p>
    <div class="kpi">
      <${Kpi} value=${number(told.payloads)} name=${t('overview.payloads', { n: told.window_days })} />
      <${Kpi} value=${percent(told.other_ratio)} name=${t('overview.other')} to=${href('missing', scenario)} />
      ${days.data && html`<${Kpi} value=${payloads ? percent(refused / payloads) : '–'} name=${t('overview.refused')} />`}
      <${Kpi} value=${number(told.clients)} name=${t('overview.clients')} to=${href('uses', scenario)} />
      <${Kpi} value=${number(rows.filter(patch => patch.stage === 'experimental').length)} name=${t('stage.experimental')} />
    </div>
    <div class="two"><div>
      <section class="card"><h2>${t('overview.keys')}</h2><${Problem} problem=${patches.problem} again=${patches.again} />
        ${rows.length ? html`<${Table} caption=${t('overview.keys')} rows=${rows} id=${patch => patch.patch_id} param="p" open=${shown?.patch_id} columns=${[
          { head: t('waits.key'), cell: patch => html`<${Opener} param="p" value=${patch.patch_id} open=${shown?.patch_id}><b><bdi>${keyOf(patch).key_name}</bdi></b><//><span class="dim sm"><bdi>${patch.patch_id}</bdi> · ${typeOf(keyOf(patch))}</span><${Audience} audience=${patch.audience} />` },
          { head: t('overview.stage'), cell: patch => html`<${Stage} stage=${patch.stage} />` },
          { head: t('measured.usage'), num: true, cell: patch => percent(usage(told, patch)?.usage_frequency) },
          { head: t('measured.alignment'), num: true, cell: patch => percent(usage(told, patch)?.semantic_alignment_accuracy) },
          { head: t('overview.since'), cell: patch => html`<${Time} short at=${patch.timestamp} />` },
        ]} />` : patches.data && html`<${Empty} title=${t('overview.no_keys')} text=${t('overview.no_keys_why')} />`}</section>
    </div><${Panel} open=${params.p}>
      ${shown && html`<section class="card"><h2>${code(keyOf(shown).key_name)}</h2><p class="row">${(DEEDS[shown.stage] ?? []).map(verb => html`<${Deed} may=${may} tone=${verb === 'promote' ? 'p' : ''} onClick=${() => act(verb)}>${word('deed', verb)}<//>`)}
        ${shown.stage === 'awaiting_approval' && html`<a href=${href('waits', scenario, { p: shown.patch_id })}>${t('overview.decide')}</a>`} <button type="button" class="link" onClick=${() => set({ p: '' })}>${t('help.close')}</button></p></section>`}
      ${params.p && html`<${Evidence} key=${params.p} of=${evidence} scenario=${scenario} />`}
      ${days.data && html`<section class="card"><h2>${t('overview.coverage')}</h2><${Chart} keyed=${!shown} title=${t('overview.coverage')} series=${[
        { kind: 'bars', name: t('overview.day_payloads'), points: counted.map(day => ({ day: day.day, y: day.payloads })) },
        { kind: 'part', name: t('overview.day_other'), points: counted.map(day => ({ day: day.day, y: day.with_other })) }]} />
        <p class="sm"><span class="swatch bars"></span> ${t('overview.day_payloads')} <span class="swatch part"></span> ${t('overview.day_other')}</p></section>`}
      <section class="card"><h2>${t('overview.by_hand')}</h2><p class="row">
        <${Deed} may=${may} tone=${row?.frozen ? '' : 'r'} k="z" onClick=${turn}>${t(row?.frozen ? 'thaw.yes' : 'freeze.yes')}<//></p></section>
    <//></div>`;
}

const usage = (ledger, patch) => Object.values(ledger.keys).find(key => key.patch_id === patch.patch_id);

const Kpi = ({ value, name, to }) => html`<div class="card"><b>${value}</b><span>${to ? html`<a href=${to}>${name}</a>` : name}</span></div>`;
