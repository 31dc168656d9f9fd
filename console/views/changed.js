// What changed: what is different, for whom, of which class; and who decided it.

import { useState } from '../vendor/hooks.js';
import { useCall } from '../api.js';
import { useKeys } from '../keys.js';
import { href, set } from '../router.js';
import { t, word } from '../text.js';
import { Busy, Empty, Kbd, Problem, Said, Sentence, Time, html } from '../parts/bits.js';
import { Changes, Class } from '../parts/diff.js';
import { Table } from '../parts/table.js';
import { Candidate } from './candidate.js';

const PAGE = 50;

export function Changed({ scenario, params, me, list }) {
  const at = `v1/scenarios/${encodeURIComponent(scenario)}`;
  const inspects = me.can('inspect');
  const { data: told, problem } = useCall(inspects ? `${at}/versions` : null, { scenario });
  const versions = told?.versions ?? [];
  const tab = params.tab ?? '';
  const tabs = [['', t('changed.by_class')], ['json', 'JSON'], ...(inspects ? [['log', t('changed.log')]] : []), ...(me.can('publish') ? [['candidate', t('candidate.tab')]] : [])];
  useKeys(Object.fromEntries(tabs.map(([id], at) => [at + 1, () => set({ tab: id, after: '' })])));
  const inForce = versions.find(version => version.in_force) ?? versions[0];
  const older = versions.find(version => version !== inForce) ?? inForce;
  const own = list?.scenarios.find(one => one.scenario === scenario)?.schema_id;
  const from = params.from ?? older?.schema_id ?? own;
  const to = params.to ?? inForce?.schema_id ?? own;
  return html`<h1>${t('changed.title')}</h1><p class="lead">${t('changed.lead')}</p>
    <${Problem} problem=${problem} />
    ${tab !== 'candidate' && tab !== 'log' && html`<form class="card search" onSubmit=${event => event.preventDefault()}>
      <${Side} name="from" label=${t('changed.older')} value=${from} versions=${versions} />
      <${Side} name="to" label=${t('changed.newer')} value=${to} versions=${versions} />
      ${inspects && html`<label>${t('changed.seen_by')}<input value=${params.client ?? ''} placeholder=${t('changed.me')} onChange=${event => set({ client: event.target.value })} autocomplete="off" /></label>`}
    </form>`}
    <div class="tabs" role="group" aria-label=${t('changed.title')}>${tabs.map(([id, name], at) => html`<button type="button" aria-pressed=${tab === id} onClick=${() => set({ tab: id, after: '' })}>${name} <${Kbd}>${at + 1}<//></button>`)}</div>
    ${tab === 'candidate' ? html`<${Candidate} inForce=${inForce?.schema_id} me=${me} />`
      : tab === 'log' ? html`<${Log} at=${at} scenario=${scenario} after=${params.after} />`
      : from && to ? html`<${Difference} at=${at} scenario=${scenario} from=${from} to=${to} client=${params.client} asJson=${tab === 'json'} />`
      : told && html`<${Empty} title=${t('changed.none')} text=${t('changed.none_why')} />`}`;
}

/** A schema out of the list, or a revision by its number. */
function Side({ name, label, value, versions }) {
  const [typed, put] = useState(null);
  const isListed = versions.some(version => version.schema_id === value);
  return html`<label>${label}<select value=${isListed ? value : ''} onChange=${event => event.target.value && set({ [name]: event.target.value })}>
      ${!isListed && html`<option value="">${value ?? ''}</option>`}
      ${versions.map(version => html`<option value=${version.schema_id}>${version.version} · ${word('version', version.in_force ? 'in_force' : version.state)}</option>`)}</select></label>
    <label>${t('changed.revision')}<input inputmode="numeric" pattern="[0-9]*" value=${typed ?? (isListed ? '' : value ?? '')} onInput=${event => put(event.target.value)} onChange=${event => { set({ [name]: event.target.value || undefined }); put(null); }} autocomplete="off" /></label>`;
}

function Difference({ at, scenario, from, to, client, asJson }) {
  const query = new URLSearchParams({ from, to, ...(client && { client }) });
  const { data, problem, loading, again } = useCall(`${at}/diff?${query}`, { scenario });
  if (problem && !data) return html`<${Problem} problem=${problem} again=${again} />`;
  if (loading || !data) return html`<${Busy} />`;
  if (asJson) return html`<section class="card"><pre tabindex="0" aria-label="JSON">${JSON.stringify(data, null, 2)}</pre></section>`;
  const name = side => `${side.version} · ${t('overview.revision', { n: side.revision })}`;
  return html`<section class="card"><h2><code><bdi>${data.from.schema_id}</bdi></code> ${name(data.from)} → <code><bdi>${data.to.schema_id}</bdi></code> ${name(data.to)} <${Class} of=${data.class} /></h2>
    <${Changes} changes=${data.changes} /></section>`;
}

function Log({ at, scenario, after }) {
  const { data, problem, loading, again } = useCall(`${at}/decision-log?${new URLSearchParams({ limit: PAGE, ...(after && { after }) })}`, { scenario });
  if (problem && !data) return html`<${Problem} problem=${problem} again=${again} />`;
  if (loading || !data) return html`<${Busy} />`;
  if (!data.decisions.length) return html`<${Empty} title=${t('log.none')} text=${t('log.none_why')} />`;
  return html`<section class="card"><${Table} caption=${t('changed.log')} rows=${data.decisions} id=${one => String(one.seq)} next=${data.next} first=${after} columns=${[
    { head: t('log.at'), cell: one => html`<${Time} at=${one.at} />` },
    { head: t('changed.what'), cell: one => html`<${Sentence} text=${one.says} />${one.patch_id && html` <a class="sm" href=${href('overview', scenario, { p: one.patch_id })}><bdi>${one.patch_id}</bdi></a>`}
      ${one.because.length > 0 && html`<details class="sm"><summary>${t('log.because')}</summary><ul>${one.because.map(sentence => html`<li><${Sentence} text=${sentence} /></li>`)}</ul></details>`}` },
    { head: t('log.by'), cell: one => html`${one.by ? html`<bdi>${one.by.principal}</bdi>` : html`<span class="dim">${t('log.rule')}</span>`}${one.reason && html`<br /><${Said} quote text=${one.reason} />`}` },
  ]} /></section>`;
}
