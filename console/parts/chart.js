// Charts as own SVG: they have a title, a table of the same numbers, print, and follow the colours. At most 120 days.

import { useState } from '../vendor/hooks.js';
import { useKeys } from '../keys.js';
import { day, number, percent, t } from '../text.js';
import { Kbd, html } from './bits.js';

const DAYS_MAX = 120;
/** As large as a chart stands beside a list. */
const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [360, 150, 40, 12, 22];

const DAY_MS = 86400000;

/** Every day from the first of these to the last, so that time runs evenly. */
function between(days) {
  if (!days.length) return [];
  const [first, last] = [days.reduce((a, b) => (a < b ? a : b)), days.reduce((a, b) => (a > b ? a : b))].map(at => Date.parse(at));
  const count = Math.min(DAYS_MAX, Math.round((last - first) / DAY_MS) + 1);
  return Array.from({ length: count }, (_, at) => new Date(last - (count - 1 - at) * DAY_MS).toISOString().slice(0, 10));
}

/** Round numbers up to a largest value, with 0. */
function ticks(top) {
  const raw = top / 3;
  const power = 10 ** Math.floor(Math.log10(raw || 1));
  const step = [1, 2, 5, 10].map(factor => factor * power).find(step => step >= raw) ?? 1;
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, at) => at * step);
}

/**
 * `series`: `[{kind: 'area' | 'line' | 'dash' | 'dots' | 'bars' | 'part', name, points: [{day, y}]}]`; `bands`: `[{from, to, tone, name}]`;
 * `gate`: `{y, name}`; `marks`: `[{day, name}]`; `share` where values are shares of one.
 */
export function Chart({ title, series, bands = [], gate, marks = [], share, keyed }) {
  const [asTable, show] = useState(false);
  useKeys(keyed ? { t: () => show(!asTable) } : {});
  const days = between([...series.flatMap(one => one.points.map(point => point.day)), ...marks.map(mark => mark.day)]);
  const told = share ? percent : number;
  const values = series.flatMap(one => one.points.map(point => point.y ?? 0));
  const top = Math.max(share ? 0.2 : 1, gate?.y ?? 0, ...values) * 1.1;
  const toggle = html`<button class="link sm" aria-expanded=${asTable} onClick=${() => show(!asTable)}>${asTable ? t('chart.draw') : t('chart.table')}${keyed && html` <${Kbd}>t<//>`}</button>`;
  if (!days.length) return html`<p class="dim sm">${t('chart.nothing')}</p>`;
  if (asTable) return html`<div class="scroll"><table class="plain"><caption>${title}</caption>
    <thead><tr><th scope="col">${t('chart.day')}</th>${series.map(one => html`<th scope="col" class="num">${one.name}</th>`)}</tr></thead>
    <tbody>${days.map(at => html`<tr><th scope="row">${at}</th>${series.map(one => {
      const point = one.points.find(point => point.day === at);
      return html`<td class="num">${point ? told(point.y) : '–'}</td>`;
    })}</tr>`)}</tbody></table></div>${toggle}`;
  const bars = series.some(one => one.kind === 'bars');
  const wide = (WIDTH - LEFT - 8) / (bars ? days.length : Math.max(1, days.length - 1));
  const x = at => LEFT + (bars ? (days.indexOf(at) + 0.5) * wide : days.length < 2 ? 0 : days.indexOf(at) * wide);
  const y = value => HEIGHT - BOTTOM - (Math.min(value, top) / top) * (HEIGHT - BOTTOM - TOP);
  const every = Math.ceil(days.length / 5);
  return html`<figure><svg class="chart" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${`${title}: ${summary(series, told)}`}>
    ${bands.map(band => html`<rect class=${`band ${band.tone}`} x=${LEFT} width=${WIDTH - LEFT - 8} y=${y(Math.min(band.to ?? top, top))} height=${Math.max(0, y(band.from) - y(Math.min(band.to ?? top, top)))} />
      <text x=${WIDTH - 12} y=${y(band.from) - 4} text-anchor="end">${band.name}</text>`)}
    ${ticks(top).map(value => html`<line class="ax" x1=${LEFT} x2=${WIDTH - 8} y1=${y(value)} y2=${y(value)} /><text x=${LEFT - 5} y=${y(value) + 4} text-anchor="end">${told(value)}</text>`)}
    ${days.filter((_, at) => at % every === 0).map(at => html`<text x=${x(at)} y=${HEIGHT - 6} text-anchor=${x(at) > WIDTH - 24 ? 'end' : 'middle'}>${day(at)}</text>`)}
    ${series.map(one => draw(one, x, y, wide))}
    ${gate && html`<line class="gate" x1=${LEFT} x2=${WIDTH - 8} y1=${y(gate.y)} y2=${y(gate.y)} /><text x=${WIDTH - 10} y=${y(gate.y) - 4} text-anchor="end">${gate.name}</text>`}
    ${marks.map(mark => html`<line class="gate" x1=${x(mark.day)} x2=${x(mark.day)} y1=${TOP} y2=${HEIGHT - BOTTOM} /><text x=${x(mark.day) + (x(mark.day) > WIDTH / 2 ? -4 : 4)} text-anchor=${x(mark.day) > WIDTH / 2 ? 'end' : 'start'} y=${TOP + 8}>${mark.name}</text>`)}
  </svg><figcaption class="sm dim">${t('chart.day')} · ${toggle}</figcaption></figure>`;
}

function summary(series, told) {
  const ends = one => {
    const [first, last] = [one.points[0], one.points.at(-1)];
    return first ? `${one.name} ${told(first.y)} → ${told(last.y)}` : one.name;
  };
  return series.map(ends).join(', ');
}

function draw({ kind, points }, x, y, wide) {
  const line = points.map(point => `${x(point.day).toFixed(1)},${y(point.y).toFixed(1)}`).join(' ');
  if (kind === 'dots') return points.map(point => html`<circle class="pt" cx=${x(point.day)} cy=${y(point.y)} r="2.5" />`);
  if (kind === 'bars' || kind === 'part') {
    return points.map(point => html`<rect class=${kind} x=${x(point.day) - wide * 0.4} width=${wide * 0.8} y=${y(point.y)} height=${y(0) - y(point.y)} />`);
  }
  if (kind === 'area' && points.length > 1) {
    const [first, last] = [points[0], points.at(-1)];
    return html`<polygon class="ha" points=${`${x(first.day)},${y(0)} ${line} ${x(last.day)},${y(0)}`} /><polyline class="hl" points=${line} />`;
  }
  if (points.length < 2) return points.map(point => html`<circle class="pt" cx=${x(point.day)} cy=${y(point.y)} r="3" />`);
  return html`<polyline class=${kind === 'dash' ? 'ul dash' : kind === 'area' ? 'hl' : 'ul'} points=${line} />`;
}
