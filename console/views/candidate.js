// A candidate for the next version: what it changes, whom it would break, and publishing it.

import { useEffect, useRef, useState } from '../vendor/hooks.js';
import { at, call, useCall } from '../api.js';
import { number, t } from '../text.js';
import { Chip, Deed, Mark, Problem, Sentence, html } from '../parts/bits.js';
import { Dialog } from '../parts/dialog.js';
import { Changes } from '../parts/diff.js';

export function Candidate({ inForce, me }) {
  const base = useCall(inForce && at('schemas', inForce), { quiet: true });
  const [written, write] = useState(null);
  const [came, tell] = useState(null);
  const [sure, ask] = useState(false);
  const result = useRef(null);
  const may = me.can('publish');
  const document = written ?? (base.data ? JSON.stringify(base.data, null, 2) : '');
  const send = async isReal => {
    let schema;
    try { schema = JSON.parse(document); } catch (error) { tell({ local: error.message }); return; }
    const answer = isReal ? await call('PUT', at('schemas', schema.schema_id), { body: schema }) : await call('POST', 'v1/schemas:check', { body: schema });
    ask(false);
    tell({ ...answer, isReal, schema });
  };
  const told = came?.body;
  // The button that published it can be pressed no more, and would lose the focus.
  useEffect(() => { if (told && came.isReal) result.current.focus(); }, [came]);
  return html`<div class="two"><form class="card" onSubmit=${event => { event.preventDefault(); send(false); }}>
      <h2>${t('candidate.title')}</h2><p class="sm dim">${t('candidate.how')}</p>
      <label>${t('candidate.document')}<textarea class="code" rows="22" spellcheck=${false} value=${document} onInput=${event => { write(event.target.value); tell(null); }}></textarea></label>
      <p class="row"><${Deed} may=${may} needs="publisher" type="submit" tone="p">${t('candidate.check')}<//>
        <${Deed} may=${may} needs="publisher" disabled=${!told?.publishable || came.isReal} onClick=${() => ask(true)}>${t('candidate.publish')}<//></p></form>
    <div aria-live="polite" tabindex="-1" ref=${result}>
      ${came?.local && html`<div class="card problem"><h2>${t('try.no_json')}</h2><p lang="en">${came.local}</p></div>`}
      ${came && !came.ok && !came.local && html`<${Problem} problem=${came.problem} />`}
      ${told && html`<section class="card"><h2>${came.isReal ? html`<${Mark} tone="ok">${t('candidate.published')}<//>` : told.publishable ? html`<${Mark} tone="ok">${t('candidate.may')}<//>` : html`<${Mark} tone="bad">${t('candidate.may_not')}<//>`}
          <code><bdi>${told.schema_id}</bdi></code> ${told.version}</h2>
        <p><${Mark} tone=${told.score >= 90 ? 'ok' : 'warn'}>${t('came.lint', { n: told.score })}<//> ${told.known && html`<${Chip}>${t('candidate.known')}<//>`}</p>
        ${told.refusal && html`<p><${Sentence} text=${told.refusal.detail} /></p>`}
        ${told.findings.length > 0 && html`<details><summary>${t('candidate.findings', { n: told.findings.length })}</summary><ul class="sm">${told.findings.map(finding => html`<li><code>${finding.pointer}</code> <${Sentence} text=${finding.message} /></li>`)}</ul></details>`}
      </section>
      <${Break} told=${told.would_break} />`}
    </div></div>
    ${told && html`${told.compatibility.compared.map(one => html`<section class="card"><h2>${t('candidate.beside')} <code><bdi>${one.schema_id}</bdi></code> ${one.version}
        <${Mark} tone=${one.compatible ? 'ok' : 'bad'}>${t(one.compatible ? 'candidate.keeps' : 'candidate.breaks', { mode: told.compatibility.mode })}<//></h2><${Changes} changes=${one.changes} /></section>`)}`}
    ${sure && html`<${Dialog} title=${t('candidate.sure')} onClose=${() => ask(false)}><p>${t('candidate.sure_why')}</p>
      <p class="row"><button type="button" class="p" autofocus onClick=${() => send(true)}>${t('candidate.publish')}</button><button type="button" onClick=${() => ask(false)}>${t('ask.cancel')}</button></p><//>`}`;
}

/** Whom it would refuse, by what they submitted lately. */
function Break({ told }) {
  if (!told) return null;
  return html`<section class="card"><h2>${t('candidate.break')}</h2>
    ${told.clients.length ? html`<div class="scroll"><table class="plain"><caption class="sr">${t('candidate.break')}</caption><thead><tr><th scope="col">${t('uses.client')}</th><th scope="col" class="num">${t('candidate.refused')}</th><th scope="col">${t('candidate.keys')}</th></tr></thead>
      <tbody>${told.clients.map(one => html`<tr><th scope="row"><bdi>${one.client ?? t('nobody')}</bdi></th><td class="num">${t('candidate.of', { n: one.refused, of: one.submissions })}</td><td>${one.keys.map(key => html`<code><bdi>${key}</bdi></code> `)}</td></tr>`)}</tbody></table></div>`
      : html`<p><${Mark} tone="ok">${t('candidate.nobody')}<//></p>`}
    <p class="sm dim">${t('candidate.looked', { n: told.looked_at })} ${told.gone > 0 && t('candidate.gone', { n: number(told.gone) })}</p></section>`;
}
