// What is missing: what do clients say that no key holds?

import { useState } from '../vendor/hooks.js';
import { at, call, useCall } from '../api.js';
import { useKeys } from '../keys.js';
import { href, query, set } from '../router.js';
import { number, percent, t, word } from '../text.js';
import { Busy, Chip, Deed, Empty, Kbd, Mark, Problem, Said, Sentence, Time, Typed, html } from '../parts/bits.js';
import { Chart } from '../parts/chart.js';
import { Ask, Dialog } from '../parts/dialog.js';
import { Opener, Table } from '../parts/table.js';

const PAGE = 50;
const STATES = ['cold', 'open', 'proposed', 'settled', 'read', 'dismissed'];
const SORTS = ['heat', 'growth', 'clients'];
const TONES = { proposed: 'warn', open: 'ok', settled: 'info', read: 'info' };
/** For how long a cluster that is no wish rests, where nothing else is said. */
const DAYS = [30, 90, 365];

export function Missing({ scenario, params, me }) {
  const { q = '', state = '', sort = 'heat', after } = params;
  const path = at('scenarios', scenario);
  const { data, problem, loading, again } = useCall(`${path}/pool${query({ words: true, limit: PAGE, q, state, sort: sort !== 'heat' && sort, after })}`, { scenario });
  const ledger = useCall(`${path}/ledger`, { scenario });
  const [deed, ask] = useState(null);
  const rows = data?.clusters ?? [];
  const shown = rows.find(row => String(row.id) === params.w) ?? rows[0];
  return html`<h1>${t('missing.title')}</h1>
    <p class="lead">${ledger.data && t('missing.lead', { share: percent(ledger.data.other_ratio), n: ledger.data.payloads, days: ledger.data.window_days })}
      ${data && ` ${t('missing.clusters', { n: data.total ?? rows.length })}`} ${data?.pending > 0 && t('missing.pending', { n: data.pending })}</p>
    <${Search} q=${q} state=${state} sort=${sort} />
    <${Problem} problem=${problem} data=${data} again=${again} />
    ${loading && html`<${Busy} />`}
    ${data && !rows.length && (q || state
      ? html`<${Empty} title=${t('missing.no_match')} text=${t('missing.no_match_why')} />`
      : html`<${Empty} title=${t('missing.none')} text=${t('missing.none_why')} command=${command(scenario)} />`)}
    ${rows.length > 0 && html`<div class="two"><section class="card" aria-label=${t('missing.title')}>
      <${Table} caption=${t('missing.list')} rows=${rows} id=${row => String(row.id)} param="w" open=${shown && String(shown.id)} next=${data.next} first=${after} columns=${[
        { head: t('missing.say'), cell: row => html`<${Opener} param="w" value=${String(row.id)} open=${String(shown?.id)}><${Phrases} cluster=${row} max=${2} /><//>
          <span class="dim sm">${t('missing.cluster', { id: String(row.id), n: row.members })} <${Time} short at=${row.opened_at} /></span>` },
        { head: t('missing.heat'), num: true, cell: row => html`<b>${number(row.heat)}</b>${row.growth !== undefined && html`<br /><span class="dim sm">${row.growth > 0 ? '▲ ' : row.growth < 0 ? '▼ ' : ''}${number(Math.abs(row.growth))}</span>`}` },
        { head: t('missing.clients'), num: true, cell: row => number(row.clients) },
        { head: t('missing.state'), cell: row => html`<${State} cluster=${row} scenario=${scenario} />` },
      ]} /></section>
      <div><${Cluster} key=${shown.id} id=${shown.id} of=${path} scenario=${scenario} row=${shown} me=${me} ask=${ask} again=${again} />
        ${ledger.data && html`<${Ledger} ledger=${ledger.data} pool=${data} />`}</div></div>`}
    ${deed && html`<${Ask} deed=${deed} onClose=${() => ask(null)} />`}`;
}

const command = scenario => `curl -X POST $OTHERWISE/v1/scenarios/${scenario}/extensions \\
  -H "Authorization: Bearer $OTHERWISE_KEY" -H 'Content-Type: application/json' \\
  -d '{"wishes": ["a window seat please"]}'`;

/** What begins anew with another search. */
const ANEW = { after: '', w: '' };

