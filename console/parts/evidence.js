// What a patch rests on: why, what was foretold, what was said, how it went.

import { at, useCall } from '../api.js';
import { href } from '../router.js';
import { percent, t, word } from '../text.js';
import { Chart } from './chart.js';
import { Chip, Foretold, Mark, Said, Sentence, Time, code, html, instead } from './bits.js';
import { Words } from './diff.js';

const STAGES = { stable: 'ok', experimental: 'warn', awaiting_approval: 'warn', queued: 'mute', rejected: 'bad', deprecated: 'bad' };

export const Stage = ({ stage }) => html`<${Chip} tone=${STAGES[stage] ?? 'mute'}>${word('stage', stage)}<//>`;

/** What a patch rests on, as the service tells it. */
export const useEvidence = (patch, scenario) => useCall(patch && `${at('patches', patch)}/evidence`, { scenario });

/** What clients said, as far as it may be shown. */
export function Examples({ sensitive, texts }) {
  return html`${sensitive && html`<${Mark} tone="warn">${t('evidence.sensitive')} <bdi>${sensitive}</bdi><//>`}
    <h3>${t('evidence.said')}</h3>
    ${texts.length
      ? html`<ul class="plain">${texts.map(text => html`<li><${Said} quote text=${text} /></li>`)}</ul>`
      : html`<p class="dim">${t('words.withheld')}</p>`}`;
}

/** `of` is what `useEvidence` answers; `brief` where what was said stands elsewhere. */
export function Evidence({ of: { data, ...call }, scenario, brief }) {
  if (!data) return instead(call);
  const heat = data.heat_curve.map(point => ({ day: point.day, y: point.heat }));
  return html`<section class="card">
    <h2>${t('evidence.why')} ${code(data.key_name)} <${Stage} stage=${data.stage} /></h2>
    ${!brief && html`${data.holds.map(hold => html`<${Mark} tone="warn">${word('hold', hold)}<//> `)}<${Examples} sensitive=${data.sensitive} texts=${data.examples} />`}
    <ol class="why">${data.explanation.map(sentence => html`<li><${Sentence} text=${sentence} /></li>`)}</ol>
    <h3>${t('evidence.foretold')}</h3>
    <p><${Foretold} backtest=${data.backtest} gates=${data.gates} /><br /><a class="sm" href=${href('overview', scenario, { p: data.patch_id })}>${t('evidence.follow')}</a></p>
    <h3>${t('evidence.heat')}</h3>
    <${Chart} keyed title=${t('evidence.heat')} series=${[{ kind: 'area', name: t('evidence.heat'), points: heat }]} />
    ${data.trial_curve.length > 0 && html`<h3>${t('trial.title')}</h3><${Trial} curve=${data.trial_curve} gates=${data.gates} audience=${data.audience} />`}
    <${Measured} ledger=${data.ledger} gates=${data.gates} />
    ${data.edits.length > 0 && html`<h3>${t('evidence.edits')}</h3>${data.edits.map(edit => html`<p><${Time} at=${edit.at} /> <bdi>${edit.by?.principal ?? t('evidence.remade')}</bdi>:${' '}
      <${Words} was=${shown(edit.was)} became=${shown(edit.became)} />${edit.because && html`<br /><${Said} quote text=${edit.because} />`}</p>`)}`}
    <h3>${t('evidence.history')}</h3>
    <ol class="why">${data.history.map(change => html`<li><${Time} at=${change.at} /> <${Stage} stage=${change.to} /> <span class="dim">${word('reason', change.reason)}</span>
      ${change.by && html` · <bdi>${change.by.principal}</bdi>`}${change.because && html` <${Said} quote text=${change.because} />`}</li>`)}</ol>
  </section>`;
}

const shown = change => `${change.key_name ?? ''} (${change.key_type ?? ''}): ${change.semantic_description ?? ''}`;

/** Usage since the trial began, which decides; before its date no verdict is shown. */
function Trial({ curve, gates, audience }) {
  let [payloads, known, withKey, own] = [0, 0, 0, 0];
  const over = [];
  for (const point of curve) {
    payloads += point.payloads;
    known += point.payloads_of_recipients;
    withKey += point.with_key;
    own += point.recipients_with_key;
    over.push({ day: point.day, all: payloads ? withKey / payloads : 0, own: known ? own / known : 0, at: point.payloads ? point.with_key / point.payloads : 0 });
  }
  const line = (kind, name, of) => ({ kind, name, points: over.map(point => ({ day: point.day, y: point[of] })) });
  const { stays, leaves } = gates.usage;
  const bands = [
    { from: 0, to: leaves, tone: 'bad', name: t('trial.leaves') },
    { from: leaves, to: stays, tone: 'warn', name: t('trial.longer') },
    { from: stays, tone: 'ok', name: t('trial.stays') },
  ];
  const marks = gates.until ? [{ day: gates.until.slice(0, 10), name: t('trial.verdict') }] : [];
  const decides = audience.kind !== 'global';
  return html`<${Chart} share title=${t('trial.title')} bands=${bands} marks=${marks} series=${[
    line(decides ? 'dash' : 'line', t('trial.all'), 'all'), line(decides ? 'line' : 'dash', t('trial.recipients'), 'own'), line('dots', t('trial.day'), 'at')]} />
    <p class="sm">${t('trial.so_far', { n: payloads, of: gates.payloads_min })}</p>`;
}

/** What is measured of a key in use, beside what decides about it. */
function Measured({ ledger, gates }) {
  if (!ledger?.payloads_with_key) return null;
  const rows = [
    [t('measured.usage'), ledger.usage_frequency, t('measured.of_payloads', { n: ledger.payloads_with_key }), gates.usage],
    [t('measured.alignment'), ledger.semantic_alignment_accuracy, t('measured.of_judged', { n: ledger.judged }), gates.alignment],
    [t('measured.type'), ledger.value_type_correctness, t('values', { n: ledger.payloads_with_key }), gates.type],
    [t('measured.adoption'), ledger.client_adoption_rate, t('measured.of_clients', { n: ledger.used, of: ledger.received })],
  ];
  return html`<h3>${t('measured.title')}</h3><div class="scroll"><table class="plain"><caption class="sr">${t('measured.title')}</caption><tbody>${rows.map(([name, ratio, of, edges]) => html`<tr>
    <th scope="row">${name}</th><td class="num">${percent(ratio)}</td><td class="dim sm">${of}${edges && html`<br />${t('measured.edges', { stays: percent(edges.stays), leaves: percent(edges.leaves) })}`}</td></tr>`)}</tbody></table></div>`;
}
