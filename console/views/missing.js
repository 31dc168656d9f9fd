// What is missing: what do clients say that no key holds?

import { useState } from '../vendor/hooks.js';
import { asCurl, at, call, credentials, useCall, useDraft } from '../api.js';
import { useKeys } from '../keys.js';
import { href, query, set } from '../router.js';
import { number, percent, t, word } from '../text.js';
import { Busy, Chip, Deed, Empty, Mark, Problem, Said, Sentence, Time, Typed, html, instead } from '../parts/bits.js';
import { Chart } from '../parts/chart.js';
import { Dialog, ask, recorded } from '../parts/dialog.js';
import { Fields, listed } from '../parts/edit.js';
import { Opener, Panel, Table, useOpen } from '../parts/table.js';

const PAGE = 50;
const STATES = ['cold', 'open', 'proposed', 'settled', 'read', 'dismissed'];
const SORTS = ['heat', 'growth', 'clients'];
const TONES = { proposed: 'warn', open: 'ok', settled: 'info', read: 'info' };
/** For how long a cluster that is no wish rests, where nothing else is said. */
const DAYS = [30, 90, 365];

export function Missing({ scenario, params, me }) {
  const { q = '', state = '', sort = 'heat', after } = params;
  const path = at('scenarios', scenario);
  const list = `${path}/pool${query({ words: true, limit: PAGE, q, state, sort: sort !== 'heat' && sort, after })}`;
  const { data, problem, loading, again } = useCall(list, { scenario });
  const ledger = useCall(`${path}/ledger`, { scenario });
  const rows = data?.clusters;
  const [id, row] = useOpen(list, rows, row => String(row.id), 'w', params);
  return html`<h1>${t('missing.title')}</h1>
    <p class="lead">${ledger.data && t('missing.lead', { share: percent(ledger.data.other_ratio), n: ledger.data.payloads, days: ledger.data.window_days })}
      ${data && ` ${t('missing.clusters', { n: data.total })}`} ${data?.pending > 0 && t('missing.pending', { n: data.pending })}</p>
    <${Search} q=${q} state=${state} sort=${sort} />
    <${Problem} problem=${problem} data=${data} again=${again} />
    ${loading && html`<${Busy} />`}
    ${data && !rows.length && (q || state
      ? html`<${Empty} title=${t('missing.no_match')} text=${t('missing.no_match_why')} />`
      : html`<${Empty} title=${t('missing.none')} text=${t('missing.none_why')} command=${asCurl({ method: 'POST', path: `${path}/extensions`, headers: { ...credentials(), 'Content-Type': 'application/json' }, body: { wishes: ['a window seat please'] } })} />`)}
    ${data && id && html`<div class="two"><section class="card">
      <${Table} caption=${t('missing.list')} rows=${rows} id=${row => String(row.id)} param="w" open=${id} next=${data.next} first=${after} columns=${[
        { head: t('missing.say'), cell: row => html`<${Opener} param="w" value=${String(row.id)} open=${id}><${Phrases} cluster=${row} max=${2} /><//>
          <span class="dim sm">${t('missing.cluster', { id: String(row.id), n: row.members })} <${Time} short at=${row.opened_at} /></span>` },
        { head: t('evidence.heat'), num: true, cell: row => html`<b>${number(row.heat)}</b><br /><span class="dim sm">${row.growth > 0 ? '▲ ' : row.growth < 0 ? '▼ ' : ''}${number(Math.abs(row.growth))}</span>` },
        { head: t('figure.clients'), num: true, cell: row => number(row.clients) },
        { head: t('missing.state'), cell: row => html`<${State} cluster=${row} scenario=${scenario} />` },
      ]} /></section>
      <${Panel} open=${params.w}><${Cluster} key=${id} id=${id} of=${path} scenario=${scenario} params=${params} row=${row} me=${me} again=${again} /><//></div>`}`;
}

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
  const phrases = cluster.phrases.slice(0, max);
  if (!phrases.length) return html`<span class="dim">${t('words.withheld')}</span>`;
  return phrases.map(phrase => html`<span class="q"><${Said} quote text=${phrase.text} /> ${!max && html`<span class="dim sm">${t('missing.by', { n: phrase.clients })}</span>`}</span>`);
}

const patchOf = cluster => cluster.triggers.findLast(trigger => trigger.patch_id)?.patch_id;

function State({ cluster, scenario }) {
  const patch = patchOf(cluster);
  const lacks = cluster.gates?.find(gate => gate.what === 'fragments');
  return html`<${Chip} tone=${TONES[cluster.state] ?? 'mute'}>${isFew(cluster) ? t('cluster.few') : word('cluster', cluster.state)}${isFew(cluster) && lacks && t('missing.few', { n: lacks.has, of: lacks.needs })}<//>${patch && html`<br /><a class="sm" href=${href('overview', scenario, { p: patch })}><bdi>${patch}</bdi></a>`}`;
}

/** Its gate is open, and too few wishes say it to make a key of. */
const isFew = cluster => cluster.state === 'settled' && cluster.waits_for?.code === 'fragments';

