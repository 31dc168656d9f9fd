// What differs: between two texts by word, between two templates by class.

import { h } from '../vendor/preact.js';
import { t, word } from '../text.js';
import { Chip, Empty, Sentence, html, visible } from './bits.js';
import { Table } from './table.js';

/** Colour, glyph and gravity of each class, the gravest first. */
const CLASSES = { breaking: ['bad', '✕'], may_break: ['warn', '?'], additive: ['ok', '+'], wording: ['info', '~'], none: ['mute', '='] };
const GRAVEST = Object.keys(CLASSES);

export function Class({ of }) {
  const [tone, glyph] = CLASSES[of] ?? CLASSES.none;
  return html`<${Chip} tone=${tone}><span aria-hidden="true">${glyph}</span> ${word('class', of)}<//>`;
}

/** Changes of a template as the service tells them, gravest first. */
export function Changes({ changes }) {
  if (!changes.length) return html`<${Empty} title=${t('changed.same')} text=${t('changed.same_why')} />`;
  const sorted = changes.map((change, n) => ({ ...change, n })).sort((a, b) => GRAVEST.indexOf(a.class) - GRAVEST.indexOf(b.class));
  return html`<${Table} caption=${t('changed.title')} rows=${sorted} id=${change => String(change.n)} columns=${[
    { head: t('changed.class'), cell: change => html`<${Class} of=${change.class} />` },
    { head: t('waits.key'), cell: change => html`<b><bdi>${change.key_name ?? t('changed.template')}</bdi></b><br /><span class="dim sm">${word('change', change.kind)}</span>` },
    { head: t('changed.what'), cell: change => html`<${Sentence} text=${change.message} />${change.examples?.map(example => html`
      <p class="sm dim">${word('direction', example.direction)}: ${word('effect', example.effect)}</p><pre tabindex="0" aria-label=${t('changed.example')}>${JSON.stringify(example.payload)}</pre>`)}` },
  ]} />`;
}

/** What differs between two texts, by word. */
export function Words({ was = '', became = '' }) {
  const [old, young] = [String(was), String(became)].map(text => visible(text).split(/(\s+)/));
  const table = Array.from({ length: old.length + 1 }, () => new Uint16Array(young.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      table[i][j] = old[i] === young[j] ? table[i + 1][j + 1] + 1 : Math.max(table[i + 1][j], table[i][j + 1]);
    }
  }
  const out = [];
  const put = (kind, text) => {
    if (out.length && out[out.length - 1].kind === kind) out[out.length - 1].text += text; else out.push({ kind, text });
  };
  for (let i = 0, j = 0; i < old.length || j < young.length;) {
    if (i < old.length && j < young.length && old[i] === young[j]) { put('', old[i]); i++; j++; }
    else if (j >= young.length || (i < old.length && table[i + 1][j] >= table[i][j + 1])) put('del', old[i++]);
    else put('ins', young[j++]);
  }
  return out.map(({ kind, text }) => (kind ? h(kind, null, text) : text));
}
