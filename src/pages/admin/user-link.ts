import type * as v from 'valibot'
import type { Account } from '../../forge/accounts/account-store.ts'
import type { PasswordLink } from '../../forge/users/credentials.shape.ts'
import { askedForm, buttonForm } from '../form.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card } from '../layout.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { adminPage } from './frame.ts'

/** What helps a person who cannot sign in; `address`: of the page of the user. */
export const signInHelp = (address: string, { name, has_totp }: Account): Html => card(
  'sign-in',
  'Cannot sign in?',
)`<p>A link lets ${name} choose a new password. You pass it on; it works once, within an hour.</p>
<div class="actions">${buttonForm(`${address}/password-link`, 'Make a link')}
${
  has_totp
    ? askedForm({
        address: `${address}/totp`,
        text: 'Remove the one-time codes',
        question: `Has ${name} lost them? Then a password alone signs in, until ${name} turns codes on again.`,
        answer: 'Remove them',
      })
    : undefined
}</div>`

/** The page that shows a link once; `name`: of the user. */
export function passwordLinkPage(
  caller: Administrator,
  name: string,
  { url, expires_at }: v.InferOutput<typeof PasswordLink>,
): string {
  const address = adminAddress(caller, `users/${name}`)
  const main = html`<div class="card made" role="status">
<div class="field"><label for="link">Link for ${name}</label>
<p class="hint" id="link-hint">Copy it now: it is shown only this once. It works once, and ends ${timeOf(expires_at)}.</p>
<input id="link" class="secret" type="text" readonly value="${url}" aria-describedby="link-hint" autofocus></div>
<p>Who has it chooses the password of ${name}. Send it in a way that nobody else can read.</p>
<p class="actions"><a class="button quiet" href="${address}">To the user</a></p>
</div>`
  return adminPage({ caller, title: `A new password for ${name}`, section: 'users', main })
}
