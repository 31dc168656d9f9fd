// Values that wait for a person: what a client gave to a learned key, beside what was said.

import { at, useCall } from '../api.js';
import { query } from '../router.js';
import { t } from '../text.js';
import { Deed, Empty, Problem, Said, Time, code, html, instead } from '../parts/bits.js';
import { ask, recorded } from '../parts/dialog.js';
import { Opener, Panel, Table, useOpen } from '../parts/table.js';

const PAGE = 50;

export function Values({ scenario, params, me }) {
  const may = me.can('audit');
  const path = may && `v1/audits${query({ limit: PAGE, scenario, after: params.after })}`;
  const { data, problem, again } = useCall(path, { scenario });
  const rows = data?.audits;
  const [, shown, pass] = useOpen(path, rows, one => one.id, 'v', params);
  if (!may) return html`<${Empty} title=${t('values.not')} text=${t('may_not', { role: t('values.who') })} />`;
  if (!rows || (params.after && !rows.length)) return instead({ problem, again });
  if (!rows.length) return html`<${Empty} title=${t('values.none')} text=${t('values.none_why')} />`;
  const say = (verdict, label, tone = '') => ask({
    title: `${label}: \`${shown.key.key_name}\` = \`${JSON.stringify(shown.value)}\``, label, tone, path: at('audits', shown.id), body: { verdict },
    record: recorded(shown.scenario), after: () => { pass([shown.id]); again(); }, failed: again,
  });
  const verdicts = [['aligned', t('values.right'), 'p'], ['not_aligned', t('values.wrong'), 'r'], ['cannot_tell', t('values.cannot')]];
  return html`<p class="lead">${t('values.lead', { n: data.waiting })} ${t('values.first')}</p><${Problem} problem=${problem} data=${data} again=${again} />
    <div class="two"><section class="card"><${Table} caption=${t('waits.values')} rows=${rows} id=${one => one.id} param="v" open=${shown?.id} next=${data.next} first=${params.after} columns=${[
      { head: t('waits.key'), cell: one => html`<${Opener} param="v" value=${one.id} open=${shown?.id}><b><bdi>${one.key.key_name}</bdi></b><//>` },
      { head: t('values.value'), cell: one => html`${code(JSON.stringify(one.value))}` },
      { head: t('values.said_at'), cell: one => html`<${Time} short at=${one.said_at} />` },
    ]} /></section>
    <${Panel} open=${params.v}>${!shown ? html`<p class="notice" role="alert">${t('waits.gone')}</p>` : html`<section class="card"><h2>${code(shown.key.key_name)} = ${code(JSON.stringify(shown.value))}</h2>
      <p><${Said} text=${shown.key.semantic_description} /></p>
      <h3>${t('values.said')}</h3>
      ${shown.gone ? html`<p class="dim">${t('values.gone')}</p>` : html`<p><${Said} quote text=${shown.utterance} /></p>${shown.other.map(text => html`<p><${Said} quote text=${text} /></p>`)}`}
      <p class="row">${verdicts.map(one => html`<${Deed} may=${may} tone=${one[2]} onClick=${() => say(...one)}>${one[1]}<//>`)}</p></section>`}<//></div>`;
}
