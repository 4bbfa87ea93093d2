import { field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'
import { type Way, wayInputs } from './way.ts'

/** What the page shows. */
interface SignInPage {
  host: string
  way: Way
  fault?: string | undefined
  /** What has been done. */
  done?: string | undefined
  user?: string | undefined
}

/** The page on which people sign in. */
export function signInPage({ host, way, fault, done, user = '' }: SignInPage): string {
  const notice: Html | undefined =
    fault !== undefined
      ? html`<p class="notice bad" role="alert">${fault}</p>`
      : done === undefined
        ? undefined
        : html`<p class="notice" role="status">${done}</p>`
  const main = html`<div class="narrow">
<h1>Sign in</h1>
<p class="quiet-text">To write and change what you may, and to see what is private.</p>
${notice}
<form class="card" method="post" action="${host}login">
${wayInputs(way)}
${field({ name: 'user', label: 'Name or e-mail address', value: user, autocomplete: 'username', isOptional: true, hasFocus: user === '', hint: 'Leave it empty to sign in with an access token.' })}
${field({ name: 'password', label: 'Password or access token', type: 'password', autocomplete: 'current-password', hasFocus: user !== '' })}
<button>Sign in</button>
<p><a href="${host}login/forgotten">Forgotten your password?</a></p>
</form>
<details>
<summary>Where is the password?</summary>
<p>When the server started for the first time it printed the name and the password of the first administrator in its
terminal. <code>forgehall admin password</code> sets another one. If you have forgotten yours, an administrator can make a link with
which you choose a new one.</p>
</details>
</div>`
  return page({ host, caller: undefined, title: 'Sign in', main, current: 'account' })
}
