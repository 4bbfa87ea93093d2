import { done, failed } from '../../common/outcome.ts'
import { accountTarget, record } from '../../forge/audit/audit-trail.ts'
import { upsertPassword } from '../../forge/auth/password-store.ts'
import { hashPassword } from '../../forge/users/creation.ts'
import { type Fields, field } from '../form.ts'
import { html } from '../html.ts'
import { route } from '../route.ts'
import { changeCredentials } from '../session-store.ts'
import { newPasswordFaults } from '../sign-in/new-password-page.ts'
import {
  type Change,
  type FormState,
  replyTo,
  type SettingsContext,
  sent,
  sentField,
  shown,
  stateOf,
} from './form-reply.ts'
import { proofFields, wrongProof } from './proof.ts'
import { settingsPage } from './settings-page.ts'

const section = 'settings/password'

export const getPasswordSettings = route('GET /settings/password', {
  ...shown,
  summary: 'The form that changes one’s password',
  handler: ({ query, ...context }) => passwordPage(context, stateOf(query)),
})

export const changePassword = route('POST /settings/password', {
  ...sent,
  summary: 'Change one’s password; other browsers are signed out',
  handler: ({ body, ...context }) => replyTo(context, body, { section, change, show: passwordPage }),
})

async function change(context: SettingsContext, fields: Fields): Promise<Change> {
  const { begin, caller, tools } = context
  const { me, session } = caller
  const { current = '', code = '', password = '' } = fields
  const faults = newPasswordFaults(fields, tools.passwordRules)
  if (faults) return failed(faults)
  if (!(await caller.proves(current, code))) return failed(wrongProof(caller))
  const hash = await hashPassword(password, tools.passwords)
  await begin(async (tx) => {
    await changeCredentials(tx, me.id, session, () => upsertPassword(tx, me.id, hash))
    await record(tx, context, { action: 'user.password_changed', target: accountTarget(me) })
  })
  return done(undefined)
}

function passwordPage(context: SettingsContext, { faults, isDone }: FormState): string {
  const { caller, from } = context
  // Passwords and codes are not sent back.
  const state = { values: {}, faults, isDone }
  const main = html`<form class="card" method="post" action="${from.host}${section}">
<input class="for-managers" type="text" name="username" autocomplete="username" value="${caller.me.name}" hidden>
${proofFields(caller, state)}
${field({ label: 'New password', type: 'password', autocomplete: 'new-password', ...sentField(state, 'password') })}
${field({ label: 'New password again', type: 'password', autocomplete: 'new-password', ...sentField(state, 'repeated') })}
<button>Change the password</button>
</form>
<p class="meta">You stay signed in here; all other browsers are signed out. Access tokens stay as they are.</p>`
  const notice = 'Your password is changed, and other browsers are signed out.'
  return settingsPage(context, { section, state, done: notice, main })
}
