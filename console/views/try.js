// Try it: what do clients get, and why am I refused? What is tried is validated and leaves no trace.

import { useState } from '../vendor/hooks.js';
import { at, call, requestId, useCall, useDraft } from '../api.js';
import { query, set } from '../router.js';
import { t, word } from '../text.js';
import { Busy, Chip, Deed, Kbd, Mark, Problem, Said, Sentence, Tabs, Typed, code, html } from '../parts/bits.js';
import { ask } from '../parts/dialog.js';

const FORMS = ['template', 'json-schema', 'openai-tool', 'anthropic-tool', 'mcp-tool', 'gbnf', 'typescript', 'pydantic', 'markdown'];

export function Try({ scenario, params, me }) {
  const { format = 'template', lang = '', client = '', as_of: asOf = '' } = params;
  const path = `${at('scenarios', scenario)}/template`;
  const more = { preferred_language: lang, client, as_of: asOf };
  const template = useCall(path + query(more), { scenario });
  const exported = useCall(format !== 'template' && path + query({ ...more, format }), { scenario });
  const tab = params.tab ?? '';
  const other = me.can('publish') || me.can('operate');
  return html`<h1>${t('try.title')}</h1><p class="lead">${t('try.lead')}</p>
    <form class="card search" onSubmit=${event => event.preventDefault()}>
      <${Typed} label=${t('try.lang')} name="lang" value=${lang} placeholder="en" />
      ${other && html`<${Typed} label=${t('try.client')} name="client" value=${client} placeholder=${t('try.everyone')} />`}
      <${Typed} label=${t('try.as_of')} name="as_of" value=${asOf} placeholder=${t('try.now')} />
    </form>
    <${Tabs} label=${t('try.title')} tabs=${[['', t('try.form')], ['json', 'JSON'], ['template', t('try.template')]]} open=${tab} />
    <${Problem} problem=${template.problem} data=${template.data} again=${template.again} />
    ${template.loading && html`<${Busy} />`}
    ${template.data && (tab === 'template'
      ? html`<section class="card"><label>${t('try.format')}<select value=${format} onChange=${event => set({ format: event.target.value })}>${FORMS.map(name => html`<option>${name}</option>`)}</select></label>
        <${Problem} problem=${exported.problem} /><pre tabindex="0" aria-label=${t('try.template')}>${text(format === 'template' ? template.data : exported.data)}</pre></section>`
      : html`<${Payload} key=${tab} template=${template.data} asJson=${tab === 'json'} me=${me} />`)}`;
}

const text = data => (typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data, null, 2));

/** A value as a field holds it, in the type that the key takes; what is no such value goes as it is, to be refused in words. */
function typed(key, raw) {
  if (key.key_type === 'boolean') return raw === 'true' ? true : raw === 'false' ? false : raw;
  if (key.key_type === 'string') return raw;
  try { return JSON.parse(raw); } catch { return raw; }
}

function Payload({ template, asJson, me }) {
  const [fields, put] = useDraft(`${template.schema_id} form`, {});
  const [raw, write] = useDraft(`${template.schema_id} json`, null);
  const [came, tell] = useState(null);
  const may = me.can('submit');
  const payload = Object.fromEntries(template.keys.filter(key => fields[key.key_name] !== undefined && fields[key.key_name] !== '').map(key => [key.key_name, typed(key, fields[key.key_name])]));
  const body = { schema_id: template.schema_id, payload };
  const written = raw ?? JSON.stringify(body, null, 2);
  /** What is written, for `use`; where it is no JSON that is told. */
  const read = use => {
    let submission = body;
    if (asJson) {
      try { submission = JSON.parse(written); } catch (error) { tell({ local: error.message }); return; }
    }
    use(submission);
  };
  const validate = () => read(async body => tell({ ...await call('POST', 'v1/submissions:validate', { body }), isTried: true }));
  const submit = () => read(body => ask({ title: t('try.sure'), text: t('try.sure_why'), label: t('try.sure'), bare: true, path: 'v1/submissions', body, headers: { 'Idempotency-Key': requestId() }, after: tell, failed: tell }));
  const pressed = event => { if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) { event.preventDefault(); validate(); } };
  const repair = violation => {
    const next = { ...fields };
    for (const operation of violation.repair) {
      const name = operation.path.split('/')[2];
      if (operation.op === 'remove') delete next[name];
      else if (name) next[name] = typeof operation.value === 'string' ? operation.value : JSON.stringify(operation.value);
    }
    put(next);
  };
  const violations = came?.problem?.violations ?? [];
  return html`<div class="two"><form class="card" onKeyDown=${pressed} onSubmit=${event => { event.preventDefault(); validate(); }}>
      <h2>${t('try.payload')} ${code(template.schema_id)}</h2>
      ${asJson
        ? html`<label>${t('try.submission')}<textarea rows="14" class="code" spellcheck=${false} value=${written} onInput=${event => write(event.target.value)}></textarea></label>`
        : template.keys.map(key => html`<${Key} key=${key.key_name} of=${key} value=${fields[key.key_name] ?? ''} change=${value => put({ ...fields, [key.key_name]: value })}
            violation=${violations.find(one => one.key === key.key_name)} repair=${repair} />`)}
      <p class="row"><${Deed} may=${may} needs="client" type="submit" tone="p">${t('try.validate')} <${Kbd}>ctrl ↵<//><//>
        <${Deed} may=${may} needs="client" onClick=${submit}>${t('try.submit')}<//></p>
      <p class="sm dim">${t('try.no_trace')}</p></form>
    <div aria-live="polite">${came && html`<${Came} came=${came} repair=${asJson ? null : repair} />`}</div></div>`;
}

