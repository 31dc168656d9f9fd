// The shell: who looks, where, and whether what is shown is current; around it the view.

import { render } from './vendor/preact.js';
import { useEffect, useErrorBoundary, useRef, useState } from './vendor/hooks.js';
import { BASE, leave, listen, useCall } from './api.js';
import * as keys from './keys.js';
import { start, useLive } from './live.js';
import { go, href, normal, query, usePlace } from './router.js';
import { clockOffset, load, moment, now, number, span, switchZone, t, useZone, word, zoneIsLocal } from './text.js';
import { Busy, Chip, Empty, Kbd, Problem, html } from './parts/bits.js';
import { Asked, Dialog } from './parts/dialog.js';
import { Drawer } from './parts/drawer.js';
import { Login, identify } from './views/login.js';

/** The views as the menu has them: address, key after `g`, title, file, who may (`needs`), whether it is also of `all` scenarios, or `only` of all. */
const VIEWS = [
  { view: 'scenarios', k: 's', title: () => t('scenarios.title'), load: () => import('./views/scenarios.js'), all: true, only: true },
  { view: 'waits', k: 'w', title: () => t('waits.title'), load: () => import('./views/waits.js'), needs: 'inspect', all: true },
  { view: 'missing', k: 'm', title: () => t('missing.title'), load: () => import('./views/missing.js'), needs: 'inspect' },
  { view: 'changed', k: 'c', title: () => t('changed.title'), load: () => import('./views/changed.js') },
  { view: 'uses', k: 'u', title: () => t('uses.title'), load: () => import('./views/uses.js'), needs: 'inspect' },
  { view: 'overview', k: 'o', title: () => t('overview.title'), load: () => import('./views/overview.js'), needs: 'inspect' },
  { view: 'try', k: 't', title: () => t('try.title'), load: () => import('./views/try.js') },
];

const HOME = VIEWS[0].view;
const CLOCKS_APART_MS = 60000;
const LISTED_MAX = 1000;
const TICK_MS = 15000;

const permitted = (me, view) => !view.needs || me.can(view.needs);

function App() {
  const here = usePlace();
  const [me, come] = useState(null);
  useZone();
  const ask = () => identify().then(come);
  useEffect(() => { ask(); }, []);
  useEffect(() => {
    if (!me?.problem) return undefined;
    const timer = setTimeout(ask, (me.problem.retry || 3) * 1000);
    return () => clearTimeout(timer);
  }, [me]);
  useEffect(() => me?.can && start(me.name ?? '', me.can('inspect') && listen), [me]);
  if (!me) return null;
  if (me.problem) return html`<main id="main" class="login"><h1>Otherwise</h1><${Problem} problem=${me.problem} again=${ask} /></main>`;
  if (me.asks) return html`<${Login} asks=${me.asks} come=${come} />`;
  return html`<${Shell} me=${me} here=${here} out=${() => { leave(); come({ asks: me.method === 'open' ? 'name' : 'key' }); }} />`;
}

