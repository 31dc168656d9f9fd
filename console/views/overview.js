// Overview: how is this scenario?

import { useState } from '../vendor/hooks.js';
import { at, useCall } from '../api.js';
import { useKeys } from '../keys.js';
import { href, query, set } from '../router.js';
import { number, percent, t } from '../text.js';
import { Audience, Busy, Deed, Empty, Problem, Sentence, Time, html, typeOf } from '../parts/bits.js';
import { Chart } from '../parts/chart.js';
import { Ask, turning } from '../parts/dialog.js';
import { Evidence, Stage } from '../parts/evidence.js';
import { Opener, Table } from '../parts/table.js';

const DAYS = 30;
const LATEST = 6;
/** What a person may do with a key by its stage. */
const DEEDS = {
  experimental: ['promote', 'deprecate', 'withdraw'], stable: ['demote', 'deprecate', 'withdraw'], deprecated: ['restore', 'withdraw'],
  withdrawn: ['restore'], expired: ['restore'], lapsed: ['restore'], rejected: ['restore'], awaiting_approval: [], queued: [],
};
const LABELS = {
  promote: () => t('promote.yes'), demote: () => t('demote.yes'), deprecate: () => t('deprecate.yes'), withdraw: () => t('withdraw.yes'), restore: () => t('restore.yes'),
};

const keyOf = patch => patch.new_keys[0] ?? patch.modified_keys[0] ?? {};

