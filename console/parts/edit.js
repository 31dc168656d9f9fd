// A proposal, changed before it is approved: each change is tried at once on the last 30 days, and nothing is kept until somebody says yes.

import { useEffect, useState } from '../vendor/hooks.js';
import { at, call, useCall } from '../api.js';
import { useKeys } from '../keys.js';
import { t } from '../text.js';
import { Busy, Chip, Deed, Foretold, Kbd, Mark, Problem, Said, Sentence, html } from './bits.js';
import { Words } from './diff.js';

const TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'];
const QUIET_MS = 400;

const NAMES = ['key_name', 'title', 'semantic_description', 'key_type'];

/** The members of a key that may be edited. */
function drafted(patch) {
  const key = patch.new_keys[0];
  if (!key) return { semantic_description: patch.modified_keys[0]?.semantic_description ?? '' };
  const draft = Object.fromEntries(NAMES.map(name => [name, key[name] ?? '']));
  return { ...draft, values: (key.constraints?.enum ?? []).map(String) };
}

/** What of a draft differs from what was proposed, as the call takes it; null where nothing does. */
function editOf(patch, draft) {
  const was = drafted(patch);
  const edit = {};
  for (const name of NAMES) if (draft[name] !== undefined && draft[name] !== was[name]) edit[name] = draft[name];
  if (draft.values && String(draft.values) !== String(was.values)) {
    const { enum: listed, ...others } = patch.new_keys[0].constraints ?? {};
    const isNumber = ['integer', 'number'].includes(draft.key_type);
    const values = draft.values.map(value => (isNumber ? Number(value) : value));
    const constraints = values.length ? { ...others, enum: values } : others;
    edit.constraints = Object.keys(constraints).length ? constraints : null;
  }
  return Object.keys(edit).length ? edit : null;
}

