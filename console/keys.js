// Keys that do something. None acts while a field has the focus or a dialog is open, and all can be switched off (WCAG 2.1.4).

import { useEffect } from './vendor/hooks.js';

/** What is bound, the innermost last. */
const bound = [];
const LEADER_MS = 1500;
let leader = null;
let on = localStorage.getItem('otherwise.keys') !== 'off';

export const areOn = () => on;

export function switchKeys(to) {
  on = to;
  localStorage.setItem('otherwise.keys', to ? 'on' : 'off');
}

/** Binds keys as long as the caller is there: `{j: next, 'g w': toWaits}`. */
export function useKeys(map) {
  useEffect(() => {
    bound.push(map);
    return () => bound.splice(bound.indexOf(map), 1);
  });
}

function isTaken(target) {
  return target.closest?.('input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]');
}

addEventListener('keydown', event => {
  // Out of a field, which is not emptied by it; in a dialog it closes that.
  if (event.key === 'Escape' && isTaken(event.target) && !event.target.closest('dialog')) { event.preventDefault(); event.target.blur(); }
  if (!on || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (document.querySelector('dialog[open]') || isTaken(event.target)) return;
  const pressed = leader ? `${leader} ${event.key}` : event.key;
  if (!leader && event.key === 'g') {
    leader = 'g';
    setTimeout(() => { leader = null; }, LEADER_MS);
    return;
  }
  leader = null;
  const map = bound.findLast(map => map[pressed]);
  if (!map) return;
  event.preventDefault();
  map[pressed](event);
});