function Shell({ me, here, out }) {
  const view = VIEWS.find(one => one.view === here.view) ?? VIEWS.find(one => one.view === HOME);
  const [help, show] = useState(false);
  const main = useRef(null);
  const { data } = useCall(`v1/scenarios?limit=${LISTED_MAX}`, { on: ['schema', 'scenario', 'patch'] });
  const list = data && { ...data, scenarios: data.scenarios.map(one => ({ ...one, name: one.scenario, scenario: normal(one.scenario) })) };
  // The only one there is needs not be chosen.
  const scenario = view.only ? null : here.scenario ?? (view.all || list?.scenarios.length !== 1 ? null : list.scenarios[0].scenario);
  const own = list?.scenarios.find(one => one.scenario === scenario);
  const name = own?.name ?? scenario;
  const waiting = useCall(me.can('inspect') && `v1/approvals${query({ limit: 1, scenario })}`, { scenario });
  const steps = Object.fromEntries(VIEWS.map(one => [`g ${one.k}`, () => go(one.view, one.only ? null : scenario)]));
  keys.useKeys({ ...steps, '?': () => show(true), '/': () => document.getElementById('scenario')?.focus(), u: switchZone });
  const title = view.title();
  useEffect(() => { document.title = `${[title, name].filter(Boolean).join(' · ')} · Otherwise`; }, [title, name]);
  const first = useRef(true);
  useEffect(() => {
    // A new view is announced by where the focus goes; the first one is read by itself, and who chooses stays there.
    if (first.current) first.current = false; else if (document.activeElement?.id !== 'scenario') main.current?.focus();
  }, [view.view, scenario]);
  return html`<a class="skip" href="#main" onClick=${event => { event.preventDefault(); main.current?.focus(); }}>${t('skip')}</a>
    <nav class="side" aria-label=${t('nav.views')}>
      <a class="brand" href=${href(HOME)}>Otherwise</a>
      <${Chooser} list=${list} view=${view} scenario=${scenario} name=${name} />
      <hr />
      ${VIEWS.filter(one => permitted(me, one)).map(one => html`<a href=${href(one.view, one.only ? null : scenario)} aria-current=${one === view ? 'page' : undefined}>${one.title()}
        ${one.view === 'waits' && waiting.data?.waiting > 0 && html`<span class="n" aria-label=${t('nav.waiting', { n: waiting.data.waiting })}>${number(waiting.data.waiting)}</span>`}</a>`)}
      <hr />
      <a href=${new URL('docs/', BASE).href} target="_blank" rel="noreferrer">${t('nav.docs')}</a>
      <button class="nav" onClick=${() => show(true)}>${t('nav.help')} <${Kbd}>?<//></button>
    </nav>
    <div class="page">
      <${Top} me=${me} view=${view} name=${name} out=${out} />
      <main id="main" tabindex="-1" ref=${main}>
        <${Banners} me=${me} frozen=${own?.frozen} />
        <${Asked} here=${`${view.view} ${scenario}`} />
        ${!permitted(me, view) ? html`<${Empty} title=${view.title()} text=${t('may_not', { role: t('inspectors') })} />`
          : !scenario && !view.all ? list && html`<${Choose} list=${list} view=${view} />`
          : html`<${Held} key=${`${view.view} ${scenario}`} load=${view.load} me=${me} scenario=${scenario} params=${here.params} list=${list} />`}
      </main>
      <footer><${Drawer} /></footer>
    </div>
    ${help && html`<${Help} onClose=${() => show(false)} />`}`;
}

/** A view, loaded when it is opened; a fault of its own leaves the rest standing. */
function Held({ load, ...of }) {
  const [made, put] = useState({});
  const [fault, again] = useErrorBoundary(error => console.error(error));
  useEffect(() => {
    let isHere = true;
    load().then(made => isHere && put({ draw: Object.values(made)[0] }), failed => isHere && put({ failed }));
    return () => { isHere = false; };
  }, [fault]);
  const wrong = fault ?? made.failed;
  if (wrong) return html`<${Empty} title=${t('broken')} text=${String(wrong.message)}><button type="button" onClick=${fault ? again : () => location.reload()}>${t('problem.again')}</button><//>`;
  return made.draw ? html`<${made.draw} ...${of} />` : html`<${Busy} />`;
}

/** For a view of one scenario, where none is chosen. */
function Choose({ list, view }) {
  return html`<${Empty} title=${view.title()} text=${t(list.scenarios.length ? 'choose.which' : 'scenarios.none_why')}><ul>${list.scenarios.map(one => html`<li><a href=${href(view.view, one.scenario)}><bdi>${one.name}</bdi></a></li>`)}</ul><//>`;
}

/** Which scenario is looked at: a list, or a field with proposals where there are many. */
function Chooser({ list, view, scenario, name }) {
  const rows = list?.scenarios ?? [];
  const choose = event => {
    const name = event.target.value.trim();
    go(name && view.only ? 'overview' : view.view, name || null);
  };
  const label = html`<label for="scenario">${t('nav.scenario')} <${Kbd}>/<//></label>`;
  if (list?.next) {
    return html`${label}<input id="scenario" list="scenarios" value=${name ?? ''} placeholder=${t('nav.all')} onChange=${choose} autocomplete="off" spellcheck=${false} />
      <datalist id="scenarios">${rows.map(one => html`<option value=${one.name} />`)}</datalist>`;
  }
  const shown = scenario && !rows.some(one => one.scenario === scenario) ? [{ scenario, name }, ...rows] : rows;
  return html`${label}<select id="scenario" value=${scenario ?? ''} onChange=${choose}>
    <option value="">${t('nav.all')}</option>${shown.map(one => html`<option value=${one.scenario}>${one.name}</option>`)}</select>`;
}