function Search({ q, state, sort }) {
  return html`<form class="card search" role="search" onSubmit=${event => event.preventDefault()}>
    <${Typed} label=${t('missing.search')} name="q" value=${q} more=${ANEW} type="search" maxlength="200" />
    <label>${t('missing.state')}<select value=${state} onChange=${event => set({ ...ANEW, state: event.target.value })}>
      <option value="">${t('missing.all')}</option>${STATES.map(one => html`<option value=${one}>${word('cluster', one)}</option>`)}</select></label>
    <label>${t('missing.sort')}<select value=${sort} onChange=${event => set({ ...ANEW, sort: event.target.value })}>
      ${SORTS.map(one => html`<option value=${one}>${word('sort', one)}</option>`)}</select></label></form>`;
}

function Phrases({ cluster, max }) {
  const phrases = (cluster.phrases ?? []).slice(0, max);
  if (!phrases.length) return html`<span class="dim">${t('words.withheld')}</span>`;
  return phrases.map(phrase => html`<span class="q"><${Said} quote text=${phrase.text} /> ${!max && html`<span class="dim sm">${t('missing.by', { n: phrase.clients })}</span>`}</span>`);
}

const patchOf = cluster => cluster.triggers.findLast(trigger => trigger.patch_id)?.patch_id;

function State({ cluster, scenario }) {
  const patch = patchOf(cluster);
  const state = cluster.state ?? (patch ? 'proposed' : 'cold');
  return html`<${Chip} tone=${TONES[state] ?? 'mute'}>${word('cluster', state)}<//>${patch && html`<br /><a class="sm" href=${href('overview', scenario, { p: patch })}><bdi>${patch}</bdi></a>`}`;
}

