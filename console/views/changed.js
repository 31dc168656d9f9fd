// What changed: what is different, for whom, of which class; and who decided it.

import { useState } from '../vendor/hooks.js';
import { at, useCall } from '../api.js';
import { href, query, set } from '../router.js';
import { t, word } from '../text.js';
import { Empty, Problem, Said, Sentence, Tabs, Time, code, html, instead } from '../parts/bits.js';
import { Changes, Class } from '../parts/diff.js';
import { Table } from '../parts/table.js';
import { Candidate } from './candidate.js';
import { Sides } from './sides.js';

const PAGE = 50;

export function Changed({ scenario, params, me, list }) {
  const path = at('scenarios', scenario);
  const inspects = me.can('inspect');
  const { data: told, problem } = useCall(inspects && `${path}/versions`, { scenario });
  const versions = told?.versions ?? [];
  const tab = params.tab ?? '';
  const tabs = [['', t('changed.by_class')], ['sides', t('changed.sides')], ['json', 'JSON'], ...(inspects ? [['log', t('changed.log')]] : []),
    ...(me.can('publish') ? [['candidate', t('candidate.tab')]] : [])];
  const inForce = versions.find(version => version.in_force) ?? versions[0];
  const own = list?.scenarios.find(one => one.scenario === scenario);
  const to = params.to ?? inForce?.schema_id ?? own?.schema_id;
  // Without a word: what the last change made different.
  const from = params.from ?? (own?.revision > 1 ? String(own.revision - 1) : to);
  return html`<h1>${t('changed.title')}</h1><p class="lead">${t('changed.lead')}</p>
    <${Problem} problem=${problem} />
    ${tab !== 'candidate' && tab !== 'log' && html`<form class="card search" onSubmit=${event => event.preventDefault()}>
      <${Side} name="from" label=${t('changed.older')} value=${from} versions=${versions} />
      <${Side} name="to" label=${t('changed.newer')} value=${to} versions=${versions} />
      ${inspects && html`<label>${t('changed.seen_by')}<input value=${params.client ?? ''} placeholder=${t('changed.me')} onChange=${event => set({ client: event.target.value })} autocomplete="off" /></label>`}
    </form>`}
    <${Tabs} label=${t('changed.title')} tabs=${tabs} open=${tab} />
    ${tab === 'candidate' ? html`<${Candidate} scenario=${scenario} inForce=${inForce} me=${me} />`
      : tab === 'log' ? html`<${Log} of=${path} scenario=${scenario} after=${params.after} />`
      : from !== to ? html`<${Difference} of=${path} scenario=${scenario} from=${from} to=${to} client=${params.client} tab=${tab} />`
      : to && html`<${Empty} title=${t('changed.none')} text=${t('changed.none_why')} />`}`;
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

function Difference({ of, scenario, from, to, client, tab }) {
  const { data, ...call } = useCall(`${of}/diff${query({ from, to, client })}`, { scenario });
  if (!data) return instead(call);
  if (tab === 'json') return html`<section class="card"><pre tabindex="0" aria-label="JSON">${JSON.stringify(data, null, 2)}</pre></section>`;
  const name = side => `${side.version} · ${t('overview.revision', { n: side.revision })}`;
  return html`<section class="card"><h2>${code(data.from.schema_id)} ${name(data.from)} → ${code(data.to.schema_id)} ${name(data.to)} <${Class} of=${data.class} /></h2>
    ${tab === 'sides' ? html`<${Sides} of=${of} scenario=${scenario} told=${data} from=${from} to=${to} client=${client} />` : html`<${Changes} changes=${data.changes} />`}</section>`;
}

function Log({ of, scenario, after }) {
  const { data, ...call } = useCall(`${of}/decision-log${query({ limit: PAGE, after })}`, { scenario });
  if (!data) return instead(call);
  if (!data.decisions.length) return html`<${Empty} title=${t('log.none')} text=${t('log.none_why')} />`;
  return html`<section class="card"><${Table} caption=${t('changed.log')} rows=${data.decisions} id=${one => String(one.seq)} next=${data.next} first=${after} columns=${[
    { head: t('log.at'), cell: one => html`<${Time} at=${one.at} />` },
    { head: t('changed.what'), cell: one => html`<${Sentence} text=${one.says} />${one.patch_id && html` <a class="sm" href=${href('overview', scenario, { p: one.patch_id })}><bdi>${one.patch_id}</bdi></a>`}
      ${one.because.length > 0 && html`<details class="sm"><summary>${t('log.because')}</summary><ul>${one.because.map(sentence => html`<li><${Sentence} text=${sentence} /></li>`)}</ul></details>`}` },
    { head: t('log.by'), cell: one => html`${one.by ? html`<bdi>${one.by.principal}</bdi>` : html`<span class="dim">${t('log.rule')}</span>`}${one.reason && !one.says.includes(one.reason) && html`<br /><${Said} quote text=${one.reason} />`}` },
  ]} /></section>`;
}
