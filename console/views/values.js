// Values that wait for a person: what a client gave to a learned key, beside what was said.

import { useState } from '../vendor/hooks.js';
import { at, call, useCall } from '../api.js';
import { query, set } from '../router.js';
import { t } from '../text.js';
import { Deed, Empty, Problem, Said, Time, code, html, instead } from '../parts/bits.js';
import { Opener, Panel, Table } from '../parts/table.js';

const PAGE = 50;

export function Values({ scenario, params, me }) {
  const may = me.can('audit');
  const { data, problem, again } = useCall(may && `v1/audits${query({ limit: PAGE, scenario, after: params.after })}`, { scenario });
  const [failed, fail] = useState(null);
  if (!may) return html`<${Empty} title=${t('values.not')} text=${t('may_not', { role: t('values.who') })} />`;
  if (!data) return instead({ problem, again });
  if (!data.audits.length) return html`<${Empty} title=${t('values.none')} text=${t('values.none_why')} />`;
  const shown = params.v ? data.audits.find(one => one.id === params.v) : data.audits[0];
  const say = async verdict => {
    const answer = await call('POST', at('audits', shown.id), { body: { verdict } });
    fail(answer.problem);
    if (answer.ok) { set({ v: '' }); again(); }
  };
  return html`<p class="lead">${t('values.lead', { n: data.waiting })} ${t('values.first')}</p><${Problem} problem=${failed ?? problem} data=${data} />
    <div class="two"><section class="card"><${Table} caption=${t('waits.values')} rows=${data.audits} id=${one => one.id} param="v" open=${shown?.id} next=${data.next} first=${params.after} columns=${[
      { head: t('waits.key'), cell: one => html`<${Opener} param="v" value=${one.id} open=${shown?.id}><b><bdi>${one.key.key_name}</bdi></b><//>` },
      { head: t('values.value'), cell: one => html`${code(JSON.stringify(one.value))}` },
      { head: t('values.said_at'), cell: one => html`<${Time} short at=${one.said_at} />` },
    ]} /></section>
    <${Panel} open=${params.v}>${!shown ? html`<p class="notice" role="alert">${t('waits.gone')}</p>` : html`<section class="card"><h2>${code(shown.key.key_name)} = ${code(JSON.stringify(shown.value))}</h2>
      <p><${Said} text=${shown.key.semantic_description} /></p>
      <h3>${t('values.said')}</h3>
      ${shown.gone ? html`<p class="dim">${t('values.gone')}</p>` : html`<p><${Said} quote text=${shown.utterance} /></p>${shown.other.map(text => html`<p><${Said} quote text=${text} /></p>`)}`}
      <p class="row"><${Deed} may=${may} tone="p" onClick=${() => say('aligned')}>${t('values.right')}<//>
        <${Deed} may=${may} tone="r" onClick=${() => say('not_aligned')}>${t('values.wrong')}<//>
        <${Deed} may=${may} onClick=${() => say('cannot_tell')}>${t('values.cannot')}<//></p></section>`}<//></div>`;
}
