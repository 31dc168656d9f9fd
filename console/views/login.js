// Who looks: by an API key, or by a name where the service runs open.

import { useEffect, useState } from '../vendor/hooks.js';
import { call, enter, leave, session, setLooks } from '../api.js';
import { t } from '../text.js';
import { Problem, html } from '../parts/bits.js';

/** Who calls, as the service says: `{name, roles, can}`, `{asks: 'key' | 'name'}` where it wants to know, or `{problem}`. */
export async function identify() {
  const answer = await call('GET', 'v1/me');
  const { name, anonymous } = session();
  if (answer.status === 401) return { asks: 'key' };
  if (!answer.ok) return { problem: answer.problem };
  const me = answer.body;
  if (me.method === 'open' && !name && !anonymous) return { asks: 'name' };
  const can = permission => me.may.includes(permission);
  setLooks(can('inspect'));
  return { ...me, can };
}

export function Login({ asks, come }) {
  const [said, put] = useState('');
  const [kept, keep] = useState(false);
  const [problem, tell] = useState(null);
  const byKey = asks === 'key';
  useEffect(() => document.querySelector('[name=who]').focus(), []);
  const submit = async event => {
    event.preventDefault();
    enter(byKey ? { key: said.trim(), kept } : { name: said.trim() });
    const who = await identify();
    if (who.asks || who.problem) {
      leave();
      tell(who.problem ?? { status: 401, title: t('login.refused'), code: 'unauthenticated' });
    } else come(who);
  };
  const pass = async () => { enter({ anonymous: true }); come(await identify()); };
  return html`<main id="main" class="login"><form class="card" onSubmit=${submit}>
    <h1>Otherwise</h1>
    <p class="dim">${t(byKey ? 'login.by_key' : 'login.by_name')}</p>
    ${byKey && html`<input type="text" name="username" autocomplete="username" value="Otherwise" hidden readonly />`}
    <label>${t(byKey ? 'login.key' : 'edit.name')}
      <input name="who" type=${byKey ? 'password' : 'text'} required autofocus pattern=" *[!-~]+ *" title=${t('login.plain')} autocomplete=${byKey ? 'current-password' : 'username'} spellcheck=${false} value=${said} onInput=${event => put(event.target.value)} /></label>
    ${byKey && html`<label class="line"><input type="checkbox" checked=${kept} onChange=${event => keep(event.target.checked)} /> ${t('login.keep')}</label>`}
    <${Problem} problem=${problem} />
    <p class="row"><button type="submit" class="p">${t('login.yes')}</button>
      ${!byKey && html`<button type="button" onClick=${pass}>${t('login.anonymous')}</button>`}</p>
    ${byKey && html`<p class="sm dim">${t('login.key_stays')}</p>`}
  </form></main>`;
}