function Cluster({ id, of, scenario, params, row, me, again }) {
  const path = `${of}/pool/${encodeURIComponent(id)}`;
  const { data, ...call } = useCall(path, { scenario });
  const cluster = data ?? row;
  const may = me.can('operate');
  const [making, make] = useState(false);
  const after = () => { again(); call.again(); };
  const dismiss = () => ask({
    title: t('dismiss.title', { id }), text: t('dismiss.text'), label: t('dismiss.yes'), tone: 'r', path: `${path}:dismiss`, record: recorded(scenario), after,
    choice: { name: 'days', legend: t('dismiss.days'), chosen: DAYS[0], options: DAYS.map(days => [days, t('span.d', { n: days })]) },
  });
  useKeys(may && cluster ? { r: dismiss, m: () => make(true) } : {});
  if (!cluster) return call.problem?.status === 404 ? html`<p class="notice" role="alert">${t('missing.gone', { id })}</p>` : instead(call);
  const gates = data?.gates;
  const heat = gates?.find(gate => gate.what === 'heat');
  return html`<section class="card"><h2 id="cluster">${t('missing.one', { id })} <${State} cluster=${cluster} scenario=${scenario} /></h2>
    <${Phrases} cluster=${cluster} />
    ${cluster.dismissed && html`<p><${Mark} tone="mute">${t('dismiss.until')} <${Time} at=${cluster.dismissed.until} /><//> <bdi>${cluster.dismissed.by.principal}</bdi> <${Said} quote text=${cluster.dismissed.reason ?? ''} /></p>`}
    ${data && html`<h3>${t('evidence.heat')}</h3><${Chart} keyed title=${t('evidence.heat')} series=${[{ kind: 'area', name: t('evidence.heat'), points: data.heat_curve.map(point => ({ day: point.day, y: point.heat })) }]}
      gate=${{ y: heat.needs, name: t('pool.gate_at', { n: heat.needs }) }} />`}
    ${gates && html`<h3>${t('missing.waits_for')}</h3><p>${t('missing.needs', Object.fromEntries(gates.map(gate => [gate.what, told(gate.what, gate.needs)])))}</p>
      <div class="scroll"><table class="plain"><caption class="sr">${t('missing.waits_for')}</caption><tbody>${gates.map(gate => html`<tr><th scope="row">${word('need', gate.what)} ${told(gate.what, gate.needs)}
        ${gate === heat && gate.has !== cluster.heat && html`<br /><span class="dim">${t('need.counted', { heat: cluster.heat })}</span>`}</th><td class="num">${told(gate.what, gate.has)}</td>
      <td>${gate.met ? html`<${Mark} tone="ok">${t('missing.met')}<//>` : html`<${Chip}>${t('missing.not_yet')}<//>`}</td></tr>`)}</tbody></table></div>`}
    ${cluster.waits_for && !isFew(cluster) && html`<p class="sm"><${Sentence} text=${cluster.waits_for.detail} /></p>`}
    ${data?.near?.length > 0 && html`<h3>${t('missing.near')}</h3><p>${data.near.map(one => html`<a href=${href('missing', scenario, { ...params, w: one.cluster })}>${t('missing.one', { id: String(one.cluster) })}</a> <span class="dim">${percent(one.cosine)}</span> `)}</p>`}
    <${Problem} problem=${call.problem} />
    <p class="row"><${Deed} may=${may} tone="p" k="m" onClick=${() => make(true)}>${t('make.yes')}<//>
      <${Deed} may=${may} tone="r" k="r" onClick=${dismiss}>${t('dismiss.yes')}<//></p>
    <p class="sm dim">${t('make.waits')} ${t('make.follow')}</p>
    ${making && html`<${Make} cluster=${cluster} of=${of} scenario=${scenario} close=${() => make(false)} after=${after} />`}
  </section>`;
}

/** A key out of a cluster, in a person's words. */
function Make({ cluster, of, scenario, close, after }) {
  const [key, put] = useDraft(`${of} ${cluster.id}`, { key_name: '', key_type: 'string', semantic_description: '', values: '' });
  const [came, tell] = useState({});
  const submit = async event => {
    event.preventDefault();
    const wish = { cluster: cluster.id, name: key.key_name, type: key.key_type, description: key.semantic_description, values: listed(key.values) };
    const answer = await call('POST', `${of}/proposals`, { body: { wishes: [wish] } });
    tell(answer);
    if (answer.ok && !answer.body.refused?.length) { put(null); after(); }
  };
  const refused = came.body?.refused ?? [];
  const isDone = came.ok && !refused.length;
  return html`<${Dialog} title=${t('make.title', { id: String(cluster.id) })} onClose=${close}><form method="dialog" onSubmit=${submit}>
    <${Problem} problem=${came.problem} />
    <div role="status">${refused.map(one => html`<p><${Mark} tone="bad">${t('make.refused')}<//> <${Sentence} text=${one.why} /></p>`)}
      ${isDone && html`<p><${Mark} tone="ok">${t('make.came')}<//> ${cluster.state === 'cold' ? t('make.closed') : t('make.open')} <a href=${href('waits', scenario)}>${t('waits.title')}</a></p>
        ${cluster.state === 'cold' && html`<p><${Sentence} text=${cluster.waits_for?.detail} /></p>`}`}</div>
    ${!isDone && html`<${Fields} draft=${key} change=${put} may />`}
    <p class="row">${!isDone && html`<button type="submit" class="p">${t('make.yes')}</button>`}<button type="button" onClick=${close}>${isDone ? t('help.close') : t('ask.cancel')}</button></p>
  </form><//>`;
}

const told = (what, value) => (what.endsWith('share') ? percent(value) : number(value));