/** `ask` opens a dialog for a deed. */
export function Edit({ patch: id, scenario, may, ask, done }) {
  const path = at('patches', id);
  const { data, etag, problem, loading, again } = useCall(path, { scenario });
  const [form, put] = useState(null);
  const [tried, tell] = useState({});
  // The form stays at the revision that it was begun with: what changes meanwhile is shown, not taken over.
  useEffect(() => {
    if (data && (!form || form.id !== id)) { put({ id, base: data, etag, draft: drafted(data) }); tell({}); }
  }, [data, id]);
  const isHere = form?.id === id;
  const edit = isHere ? editOf(form.base, form.draft) : null;
  const asked = JSON.stringify(edit);
  useEffect(() => {
    if (!isHere || !edit || !may) { tell({}); return undefined; }
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      tell({ busy: true });
      try {
        const answer = await call('POST', `${path}:approve?dry_run=true`, { body: { edit }, headers: { 'If-Match': form.etag }, signal: abort.signal });
        tell(answer.ok ? { came: answer.body } : { problem: answer.problem });
      } catch { /* a newer change is tried */ }
    }, QUIET_MS);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [asked, isHere, form?.etag, may]);
  const approve = isEdited => ask({
    title: t(isEdited ? 'approve.edited' : 'approve.as_is', { key: name(form.base) }), text: t('approve.text'), label: t('approve.yes'),
    path: `${path}:approve`, body: isEdited ? { edit } : {}, headers: { 'If-Match': form.etag }, after: done, failed: again,
  });
  const reject = () => ask({
    title: t('reject.title', { key: name(form.base) }), label: t('reject.yes'), tone: 'r', path: `${path}:reject`, headers: { 'If-Match': form.etag },
    choice: { name: 'scope', legend: t('reject.about'), options: [['demand', t('reject.demand')], ['key', t('reject.key')]] }, after: done, failed: again,
  });
  useKeys(isHere && may ? { a: () => approve(!!edit), r: reject, e: () => document.getElementById('edit-first')?.focus() } : {});
  if (problem && !data) return html`<${Problem} problem=${problem} again=${again} />`;
  if (!isHere || loading) return html`<div class="card"><${Busy} /></div>`;
  const change = part => put({ ...form, draft: { ...form.draft, ...part } });
  const field = event => change({ [event.target.name]: event.target.value });
  const { base, draft } = form;
  const was = drafted(base);
  return html`<form class="card" aria-labelledby="edit" onSubmit=${event => { event.preventDefault(); approve(!!edit); }}>
    <h2 id="edit">${t('edit.title')} <code><bdi>${name(base)}</bdi></code></h2>
    ${data && data.revision !== base.revision && html`<div class="notice" role="alert"><p><b>${t('edit.moved', { was: base.revision, now: data.revision })}</b></p>
      <p><${Words} was=${was.semantic_description} became=${drafted(data).semantic_description} /></p>
      <button type="button" onClick=${() => put({ ...form, base: data, etag })}>${t('edit.take')}</button></div>`}
    ${draft.key_name !== undefined && html`
      <label>${t('edit.name')} <${Kbd}>e<//><input id="edit-first" name="key_name" value=${draft.key_name} onInput=${field} spellcheck=${false} autocomplete="off" maxlength="64" disabled=${!may} /></label>
      ${edit?.key_name && html`<p class="sm"><del>${was.key_name}</del> <ins><bdi>${draft.key_name}</bdi></ins></p>`}
      <label>${t('edit.key_title')}<input name="title" value=${draft.title} onInput=${field} autocomplete="off" disabled=${!may} /></label>
      <label>${t('edit.type')}<select name="key_type" value=${draft.key_type} onChange=${field} disabled=${!may}>${TYPES.map(type => html`<option>${type}</option>`)}</select></label>`}
    <label>${t('edit.meaning')}<textarea id=${draft.key_name === undefined ? 'edit-first' : undefined} name="semantic_description" rows="4" value=${draft.semantic_description} onInput=${field} disabled=${!may}></textarea></label>
    ${edit?.semantic_description && html`<p class="sm"><${Words} was=${was.semantic_description} became=${draft.semantic_description} /></p>`}
    ${draft.values && draft.key_type !== 'boolean' && html`<${Values} values=${draft.values} was=${was.values} change=${values => change({ values })} disabled=${!may} />`}
    <div aria-live="polite"><${Came} tried=${tried} edit=${edit} /></div>
    <p class="row">
      ${edit && html`<${Deed} may=${may} needs="operator" type="submit" tone="p" k="a">${t('edit.approve')}<//>`}
      <${Deed} may=${may} needs="operator" tone=${edit ? '' : 'p'} k=${edit ? '' : 'a'} onClick=${() => approve(false)}>${t('edit.approve_as_is')}<//>
      <${Deed} may=${may} needs="operator" tone="r" k="r" onClick=${reject}>${t('edit.reject')}<//>
    </p>
    <p class="sm dim">${t('edit.revision', { n: base.revision })}</p>
  </form>`;
}

const name = patch => patch.new_keys[0]?.key_name ?? patch.modified_keys[0]?.key_name ?? patch.patch_id;

function Values({ values, was, change, disabled }) {
  const [more, put] = useState('');
  const add = () => {
    const value = more.trim();
    if (value && !values.includes(value)) change([...values, value]);
    put('');
  };
  const gone = was.filter(value => !values.includes(value));
  return html`<fieldset disabled=${disabled}><legend>${t('edit.values')}</legend>
    ${!values.length && html`<p class="sm dim">${t('edit.any')}</p>`}
    <p>${values.map(value => html`<span class=${`chip ${was.includes(value) ? 'mute' : 'ok'}`}><bdi>${value}</bdi>
      <button type="button" class="bare" aria-label=${t('edit.drop', { value })} onClick=${() => change(values.filter(one => one !== value))}>✕</button></span> `)}
      ${gone.map(value => html`<del class="chip"><bdi>${value}</bdi></del> `)}</p>
    <label class="add">${t('edit.another')}<span class="row"><input value=${more} onInput=${event => put(event.target.value)} autocomplete="off"
      onKeyDown=${event => { if (event.key === 'Enter') { event.preventDefault(); add(); } }} /><button type="button" onClick=${add}>${t('edit.add')}</button></span></label>
  </fieldset>`;
}

/** What the edit came to when it was tried. */
function Came({ tried, edit }) {
  if (!edit) return html`<p class="sm dim">${t('came.untouched')}</p>`;
  if (tried.busy) return html`<p class="sm dim">${t('came.trying')}</p>`;
  if (tried.problem) return html`<${Problem} problem=${tried.problem} />`;
  if (!tried.came) return null;
  const { lint, fits, backtest } = tried.came;
  const cost = lint.reduce((sum, finding) => sum + finding.cost, 0);
  const score = Math.max(0, 100 - cost);
  return html`<h3>${t('came.title')}</h3>
    <p><${Mark} tone=${score >= 90 ? 'ok' : score >= 70 ? 'warn' : 'bad'}>${t('came.lint', { n: score })}<//>
      ${edit.key_name && html` <${Chip} tone="ok">${t('came.free')}<//>`}</p>
    ${lint.length > 0 && html`<ul class="sm">${lint.map(finding => html`<li><${Sentence} text=${finding.message} /></li>`)}</ul>`}
    ${fits && html`<p>${t('came.fits', { n: fits.right, of: fits.wishes })}</p>`}
    ${fits?.wrong.length > 0 && html`<details><summary>${t('came.wrong', { n: fits.wrong.length })}</summary><ul>${fits.wrong.map(one => html`<li><${Said} quote text=${one.text} /></li>`)}</ul></details>`}
    <p><${Foretold} backtest=${backtest} /></p>`;
}