function Cluster({ id, of, scenario, row, me, ask, again }) {
  const path = `${of}/pool/${id}`;
  const { data, problem } = useCall(path, { scenario });
  const cluster = data ?? row;
  const may = me.can('operate');
  const [making, make] = useState(false);
  const dismiss = () => ask({
    title: t('dismiss.title', { id: String(id) }), text: t('dismiss.text'), label: t('dismiss.yes'), tone: 'r', path: `${path}:dismiss`, after: again,
    choice: { name: 'days', legend: t('dismiss.days'), options: DAYS.map(days => [days, t('span.d', { n: days })]) },
  });
  useKeys(may ? { r: dismiss, m: () => make(true) } : {});
  const heat = (data?.gates ?? []).find(gate => gate.what === 'heat');
  return html`<section class="card" aria-labelledby="cluster"><h2 id="cluster">${t('missing.one', { id: String(id) })} <${State} cluster=${cluster} scenario=${scenario} /></h2>
    <${Phrases} cluster=${cluster} />
    ${cluster.dismissed && html`<p><${Mark} tone="mute">${t('dismiss.until')} <${Time} at=${cluster.dismissed.until} /><//> <bdi>${cluster.dismissed.by.principal}</bdi> <${Said} quote text=${cluster.dismissed.reason ?? ''} /></p>`}
    ${data?.heat_curve && html`<h3>${t('evidence.heat')}</h3><${Chart} keyed narrow title=${t('evidence.heat')} series=${[{ kind: 'area', name: t('evidence.heat'), points: data.heat_curve.map(point => ({ day: point.day, y: point.heat })) }]}
      gate=${heat && { y: heat.needs, name: t('pool.gate_at', { n: heat.needs }) }} />`}
    ${data?.gates && html`<h3>${t('missing.waits_for')}</h3><div class="scroll"><table class="plain"><caption class="sr">${t('missing.waits_for')}</caption>
      <thead class="sr"><tr><th scope="col">${t('missing.need')}</th><th scope="col">${t('missing.has')}</th><th scope="col">${t('missing.short')}</th></tr></thead>
      <tbody>${data.gates.map(gate => html`<tr><th scope="row">${word('need', gate.what)} ${told(gate.what, gate.needs)}
        ${gate === heat && gate.has !== cluster.heat && html`<br /><span class="dim">${t('need.counted', { heat: cluster.heat })}</span>`}</th><td class="num">${told(gate.what, gate.has)}</td>
      <td>${gate.met ? html`<${Mark} tone="ok">${t('missing.met')}<//>` : html`<${Chip}>${t('missing.not_yet')}<//>`}</td></tr>`)}</tbody></table></div>`}
    ${cluster.waits_for && html`<p class="sm"><${Sentence} text=${cluster.waits_for.detail} /></p>`}
    ${data?.near?.length > 0 && html`<h3>${t('missing.near')}</h3><p>${data.near.map(one => html`<a href=${href('missing', scenario, { w: one.cluster })}>${t('missing.one', { id: String(one.cluster) })}</a> <span class="dim">${percent(one.cosine)}</span> `)}</p>`}
    <${Problem} problem=${problem?.status === 404 ? null : problem} />
    <p class="row"><${Deed} may=${may} needs="operator" tone="p" k="m" onClick=${() => make(true)}>${t('make.yes')}<//>
      <${Deed} may=${may} needs="operator" tone="r" k="r" onClick=${dismiss}>${t('dismiss.yes')}<//></p>
    <p class="sm dim">${t('make.waits')}</p>
    ${making && html`<${Make} id=${id} of=${of} close=${() => make(false)} after=${again} />`}
  </section>`;
}

/** A key out of a cluster, in a person's words: what a reader of the pool would answer, with the ids of what was said. */
function Make({ id, of, close, after }) {
  const { data, problem } = useCall(`${of}/pool:review`, { quiet: true });
  const [key, put] = useState({ name: '', type: 'string', description: '', values: '' });
  const [came, tell] = useState({});
  const ids = data?.material.fragments.filter(fragment => fragment.cluster === id).map(fragment => fragment.id) ?? [];
  const field = event => put({ ...key, [event.target.name]: event.target.value });
  const submit = async event => {
    event.preventDefault();
    const values = key.values.split(',').map(value => value.trim()).filter(Boolean);
    const wish = { ids, name: key.name, type: key.type, description: key.description, values };
    const answer = await call('POST', `${of}/proposals`, { body: { wishes: [wish], digest: data.digest } });
    tell(answer.ok ? { body: answer.body } : { problem: answer.problem });
    if (answer.ok) after();
  };
  return html`<${Dialog} title=${t('make.title', { id: String(id) })} onClose=${close}><form method="dialog" onSubmit=${submit}>
    <${Problem} problem=${problem ?? came.problem} />
    ${!problem && html`
    ${data && html`<p>${ids.length ? t('make.ids', { n: ids.length }) : t('make.no_ids')}</p>`}
    <label>${t('edit.name')}<input name="name" required autofocus pattern="[a-z][a-z0-9]*(_[a-z0-9]+)*" maxlength="64" autocomplete="off" spellcheck=${false} value=${key.name} onInput=${field} /></label>
    <label>${t('edit.type')}<select name="type" value=${key.type} onChange=${field}>${['string', 'boolean', 'integer', 'number'].map(type => html`<option>${type}</option>`)}</select></label>
    <label>${t('edit.meaning')}<textarea name="description" required rows="3" value=${key.description} onInput=${field}></textarea></label>
    <label>${t('make.values')}<input name="values" autocomplete="off" value=${key.values} onInput=${field} /></label>
    ${came.body && html`<div role="status"><p>${t('make.came', { n: came.body.wishes })}</p>${came.body.refused.map(one => html`<p class="sm"><${Mark} tone="bad">${t('make.refused')}<//> <${Sentence} text=${`${one.at} ${one.why}`} /></p>`)}</div>`}
    `}<p class="row">${!problem && html`<button type="submit" class="p" disabled=${!ids.length || !!came.body}>${t('make.yes')}</button>`}<button type="button" onClick=${close}>${came.body || problem ? t('help.close') : t('ask.cancel')}</button></p>
  </form><//>`;
}

const told = (what, value) => (what.endsWith('share') ? percent(value) : number(value));

function Ledger({ ledger, pool }) {
  const rows = [[t('ledger.payloads'), number(ledger.payloads)], [t('ledger.other'), percent(ledger.other_ratio)], [t('ledger.pending'), number(pool?.pending ?? 0)], [t('ledger.clients'), number(ledger.clients)]];
  return html`<section class="card"><h2>${t('ledger.title', { n: ledger.window_days })}</h2><table class="plain"><caption class="sr">${t('ledger.title', { n: ledger.window_days })}</caption>
    <tbody>${rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td class="num">${value}</td></tr>`)}</tbody></table></section>`;
}
