// A proposal, changed before it is approved: each change is tried at once, and nothing is kept until somebody says yes.

import { useEffect, useState } from '../vendor/hooks.js';
import { at, call, drafts, useCall } from '../api.js';
import { useKeys } from '../keys.js';
import { href } from '../router.js';
import { t } from '../text.js';
import { Chip, Deed, Foretold, Kbd, Mark, Problem, Said, Sentence, code, html, instead, typeOf } from './bits.js';
import { ask } from './dialog.js';
import { Words } from './diff.js';

const TYPES = ['string', 'integer', 'number', 'boolean'];
const QUIET_MS = 400;

const NAMES = ['key_name', 'title', 'semantic_description', 'key_type'];

/** The members of a key that may be edited. */
function drafted(patch) {
  const key = patch.new_keys[0];
  if (!key) return { semantic_description: patch.modified_keys[0]?.semantic_description ?? '' };
  const draft = Object.fromEntries(NAMES.map(name => [name, key[name] ?? '']));
  return { ...draft, values: (key.constraints?.enum ?? []).join('\n') };
}

/** Values as a person writes them, one a line. */
export const listed = lines => lines.split('\n').map(value => value.trim()).filter(Boolean);

/** What of a draft differs from what was proposed, as the call takes it; null where nothing does. */
function editOf(patch, draft) {
  const was = drafted(patch);
  const edit = {};
  for (const name of NAMES) if (draft[name] !== undefined && draft[name] !== was[name]) edit[name] = draft[name];
  if (draft.values !== undefined && listed(draft.values).join('\n') !== was.values) {
    const { enum: before, ...others } = patch.new_keys[0].constraints ?? {};
    const isNumber = ['integer', 'number'].includes(draft.key_type);
    const values = listed(draft.values).map(value => (isNumber ? Number(value) : value));
    const constraints = values.length ? { ...others, enum: values } : others;
    edit.constraints = Object.keys(constraints).length ? constraints : null;
  }
  return Object.keys(edit).length ? edit : null;
}

/** What approving comes to, with this edit or as it is; nothing is tried without a tag. */
function useTried(path, edit, etag) {
  const [tried, tell] = useState({});
  const body = JSON.stringify(edit ? { edit } : {});
  useEffect(() => {
    tell({ busy: true });
    if (!etag) return undefined;
    const abort = new AbortController();
    const timer = setTimeout(async () => {
      try {
        const answer = await call('POST', `${path}:approve?dry_run=true`, { body: JSON.parse(body), headers: { 'If-Match': etag }, signal: abort.signal });
        tell(answer.ok ? answer.body : { problem: answer.problem });
      } catch { /* a newer change is tried */ }
    }, QUIET_MS);
    return () => { clearTimeout(timer); abort.abort(); };
  }, [path, body, etag]);
  return tried;
}

