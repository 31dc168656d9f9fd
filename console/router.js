// Where the reader is: `#/s/{scenario}/{view}?…` or `#/{view}?…`. Every filter and selection stands in it; the server never sees it.

import { useEffect, useState } from './vendor/hooks.js';

/** A scenario's name as the service looks it up and tells of it, see `ScenarioKey`. */
export const normal = name => name.toLowerCase().split(/[\s_-]+/).filter(Boolean).join('_');

/** The place that the address names. */
function place() {
  const [path, query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter(Boolean).map(part => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  const params = Object.fromEntries(new URLSearchParams(query));
  return parts[0] === 's' && parts[1]
    ? { scenario: normal(parts[1]), view: parts[2] ?? '', params }
    : { scenario: null, view: parts[0] ?? '', params };
}

/** Parameters as they follow an address, with their question mark; what says nothing is left out. */
export function query(params) {
  const said = new URLSearchParams(Object.entries(params).filter(([, value]) => ![undefined, null, '', false].includes(value))).toString();
  return said && `?${said}`;
}

/** The address of a place, as a link has it. */
export const href = (view, scenario, params = {}) => `#/${scenario ? `s/${encodeURIComponent(scenario)}/` : ''}${view}${query(params)}`;

export const go = (view, scenario, params) => { location.hash = href(view, scenario, params); };

/** Changes some parameters where the reader is; nothing that the way back should stop at. */
export function set(params) {
  const here = place();
  history.replaceState(null, '', href(here.view, here.scenario, { ...here.params, ...params }));
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The place, drawn anew when it changes. */
export function usePlace() {
  const [here, move] = useState(place);
  useEffect(() => {
    const moved = () => move(place());
    addEventListener('hashchange', moved);
    return () => removeEventListener('hashchange', moved);
  }, []);
  return here;
}
