// A candidate for the next version: what it changes, whom it would break, and publishing it.

import { useEffect, useRef } from '../vendor/hooks.js';
import { at, call, drafts, useCall, useDraft } from '../api.js';
import { query } from '../router.js';
import { number, t } from '../text.js';
import { Chip, Deed, Mark, Problem, Sentence, code, html } from '../parts/bits.js';
import { ask, recorded } from '../parts/dialog.js';
import { Changes } from '../parts/diff.js';

export function Candidate({ scenario, inForce, me }) {
  const old = inForce?.schema_id;
  const base = useCall(old && at('schemas', old), { scenario });
  const clients = useCall(me.can('inspect') && `${at('scenarios', scenario)}/clients${query({ limit: 1 })}`, { scenario });
  const begun = `candidate ${scenario}`;
  // What was checked last stays in sight, as that of the older text, while the text is changed.
  const [{ written, came, isOld }, put] = useDraft(begun, {});
  const result = useRef(null);
  const may = me.can('publish');
  const text = written ?? (base.data ? JSON.stringify(base.data, null, 2) : '');
  // What was written meanwhile is kept, and is not what was checked.
  const tell = came => {
    const now = drafts.get(begun)?.written ?? text;
    put({ written: now, came, isOld: now !== text });
  };
  const check = async () => {
    let schema;
    try { schema = JSON.parse(text); } catch (error) { tell({ local: error.message }); return; }
    tell({ ...await call('POST', 'v1/schemas:check', { body: schema }), schema });
  };
  const told = came?.body;
  const broken = told?.would_break;
  const sums = broken && {
    refused: broken.clients.reduce((sum, one) => sum + one.refused, 0), n: broken.looked_at, clients: broken.clients.length, known: clients.data?.total ?? '–',
  };
  const within = told?.compatibility.compared.find(one => one.schema_id === old);
  const isSame = told?.known || (within && !within.changes.length);
  const publish = () => ask({
    title: t('candidate.sure', { id: told.schema_id, version: told.version, scenario, was: inForce?.version ?? '–' }),
    text: [isSame && t('candidate.same'), sums && t('candidate.total', sums), t('candidate.sure_why')], label: t('candidate.publish_yes'), bare: true,
    method: 'PUT', path: at('schemas', told.schema_id), body: came.schema, record: recorded(scenario), after: answer => { tell({ ...answer, schema: came.schema, isReal: true }); drafts.delete(begun); },
  });
  // The button that published it can be pressed no more, and would lose the focus.
  useEffect(() => { if (told && came.isReal && !isOld) result.current.focus(); }, [came]);
  return html`<div class=${isOld ? 'two old' : 'two'}><form class="card" onSubmit=${event => { event.preventDefault(); check(); }}>
      <h2>${t('candidate.tab')}</h2><p class="sm dim">${t('candidate.how')}</p>
      <label>${t('try.template')}<textarea class="code" rows="22" spellcheck=${false} value=${text} onInput=${event => put({ written: event.target.value, came, isOld: true })}></textarea></label>
      <p class="row"><${Deed} may=${may} needs="publisher" type="submit" tone="p">${t('candidate.check')}<//>
        <${Deed} may=${may} needs="publisher" disabled=${!told?.publishable || came.isReal || isOld} onClick=${publish}>${t('candidate.publish')}<//></p></form>
    <div aria-live="polite" tabindex="-1" ref=${result}>
      ${isOld && came && html`<p class="notice">${t('candidate.old')}</p>`}
      ${came?.local && html`<div class="card problem"><h2>${t('try.no_json')}</h2><p lang="en">${came.local}</p></div>`}
      <${Problem} problem=${came?.problem} />
      ${told && html`<section class="card"><h2>${came.isReal ? html`<${Mark} tone="ok">${t('candidate.published')}<//>` : told.publishable ? html`<${Mark} tone="ok">${t('candidate.may')}<//>` : html`<${Mark} tone="bad">${t('try.refused')}<//>`}
          ${code(told.schema_id)} ${told.version}</h2>
        ${sums && html`<p><b>${t('candidate.total', sums)}</b></p>${sums.refused > 0 && html`<p>${t('candidate.by_key')} ${byKey(broken.clients).map(([key, n], at) => html`${at > 0 && ', '}${code(key)} ${t('missing.by', { n })}`)}</p>`}`}
        ${told.refusal && html`<p>${told.refusal.compatibility ? t('candidate.incompatible', { mode: told.compatibility.mode }) : html`<${Sentence} text=${told.refusal.detail} />`}</p>`}
        <p><${Mark} tone=${told.score >= 90 ? 'ok' : 'warn'}>${t('came.lint', { n: told.score })}<//> ${told.known && html`<${Chip}>${t('candidate.known')}<//>`}</p>
        ${told.findings.length > 0 && html`<details><summary>${t('candidate.findings', { n: told.findings.length })}</summary><ul class="sm">${told.findings.map(finding => html`<li><code>${finding.pointer}</code> <${Sentence} text=${finding.message} /></li>`)}</ul></details>`}
      </section>`}
    </div></div>
    ${told && html`<div class=${isOld && 'old'}>${told.compatibility.compared.map(one => html`<section class="card"><h2>${t('candidate.beside')} ${code(one.schema_id)} ${one.version}
        ${one.enforced && html`<${Mark} tone=${one.compatible ? 'ok' : 'bad'}>${t(one.compatible ? 'candidate.keeps' : 'candidate.breaks', { mode: told.compatibility.mode })}<//>`}</h2>
        ${!one.enforced && html`<p>${t('candidate.free', { mode: told.compatibility.mode })}</p>`}
        <${Changes} changes=${one.changes} sides=${one.schema_id === old && base.data && [base.data, came.schema]} /></section>`)}<${Break} told=${broken} /></div>`}`;
}

/** With how many clients each key would refuse something, the most first. */
function byKey(clients) {
  const counts = {};
  for (const key of clients.flatMap(one => one.keys)) counts[key] = (counts[key] ?? 0) + 1;
  return Object.entries(counts).sort((a, b) => b[1] - a[1]);
}

/** Whom it would refuse, by what they submitted lately. */
function Break({ told }) {
  if (!told) return null;
  return html`<section class="card"><h2>${t('candidate.break')}</h2>
    ${told.clients.length ? html`<div class="scroll"><table class="plain"><caption class="sr">${t('candidate.break')}</caption><thead><tr><th scope="col">${t('uses.client')}</th><th scope="col" class="num">${t('figure.refused_ratio')}</th><th scope="col">${t('candidate.keys')}</th></tr></thead>
      <tbody>${told.clients.map(one => html`<tr><th scope="row"><bdi>${one.client ?? t('nobody')}</bdi></th><td class="num">${t('candidate.of', { n: one.refused, of: one.submissions })}</td><td>${one.keys.map(key => html`${code(key)} `)}</td></tr>`)}</tbody></table></div>`
      : html`<p><${Mark} tone="ok">${t('candidate.nobody')}<//></p>`}
    <p class="sm dim">${t('candidate.looked', { n: told.looked_at })} ${told.gone > 0 && t('candidate.gone', { n: number(told.gone) })}</p></section>`;
}