/** `of` is the proposal as it waits, `gates` those of its trial. */
export function Edit({ of, gates, may, done }) {
  const path = at('patches', of.patch_id);
  const { data, etag, ...asked } = useCall(path, { scenario: of.scenario });
  const begun = `${of.scenario} ${of.patch_id}`;
  const [form, hold] = useState(drafts.get(begun));
  const put = next => {
    hold(next);
    if (editOf(next.base, next.draft)) drafts.set(begun, next); else drafts.delete(begun);
  };
  const anew = () => put({ base: data, etag, draft: drafted(data) });
  // The form stays at the revision that it was begun with: what changes meanwhile is shown, not taken over.
  useEffect(() => { if (data && !form) anew(); }, [data]);
  const edit = form ? editOf(form.base, form.draft) : null;
  const plain = useTried(path, null, may && form?.etag);
  const tried = useTried(path, edit, may && edit && form.etag);
  const after = () => { drafts.delete(begun); done(); };
  const deed = { headers: { 'If-Match': form?.etag }, record: href('overview', of.scenario, { p: of.patch_id }), after, failed: asked.again };
  const approve = isEdited => {
    const [was, key] = [name(form.base), form.draft.key_name ?? name(form.base)];
    const type = (isEdited && form.draft.key_type) || typeOf(form.base.new_keys[0]);
    const names = { was, key, type: type && ` (${type})` };
    const foretold = (isEdited ? tried : plain).backtest;
    ask({
      ...deed, label: t('approve.yes'), path: `${path}:approve`, body: isEdited ? { edit } : {},
      title: !isEdited ? t('approve.as_is', names) : edit.key_name ? t('approve.renamed', names) : t('approve.edited', names),
      text: [t('approve.text'), of.sensitive && t('approve.sensitive', { what: of.sensitive }), !of.evidence.examples.length && t('words.withheld'),
        !isEdited && edit && t('approve.gone'), html`<${Foretold} backtest=${foretold} gates=${gates} />`],
    });
  };
  const reject = () => ask({
    ...deed, title: t('reject.title', { key: name(form.base) }), text: edit && t('approve.gone'), label: t('reject.yes'), tone: 'r', path: `${path}:reject`,
    choice: { name: 'scope', legend: t('reject.about'), options: [['demand', t('reject.demand')], ['key', t('reject.key')]] },
  });
  useKeys(form && may ? { a: () => approve(!!edit), r: reject, e: () => document.getElementById('edit-first')?.focus() } : {});
  if (!data || !form) return instead(asked);
  const { base, draft } = form;
  const was = drafted(base);
  const now = Object.entries(drafted(data));
  return html`<form class="card" aria-labelledby="edit" onSubmit=${event => { event.preventDefault(); approve(!!edit); }}>
    <h2 id="edit">${t('edit.title')} ${code(name(base))}</h2>
    ${data.revision !== base.revision && html`<div class="notice" role="alert"><p><b>${t('edit.moved', { was: base.revision, now: data.revision })}</b></p>
      ${now.map(([name, value]) => value !== was[name] && html`<p>${code(name)} <${Words} was=${was[name]} became=${value} /></p>`)}
      <button type="button" onClick=${() => put({ base: data, etag, draft: Object.fromEntries(now.map(([name, value]) => [name, draft[name] === was[name] ? value : draft[name]])) })}>${t('edit.take')}</button></div>`}
    <${Fields} draft=${draft} was=${was} change=${draft => put({ ...form, draft })} may=${may} types=${[...TYPES, 'array', 'object']} />
    <div aria-live="polite">${may && html`${edit && html`<h3>${t('came.edited')}</h3><${Came} of=${tried} gates=${gates} isNamed=${!!edit.key_name} />`}
      <h3>${t('came.proposed')}</h3><${Came} of=${plain} gates=${gates} />`}</div>
    <p class="row">
      ${edit && html`<${Deed} may=${may} type="submit" tone="p" k="a">${t('edit.approve')}<//>`}
      <${Deed} may=${may} tone=${edit ? '' : 'p'} k=${edit ? '' : 'a'} onClick=${() => approve(false)}>${t('edit.approve_as_is')}<//>
      <${Deed} may=${may} tone="r" k="r" onClick=${reject}>${t('reject.yes')}<//>
      ${edit && html`<button type="button" class="link" onClick=${anew}>${t('edit.drop_all')}</button>`}
    </p>
    <p class="sm dim">${t('edit.revision', { n: base.revision })}</p>
  </form>`;
}

const name = patch => patch.new_keys[0]?.key_name ?? patch.modified_keys[0]?.key_name ?? patch.patch_id;

/** What a key is, to be written; where it `was` something, with what differs. */
export function Fields({ draft, was, change, may, types = TYPES }) {
  const field = name => ({ name, value: draft[name], onInput: event => change({ ...draft, [name]: event.target.value }), autocomplete: 'off' });
  const differs = name => was && draft[name] !== was[name] && html`<p class="sm"><${Words} was=${was[name]} became=${draft[name]} /></p>`;
  const hasName = draft.key_name !== undefined;
  return html`<fieldset disabled=${!may}>${hasName && html`
      <label>${t('edit.name')} ${was && html`<${Kbd}>e<//>`}<input id="edit-first" ...${field('key_name')} required pattern="[a-z][a-z0-9]*(_[a-z0-9]+)*" spellcheck=${false} maxlength="64" /></label>
      ${differs('key_name')}
      ${draft.title !== undefined && html`<label>${t('edit.key_title')}<input ...${field('title')} /></label>`}
      <label>${t('edit.type')}<select ...${field('key_type')}>${types.map(type => html`<option>${type}</option>`)}</select></label>`}
    <label>${t('edit.meaning')}<textarea id=${hasName ? undefined : 'edit-first'} rows="4" required maxlength=${was ? undefined : 300} ...${field('semantic_description')}></textarea></label>
    ${differs('semantic_description')}
    ${draft.values !== undefined && draft.key_type !== 'boolean' && html`<label>${t('edit.values')}<textarea rows="3" ...${field('values')}></textarea></label>${differs('values')}`}</fieldset>`;
}

/** What it came to when it was tried. */
function Came({ of: { busy, problem, lint, fits, backtest }, gates, isNamed }) {
  if (problem) return html`<${Problem} problem=${problem} />`;
  if (busy || !lint) return html`<p class="sm dim">${t('came.trying')}</p>`;
  const score = Math.max(0, 100 - lint.reduce((sum, finding) => sum + finding.cost, 0));
  return html`<p><${Mark} tone=${score >= 90 ? 'ok' : score >= 70 ? 'warn' : 'bad'}>${t('came.lint', { n: score })}<//>
      ${isNamed && html`<${Chip} tone="ok">${t('came.free')}<//>`}</p>
    ${lint.length > 0 && html`<ul class="sm">${lint.map(finding => html`<li><${Sentence} text=${finding.message} /></li>`)}</ul>`}
    ${fits && html`<p>${t('came.fits', { n: fits.right, of: fits.wishes })}</p>`}
    ${fits?.wrong.length > 0 && html`<details><summary>${t('came.wrong', { n: fits.wrong.length })}</summary><ul>${fits.wrong.map(one => html`<li><${Said} quote text=${one.text} /></li>`)}</ul></details>`}
    <p><${Foretold} backtest=${backtest} gates=${gates} /></p>`;
}
