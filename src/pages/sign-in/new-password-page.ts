import {
  PASSWORD_MAX,
  type PasswordRules,
  passwordFault,
  passwordMessageOnEdit,
} from '../../forge/auth/password-rules.ts'
import { maxSize } from '../../forge/protocol/rules.ts'
import { type Faults, type Fields, field, hiddenFields } from '../form.ts'
import { html } from '../html.ts'
import { page } from '../layout.ts'
import { type Way, wayInputs } from './way.ts'

/** What the page shows: the link, or the sign-in that has begun (`step`). */
interface NewPasswordPage {
  host: string
  way: Way
  link?: string | undefined
  step?: string | undefined
  /** The name of the account. */
  name: string
  faults: Faults
}

/** The page on which somebody chooses a new password, by a link or in a sign-in. */
export function newPasswordPage(parts: NewPasswordPage): string {
  const { host, way, link, step, name, faults } = parts
  const fieldOf = (each: string) => ({ name: each, fault: faults[each], hasFocus: focused(faults) === each })
  const why =
    step === undefined
      ? html`Choose the password of <strong>${name}</strong>. You sign in with it then.`
      : 'Your password has to be changed before you go on.'
  const main = html`<div class="narrow">
<h1>Choose a new password</h1>
<p class="quiet-text">${why}</p>
<form class="card" method="post" action="${host}login/password">
${hiddenFields({ link, step })}${wayInputs(way)}
<input class="for-managers" type="text" name="username" autocomplete="username" value="${name}" hidden>
${field({ ...fieldOf('password'), label: 'New password', type: 'password', autocomplete: 'new-password' })}
${field({ ...fieldOf('repeated'), label: 'New password again', type: 'password', autocomplete: 'new-password' })}
<button>${step === undefined ? 'Set the password' : 'Set the password and go on'}</button>
</form>
</div>`
  return page({ host, caller: undefined, title: 'New password', main, current: 'account' })
}

const focused = (faults: Faults) => Object.keys(faults)[0] ?? 'password'

/** The page behind a link that is valid no more. */
export function endedLinkPage(host: string): string {
  const main = html`<div class="narrow">
<h1>This link has ended</h1>
<div class="card"><p>A link to a new password works once, for an hour, and until the password changes. An administrator of this
site can make another one.</p>
<p class="actions"><a class="button" href="${host}login">Sign in</a></p></div>
</div>`
  return page({ host, caller: undefined, title: 'New password', main, current: 'account' })
}

/** What is wrong with a new password, which a form has twice; undefined: nothing. */
export function newPasswordFaults(
  { password = '', repeated = '' }: Fields,
  rules: PasswordRules,
): Faults | undefined {
  if (!maxSize(PASSWORD_MAX).holds(password)) return { password: 'This is too long.' }
  const weak = passwordFault(password, rules)
  if (weak) return { password: `The ${passwordMessageOnEdit(weak)}.` }
  return password === repeated ? undefined : { repeated: 'This is not what you wrote above.' }
}
