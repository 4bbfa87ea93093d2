import { field, hiddenFields } from '../form.ts'
import { type Html, html } from '../html.ts'
import { page } from '../layout.ts'
import { type KeptForm, keptInputs } from './kept-form.ts'

/** What the page shows. */
interface SignInPage {
  host: string
  /** Where the sign-in leads to; undefined: it depends on who signs in. */
  next: string | undefined
  fault: string | undefined
  user?: string | undefined
  /** A form that waits until somebody is signed in. */
  kept?: KeptForm | undefined
}

/** The page on which people sign in. */
export function signInPage({ host, next, fault, user = '', kept }: SignInPage): string {
  const alert: Html | undefined =
    fault === undefined ? undefined : html`<p class="notice bad" role="alert">${fault}</p>`
  const main = html`<div class="narrow">
<h1>Sign in</h1>
<p class="quiet-text">To see what is private, and as an administrator to manage the site.</p>
${alert}
<form class="card" method="post" action="${host}login">
${hiddenFields({ next })}
${kept && keptInputs(kept)}
${field({ name: 'user', label: 'Name or e-mail address', value: user, autocomplete: 'username', isOptional: true, hasFocus: user === '', hint: 'Leave it empty to sign in with an access token.' })}
${field({ name: 'password', label: 'Password or access token', type: 'password', autocomplete: 'current-password', hasFocus: user !== '' })}
${field({ name: 'code', label: 'One-time code', autocomplete: 'one-time-code', isOptional: true, hint: 'Only where your account asks for one.' })}
<button>Sign in</button>
</form>
<details>
<summary>Where is the password?</summary>
<p>When the server started for the first time it printed the name and the password of the first administrator in its
terminal. <code>forgehall admin password</code> sets another one.</p>
</details>
</div>`
  return page({ host, caller: undefined, title: 'Sign in', main, current: 'account' })
}
