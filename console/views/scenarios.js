// Scenarios: where must I look?

import { useCall } from '../api.js';
import { href, query, set } from '../router.js';
import { number, percent, t, word } from '../text.js';
import { Busy, Chip, Empty, Mark, Problem, Said, Typed, code, html } from '../parts/bits.js';
import { Table } from '../parts/table.js';

const PAGE = 50;
const SORTS = ['waiting', 'other_ratio', 'payloads', 'name'];
/** From these shares on a figure is marked: a quarter of the payloads lack a word, a tenth is refused. */
const OTHER_HIGH = 0.25;
const REFUSED_HIGH = 0.1;

export function Scenarios({ params, me }) {
  const { q = '', label = '', sort = 'waiting', after } = params;
  const counts = me.can('inspect');
  const { data, problem, loading, again } = useCall(`v1/scenarios${query({ limit: PAGE, stats: counts, q, sort: !q && counts && sort, label, after: !q && after })}`);
  const rows = data?.scenarios ?? [];
  const figure = (name, told) => ({ head: word('figure', name), num: true, cell: row => (row.stats ? told(row.stats, row) : '–') });
  return html`<h1>${t('scenarios.title')}</h1><p class="lead">${t('scenarios.lead')}</p>
    <${Search} q=${q} label=${label} sort=${sort} counts=${counts} />
    <${Problem} problem=${problem} data=${data} again=${again} />
    ${loading && html`<${Busy} />`}
    ${data && !rows.length && html`<${Empty} title=${t('scenarios.none')} text=${t(q || label ? 'scenarios.no_match' : 'scenarios.none_why')}
      command=${q || label ? null : 'otherwise publish schemas/flight_booking_v1.json'} />`}
    ${rows.length > 0 && html`<section class="card"><${Table} caption=${t('scenarios.title')} rows=${rows} id=${row => row.scenario} open=${null} next=${data.next} first=${after} columns=${[
      { head: t('nav.scenario'), cell: row => html`<a href=${href(counts ? 'overview' : 'try', row.scenario)}><b><bdi>${row.scenario}</bdi></b></a> <span class="dim sm">${code(row.schema_id)} ${row.version}</span>
        <br /><span class="dim sm"><${Said} text=${row.description} /></span>` },
      ...(counts ? [
        figure('waits', (stats, row) => (stats.waits ? html`<a href=${href('waits', row.scenario)}><b>${number(stats.waits)}</b></a>` : '0')),
        figure('other_ratio', stats => marked(stats.other_ratio, OTHER_HIGH, 'warn')),
        figure('refused_ratio', stats => marked(stats.refused_ratio, REFUSED_HIGH, 'bad')),
        figure('payloads_7d', stats => number(stats.payloads_7d)),
        figure('clients', stats => number(stats.clients)),
        figure('on_trial', stats => number(stats.on_trial)),
        figure('clusters', stats => html`${number(stats.clusters)}<br /><span class="dim sm">${t('scenarios.hottest', { n: stats.heat_max })}</span>`),
      ] : []),
      { head: t('scenarios.standing'), cell: row => html`${(row.stats?.frozen ?? row.frozen) && html`<${Chip} tone="info">${t('scenarios.frozen')}<//> `}${row.stats?.stalled && html`<${Mark} tone="bad">${t('scenarios.stalled')}<//> `}
        ${row.owner && html`<span class="sm"><bdi>${row.owner}</bdi></span>`}` },
    ]} /></section>`}`;
}

const marked = (share, high, tone) => (share > high ? html`<${Mark} tone=${tone}>${percent(share)}<//>` : percent(share));

const ANEW = { after: '' };

function Search({ q, label, sort, counts }) {
  return html`<form class="card search" role="search" onSubmit=${event => event.preventDefault()}>
    <${Typed} label=${t('scenarios.search')} name="q" value=${q} more=${ANEW} type="search" maxlength="1000" />
    <${Typed} label=${t('scenarios.label')} name="label" value=${label} more=${ANEW} takes=${typed => !typed || typed.includes(':')} placeholder="team:travel" />
    ${counts && html`<label>${t('missing.sort')}<select value=${sort} disabled=${!!q} onChange=${event => set({ ...ANEW, sort: event.target.value })}>${SORTS.map(one => html`<option value=${one}>${word('sort', one)}</option>`)}</select></label>`}
  </form>`;
}