export function Overview({ scenario, params, me, list }) {
  const path = at('scenarios', scenario);
  const ledger = useCall(`${path}/ledger`, { scenario });
  const days = useCall(`${path}/stats?days=${DAYS}`, { scenario });
  const patches = useCall(`${path}/patches`, { scenario });
  const log = useCall(`${path}/decision-log?limit=${LATEST}`, { scenario });
  const waits = useCall(`v1/approvals${query({ limit: 1, scenario })}`, { scenario });
  const [deed, ask] = useState(null);
  const may = me.can('operate');
  const row = list?.scenarios.find(one => one.scenario === scenario);
  const rows = patches.data?.patches ?? [];
  const shown = rows.find(patch => patch.patch_id === params.p);
  const again = () => { patches.again(); log.again(); };
  const turn = () => ask(turning(scenario, !!row?.frozen, again));
  const act = verb => ask({
    title: `${LABELS[verb]()}: ${keyOf(shown).key_name}`, label: LABELS[verb](), tone: verb === 'promote' || verb === 'restore' ? 'p' : 'r',
    path: `${at('patches', shown.patch_id)}:${verb}`, headers: { 'If-Match': `"${shown.revision}"` }, after: again, failed: again,
  });
  useKeys(may ? { z: turn } : {});
  const problem = ledger.problem ?? patches.problem;
  if (problem && !ledger.data) return html`<h1>${scenario}</h1><${Problem} problem=${problem} again=${ledger.again} />`;
  if (!ledger.data) return html`<${Busy} />`;
  const told = ledger.data;
  const counted = days.data?.days ?? [];
  const refused = counted.reduce((sum, day) => sum + day.refused, 0);
  const payloads = counted.reduce((sum, day) => sum + day.payloads, 0);
  return html`<h1><bdi>${scenario}</bdi></h1>
    <p class="lead">${row && html`<code><bdi>${row.schema_id}</bdi></code> ${row.version} · ${t('overview.revision', { n: row.revision })}`} ${row?.owner && html`· <bdi>${row.owner}</bdi>`}</p>
    <div class="kpi">
      <${Kpi} value=${number(told.payloads)} name=${t('overview.payloads', { n: told.window_days })} />
      <${Kpi} value=${percent(told.other_ratio)} name=${t('overview.other')} to=${href('missing', scenario)} />
      ${days.data && html`<${Kpi} value=${payloads ? percent(refused / payloads) : '–'} name=${t('overview.refused')} />`}
      <${Kpi} value=${number(told.clients)} name=${t('overview.clients')} to=${href('uses', scenario)} />
      <${Kpi} value=${number(rows.filter(patch => patch.stage === 'experimental').length)} name=${t('overview.on_trial')} />
      <${Kpi} value=${number(waits.data?.waiting ?? 0)} name=${t('overview.waits')} to=${href('waits', scenario)} />
    </div>
    <div class="two"><div>
      <section class="card"><h2>${t('overview.keys')}</h2><${Problem} problem=${patches.problem} again=${patches.again} />
        ${rows.length ? html`<${Table} caption=${t('overview.keys')} rows=${rows} id=${patch => patch.patch_id} param="p" open=${shown?.patch_id} columns=${[
          { head: t('waits.key'), cell: patch => html`<${Opener} param="p" value=${patch.patch_id} open=${shown?.patch_id}><b><bdi>${keyOf(patch).key_name}</bdi></b><//><span class="dim sm"><bdi>${patch.patch_id}</bdi> · ${typeOf(keyOf(patch))}</span><${Audience} audience=${patch.audience} />` },
          { head: t('overview.stage'), cell: patch => html`<${Stage} stage=${patch.stage} />` },
          { head: t('measured.usage'), num: true, cell: patch => percent(usage(told, patch)?.usage_frequency) },
          { head: t('measured.alignment'), num: true, cell: patch => percent(usage(told, patch)?.semantic_alignment_accuracy) },
          { head: t('overview.since'), cell: patch => html`<${Time} short at=${patch.timestamp} />` },
        ]} />` : html`<${Empty} title=${t('overview.no_keys')} text=${t('overview.no_keys_why')} />`}</section>
      ${shown && html`<section class="card"><h2><code><bdi>${keyOf(shown).key_name}</bdi></code></h2><p class="row">${(DEEDS[shown.stage] ?? []).map(verb => html`<${Deed} may=${may} needs="operator" tone=${verb === 'promote' ? 'p' : ''} onClick=${() => act(verb)}>${LABELS[verb]()}<//>`)}
        ${shown.stage === 'awaiting_approval' && html`<a href=${href('waits', scenario, { p: shown.patch_id })}>${t('overview.decide')}</a>`} <button type="button" class="link" onClick=${() => set({ p: '' })}>${t('help.close')}</button></p></section>
        <${Evidence} key=${shown.patch_id} keyed patch=${shown.patch_id} scenario=${scenario} />`}
    </div><div>
      ${days.data && html`<section class="card"><h2>${t('overview.coverage')}</h2><${Chart} narrow keyed=${!shown} title=${t('overview.coverage')} series=${[
        { kind: 'bars', name: t('overview.day_payloads'), points: counted.map(day => ({ day: day.day, y: day.payloads })) },
        { kind: 'part', name: t('overview.day_other'), points: counted.map(day => ({ day: day.day, y: day.with_other })) }]} />
        <p class="sm"><span class="swatch bars"></span> ${t('overview.day_payloads')} <span class="swatch part"></span> ${t('overview.day_other')}</p></section>`}
      ${log.data && html`<section class="card"><h2>${t('overview.latest')}</h2><ol class="plain log">${log.data.decisions.map(one => html`<li><span class="dim sm"><${Time} at=${one.at} /></span><br /><${Sentence} text=${one.says} />${one.by && html` · <bdi>${one.by.principal}</bdi>`}</li>`)}</ol>
        <p><a href=${href('changed', scenario)}>${t('overview.all_changed')}</a></p></section>`}
      <section class="card"><h2>${t('overview.by_hand')}</h2><p class="row">
        <${Deed} may=${may} needs="operator" tone=${row?.frozen ? '' : 'r'} k="z" onClick=${turn}>${t(row?.frozen ? 'thaw.yes' : 'freeze.yes')}<//></p></section>
    </div></div>
    ${deed && html`<${Ask} deed=${deed} onClose=${() => ask(null)} />`}`;
}

const usage = (ledger, patch) => Object.values(ledger.keys).find(key => key.patch_id === patch.patch_id);

const Kpi = ({ value, name, to }) => html`<div class="card"><b>${value}</b><span>${to ? html`<a href=${to}>${name}</a>` : name}</span></div>`;
