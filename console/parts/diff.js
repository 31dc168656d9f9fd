// What differs: between two texts by word, between two templates by class.

import { h } from '../vendor/preact.js';
import { t, word } from '../text.js';
import { Chip, Empty, Sentence, html, visible } from './bits.js';
import { Table } from './table.js';

/** Colour, glyph and gravity of each class, the gravest first. */
const CLASSES = { breaking: ['bad', '✕'], may_break: ['warn', '?'], additive: ['ok', '+'], policy: ['info', '~'], wording: ['info', '~'], none: ['mute', '='] };
const GRAVEST = Object.keys(CLASSES);

/** The class of the gravest change of a key, or of the template itself where no key is named. */
export const gravest = (changes, key) => GRAVEST.find(name => changes.some(change => change.class === name && change.key_name === key));

export function Class({ of }) {
  const [tone, glyph] = CLASSES[of] ?? [];
  return tone && html`<${Chip} tone=${tone}><span aria-hidden="true">${glyph}</span> ${word('class', of)}<//>`;
}

/** Changes of a template as the service tells them, gravest first, of these two `sides`. */
export function Changes({ changes, sides }) {
  if (!changes.length) return html`<${Empty} title=${t('changed.same')} />`;
  const sorted = changes.map((change, n) => ({ ...change, n, class: change.pointer === '/policy' ? 'policy' : change.class })).sort((a, b) => GRAVEST.indexOf(a.class) - GRAVEST.indexOf(b.class));
  return html`<${Table} caption=${t('changed.title')} rows=${sorted} id=${change => String(change.n)} columns=${[
    { head: t('changed.class'), cell: change => html`<${Class} of=${change.class} />` },
    { head: t('waits.key'), cell: change => html`<b><bdi>${change.key_name ?? t('changed.template')}</bdi></b><br /><span class="dim sm">${word('change', change.kind)}</span>` },
    { head: t('changed.what'), cell: change => html`<${Sentence} text=${change.message} />${sides && change.kind === 'member_changed' && html`<p class="sm"><${Words} was=${json(sides[0], change.pointer)} became=${json(sides[1], change.pointer)} /></p>`}${change.examples?.map(example => html`
      <p class="sm dim">${word('direction', example.direction)}: ${word('effect', example.effect)}</p><pre tabindex="0" aria-label=${t('changed.example')}>${JSON.stringify(example.payload)}</pre>`)}` },
  ]} />`;
}

const json = (document, pointer) => JSON.stringify(pointer.slice(1).split('/').reduce((value, name) => value?.[name], document)) ?? '–';

/** Pairs of words that are compared, some 0.1 s; of longer texts nothing is marked. */
const COMPARED_MAX = 4_000_000;

/** What differs between two texts, by word; of one `side` alone what it has: `del` of the older, `ins` of the newer. */
export function Words({ was = '', became = '', side }) {
  const [old, young] = [String(was), String(became)].map(text => visible(text).split(/([^\p{L}\p{N}_]+)/u));
  if (old.length * young.length > COMPARED_MAX) return side === 'del' ? visible(was) : visible(became);
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(young.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      table[i][j] = old[i] === young[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  const out = [];
  const put = (kind, text) => {
    if (out.at(-1)?.kind === kind) out.at(-1).text += text; else out.push({ kind, text });
  };
  for (let i = 0, j = 0; i < old.length || j < young.length;) {
    if (i < old.length && j < young.length && old[i] === young[j]) { put('', old[i]); i++; j++; }
    else if (j >= young.length || (i < old.length && table[i + 1][j] >= table[i][j + 1])) put('del', old[i++]);
    else put('ins', young[j++]);
  }
  return out.filter(({ kind }) => !side || !kind || kind === side).map(({ kind, text }) => (kind ? h(kind, null, text) : text));
}
