// Who uses it: who is behind, who is silent, may I let go?

import { at, useCall } from '../api.js';
import { href, query } from '../router.js';
import { number, percent, t, word } from '../text.js';
import { Busy, Deed, Empty, Mark, Problem, Said, Time, code, html } from '../parts/bits.js';
import { ask, recorded } from '../parts/dialog.js';
import { Opener, Panel, Table } from '../parts/table.js';

const PAGE = 50;
const TONES = { active: 'ok', stale: 'warn', silent: 'mute' };

export function Uses({ scenario, params, me }) {
  const path = at('scenarios', scenario);
  const { data, problem, loading, again } = useCall(`${path}/clients${query({ limit: PAGE, after: params.after })}`, { scenario });
  const versions = useCall(`${path}/versions`, { scenario });
  const may = me.can('publish');
  const rows = data?.clients ?? [];
  const shown = params.v ? rows.find(row => row.client === params.v) : rows[0];
  const change = (version, verb, label = word('deed', verb)) => ask({
    title: t('uses.title_of', { verb: label, version: `${version.schema_id} ${version.version}` }), text: [t('uses.by', { n: version.clients }), verb === 'deprecate' && t('uses.deprecates')], label, tone: verb === 'restore' ? 'p' : 'r', path: `${at('schemas', version.schema_id)}:${verb}`, record: recorded(scenario), after: versions.again,
  });
  return html`<h1>${t('uses.title')}</h1><p class="lead">${data && t('uses.lead', { n: data.total })}</p>
    <${Problem} problem=${problem} data=${data} again=${again} />${loading && html`<${Busy} />`}
    <div class="two"><div>
      ${data && !rows.length && html`<${Empty} title=${t('uses.none')} text=${t('uses.none_why')} />`}
      ${rows.length > 0 && html`<section class="card"><${Table} caption=${t('uses.title')} rows=${rows} id=${row => row.client} param="v" open=${shown?.client} next=${data.next} first=${params.after} columns=${[
        { head: t('uses.client'), cell: row => html`<${Opener} param="v" value=${row.client} open=${shown?.client}><b><bdi>${row.client}</bdi></b><//>` },
        { head: t('uses.seen'), cell: row => html`<${Mark} tone=${TONES[row.state] ?? 'mute'}>${word('client', row.state)}<//><br /><span class="dim sm"><${Time} at=${row.last_seen} /></span>` },
        { head: t('figure.payloads_7d'), num: true, cell: row => number(row.submissions_7d) },
        { head: t('uses.version'), cell: row => html`${row.version}${row.versions_behind > 0 && html` <${Mark} tone="warn">${t('uses.behind', { n: row.versions_behind })}<//>`}` },
        { head: 'other', num: true, cell: row => percent(row.other_ratio) },
        { head: t('uses.trial'), cell: row => (row.trial_keys.length ? row.trial_keys.map(key => html`${code(key)} `) : '–') },
      ]} /></section>`}</div>
    <${Panel} open=${params.v}>${params.v && data && !shown && html`<p class="notice" role="alert"><bdi>${params.v}</bdi> ${t('uses.gone')}</p>`}${shown && html`<section class="card"><h2><bdi>${shown.client}</bdi></h2><p class="sm dim">${t('uses.keys', { n: shown.sample })}</p>
      <table class="plain"><caption class="sr">${t('uses.keys', { n: shown.sample })}</caption><tbody>${Object.entries(shown.keys).sort((a, b) => b[1] - a[1]).map(([key, ratio]) => html`<tr><th scope="row">${code(key)}</th><td class="num">${percent(ratio)}</td></tr>`)}</tbody></table></section>`}
      <section class="card"><h2>${t('uses.versions')}</h2>${may && html`<p><a href=${href('changed', scenario, { tab: 'candidate' })}>${t('candidate.new')}</a></p>`}<${Problem} problem=${versions.problem} />
      ${(versions.data?.versions ?? []).map(version => html`<div class="version"><p><b>${version.version}</b> ${code(version.schema_id)} <${Mark} tone=${version.in_force ? 'ok' : version.state === 'published' ? 'mute' : 'warn'}>${word('version', version.in_force && version.state === 'published' ? 'in_force' : version.state)}<//>
        <br /><span class="sm dim"><${Time} at=${version.published_at} /> · ${t('uses.by', { n: version.clients })}${version.sunset && html` · ${t('uses.sunset')} <${Time} at=${version.sunset} />`}</span>${version.reason && html`<br /><${Said} quote text=${version.reason} />`}</p>
        ${version.state === 'published' && html`<${Deed} may=${may} needs="publisher" tone="sm" onClick=${() => change(version, 'deprecate')}>${word('deed', 'deprecate')}<//>`}
        ${version.state === 'deprecated' && html`<${Deed} may=${may} needs="publisher" tone="sm" onClick=${() => change(version, 'restore')}>${word('deed', 'restore')}<//>`}</div>`)}</section><//></div>`;
}