function Key({ of, value, change, violation, repair }) {
  const id = `key-${of.key_name}`;
  const values = of.key_type === 'boolean' ? ['true', 'false'] : null;
  const told = html`<span class="sm dim" id=${`${id}-about`}><${Said} text=${of.semantic_description} />${of.default_value !== undefined && ` ${t('try.default', { value: JSON.stringify(of.default_value) })}`}</span>`;
  const given = { id, value, 'aria-describedby': `${id}-about`, 'aria-invalid': violation ? 'true' : undefined };
  return html`<div class="key"><label for=${id}><bdi>${of.key_name}</bdi>${of.required && html` <span class="dim">${t('try.required')}</span>`} <span class="dim sm">${of.key_type}</span>
      ${of.experimental && html` <${Chip} tone="warn">${word('stage', 'experimental')}<//>`}${of.deprecated && html` <${Chip} tone="bad">${t('try.going')}<//>`}</label>
    ${values ? html`<select ...${given} onChange=${event => change(event.target.value)}><option value=""></option>${values.map(one => html`<option>${one}</option>`)}</select>`
      : html`<input ...${given} list=${of.constraints?.enum ? `${id}-values` : undefined} autocomplete="off" onInput=${event => change(event.target.value)} />`}
    ${of.constraints?.enum && html`<datalist id=${`${id}-values`}>${of.constraints.enum.map(one => html`<option value=${String(one)} />`)}</datalist>`}
    ${told}${violation && html`<${Violation} violation=${violation} repair=${repair} />`}</div>`;
}

function Violation({ violation, repair }) {
  return html`<p class="sm"><${Mark} tone="bad">${violation.code}<//> <code>${violation.pointer}</code> <${Sentence} text=${violation.message} />
    ${repair && violation.repair && html` <button type="button" class="sm" onClick=${() => repair(violation)}>${t('try.repair')}</button>`}</p>`;
}

function Came({ came, repair }) {
  if (came.local) return html`<div class="card problem"><h2>${t('try.no_json')}</h2><p lang="en">${came.local}</p></div>`;
  if (!came.ok && !came.problem?.violations) return html`<${Problem} problem=${came.problem} />`;
  const exchange = came.ok ? came.body.exchange : came.problem.exchange;
  return html`<section class=${`card ${came.ok ? '' : 'problem'}`}><h2>${came.ok ? t(came.isTried ? 'try.would' : 'try.accepted') : t('try.refused')} <${Chip} tone=${came.ok ? 'ok' : 'bad'}>${came.status}<//></h2>
    ${!came.ok && came.problem.violations.map(violation => html`<${Violation} violation=${violation} repair=${repair} />`)}
    ${exchange?.warnings?.map(warning => html`<p class="sm"><${Mark} tone="warn">${warning.code}<//> <${Sentence} text=${warning.message} /></p>`)}
    ${came.ok && html`<h3>${t('try.understood')}</h3><pre tabindex="0" aria-label=${t('try.understood')}>${JSON.stringify(came.body.payload ?? came.body, null, 2)}</pre>`}</section>`;
}
