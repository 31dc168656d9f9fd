// Who uses it: who is behind, who is silent, may I let go?

import { useState } from '../vendor/hooks.js';
import { at, useCall } from '../api.js';
import { query } from '../router.js';
import { number, percent, t, word } from '../text.js';
import { Busy, Deed, Empty, Mark, Problem, Said, Time, html } from '../parts/bits.js';
import { Ask } from '../parts/dialog.js';
import { Opener, Table } from '../parts/table.js';

const PAGE = 50;
const TONES = { active: 'ok', stale: 'warn', silent: 'mute' };

export function Uses({ scenario, params, me }) {
  const path = at('scenarios', scenario);
  const { data, problem, loading, again } = useCall(`${path}/clients${query({ limit: PAGE, after: params.after })}`, { scenario });
  const versions = useCall(`${path}/versions`, { scenario });
  const [deed, ask] = useState(null);
  const may = me.can('publish');
  const rows = data?.clients ?? [];
  const shown = rows.find(row => row.client === params.v) ?? rows[0];
  const change = (version, verb, label) => ask({
    title: t('uses.title_of', { verb: label, version: version.version }), label, tone: verb === 'restore' ? 'p' : 'r', path: `${at('schemas', version.schema_id)}:${verb}`, after: versions.again,
  });
  return html`<h1>${t('uses.title')}</h1><p class="lead">${data && t('uses.lead', { n: data.total })}</p>
    <${Problem} problem=${problem} data=${data} again=${again} />${loading && html`<${Busy} />`}
    <div class="two"><div>
      ${data && !rows.length && html`<${Empty} title=${t('uses.none')} text=${t('uses.none_why')} />`}
      ${rows.length > 0 && html`<section class="card"><${Table} caption=${t('uses.title')} rows=${rows} id=${row => row.client} param="v" open=${shown?.client} next=${data.next} first=${params.after} columns=${[
        { head: t('uses.client'), cell: row => html`<${Opener} param="v" value=${row.client} open=${shown?.client}><b><bdi>${row.client}</bdi></b><//>` },
        { head: t('uses.seen'), cell: row => html`<${Mark} tone=${TONES[row.state] ?? 'mute'}>${word('client', row.state)}<//><br /><span class="dim sm"><${Time} short at=${row.last_seen} /></span>` },
        { head: t('uses.payloads'), num: true, cell: row => number(row.submissions_7d) },
        { head: t('uses.version'), cell: row => html`${row.version}${row.versions_behind > 0 && html` <${Mark} tone="warn">${t('uses.behind', { n: row.versions_behind })}<//>`}` },
        { head: 'other', num: true, cell: row => percent(row.other_ratio) },
        { head: t('uses.trial'), cell: row => (row.trial_keys.length ? row.trial_keys.map(key => html`<code><bdi>${key}</bdi></code> `) : '–') },
      ]} /></section>`}</div>
    <div>${shown && html`<section class="card"><h2><bdi>${shown.client}</bdi></h2><p class="sm dim">${t('uses.keys', { n: shown.sample })}</p>
      <table class="plain"><caption class="sr">${t('uses.filled')}</caption><tbody>${Object.entries(shown.keys).sort((a, b) => b[1] - a[1]).map(([key, ratio]) => html`<tr><th scope="row"><code><bdi>${key}</bdi></code></th><td class="num">${percent(ratio)}</td></tr>`)}</tbody></table></section>`}
      <section class="card"><h2>${t('uses.versions')}</h2><${Problem} problem=${versions.problem} />
      ${(versions.data?.versions ?? []).map(version => html`<div class="version"><p><b>${version.version}</b> <code><bdi>${version.schema_id}</bdi></code> <${Mark} tone=${version.in_force ? 'ok' : version.state === 'published' ? 'mute' : 'warn'}>${word('version', version.in_force && version.state === 'published' ? 'in_force' : version.state)}<//>
        <br /><span class="sm dim">${t('uses.by', { n: version.clients })}${version.sunset && html` · ${t('uses.sunset')} <${Time} short at=${version.sunset} />`}</span>${version.reason && html`<br /><${Said} quote text=${version.reason} />`}</p>
        ${version.state === 'published' && html`<${Deed} may=${may} needs="publisher" tone="sm" onClick=${() => change(version, 'deprecate', t('deprecate.yes'))}>${t('deprecate.yes')}<//>`}
        ${version.state === 'deprecated' && html`<${Deed} may=${may} needs="publisher" tone="sm" onClick=${() => change(version, 'restore', t('restore.yes'))}>${t('restore.yes')}<//>`}</div>`)}</section></div></div>
    ${deed && html`<${Ask} deed=${deed} onClose=${() => ask(null)} />`}`;
}