function Top({ me, view, name, out }) {
  const live = useLive();
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick(n => n + 1), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  useZone();
  const isLocal = zoneIsLocal();
  const tone = { live: 'ok', poll: 'mute', lost: 'bad' }[live.mode] ?? 'mute';
  return html`<header class="top">
    <span>${name ? html`<bdi>${name}</bdi>` : t('nav.all')} <span aria-hidden="true">/</span> ${view.title()}</span>
    <span class="row">
      <span role="status"><${Chip} tone=${tone}>${word('live', live.mode)}<//></span>
      <span>${moment(now())} <button class="link" onClick=${switchZone}>${isLocal ? 'UTC' : t('zone.local')} <${Kbd}>u<//></button></span>
      <span><bdi>${me.name ?? t('nobody')}</bdi>${me.roles?.length > 0 && ` · ${me.roles.map(role => word('role', role)).join(', ')}`}
        <button class="link" onClick=${out}>${t('logout')}</button></span>
    </span></header>`;
}

/** What stands over every view: nothing is written, nothing is heard, nothing evolves, or the clocks are apart. */
function Banners({ frozen, me }) {
  const live = useLive();
  const { data } = useCall('readyz', { on: ['tick'] });
  const { data: known } = useCall(me.console && 'v1/me', { on: [] });
  const banners = [];
  const { writes, stalled_scenarios: stalled } = data ?? {};
  if (writes && writes !== 'open') banners.push(['bad', word('writes', writes)]);
  if (stalled) banners.push(['warn', t('banner.stalled', { n: stalled })]);
  if (frozen) banners.push(['info', t('banner.frozen', { at: moment(frozen.since) })]);
  if (live.mode === 'lost') banners.push(['warn', t('banner.lost', { span: span((Date.now() - live.since) / 1000) })]);
  if (Math.abs(clockOffset()) > CLOCKS_APART_MS) banners.push(['warn', t('banner.clock', { span: span(Math.abs(clockOffset()) / 1000) })]);
  const isOld = known?.console && known.console !== me.console;
  return html`<div role="status">${banners.map(([tone, text]) => html`<p class=${`banner ${tone}`}>${text}</p>`)}
    ${isOld && html`<p class="banner info">${t('banner.old', { version: known.version })} <button class="link" onClick=${() => location.reload()}>${t('banner.reload')}</button></p>`}</div>`;
}

function Help({ onClose }) {
  const [on, put] = useState(keys.areOn());
  const [theme, dress] = useState(document.documentElement.dataset.theme ?? 'auto');
  const choose = event => { wear(event.target.value); dress(event.target.value); };
  const does = pressed => [pressed, word('key', pressed)];
  const rows = [['/', t('key.scenario')], ...VIEWS.map(one => [`g ${one.k}`, one.title()]), ['j k', t('key.rows')], ...[...'xearmzn'].map(does), ['1 2 3', t('key.tabs')], ...[...'tuc'].map(does), ['?', t('key.help')]];
  return html`<${Dialog} title=${t('help.title')} onClose=${onClose}>
    <label class="line"><input type="checkbox" autofocus checked=${on} onChange=${event => { keys.switchKeys(event.target.checked); put(event.target.checked); }} /> ${t('help.keys_on')}</label>
    <table class="plain"><caption class="sr">${t('help.title')}</caption><tbody>${rows.map(([pressed, does]) => html`<tr><th scope="row">${pressed.split(' ').map(one => html`<kbd>${one}</kbd> `)}</th><td>${does}</td></tr>`)}</tbody></table>
    <label>${t('help.theme')}<select value=${theme} onChange=${choose}><option value="auto">${t('theme.auto')}</option><option value="light">${t('theme.light')}</option><option value="dark">${t('theme.dark')}</option></select></label>
    <p class="row"><button type="button" class="p" onClick=${onClose}>${t('help.close')}</button></p><//>`;
}

function wear(theme) {
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  localStorage.setItem('otherwise.theme', theme);
}

wear(localStorage.getItem('otherwise.theme') ?? 'auto');
await load();
render(html`<${App} />`, document.body);
