import { accountTarget, record } from '../../forge/admin/audit-trail.ts'
import { PASSWORD_MAX, passwordFault, passwordMessageOnEdit } from '../../forge/auth/password-rules.ts'
import { upsertPassword } from '../../forge/auth/password-store.ts'
import { maxSize } from '../../forge/protocol/rules.ts'
import { hashPassword } from '../../forge/users/creation.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { field } from '../form.ts'
import { html } from '../html.ts'
import { type PageTools, route } from '../route.ts'
import { changeCredentials } from '../session/session-store.ts'
import { type Outcome, outcomeOf, replyTo, sent, shown, type Texts } from './form-reply.ts'
import type { Person } from './person.ts'
import { proofFields, wrongProof } from './proof.ts'
import { sentField, settingsPage } from './settings-page.ts'

type Context = HandlerBase<PageTools> & { caller: Person }

export const getPasswordSettings = route('GET /settings/password', {
  ...shown,
  summary: 'The form that changes one’s password',
  handler: ({ query, ...context }) => passwordPage(context, outcomeOf(query)),
})

export const changePassword = route('POST /settings/password', {
  ...sent,
  summary: 'Change one’s password; other browsers are signed out',
  handler: ({ body, ...context }) =>
    replyTo(
      body,
      `${context.from.host}settings/password?done=1`,
      () => change(context, body),
      (outcome) => passwordPage(context, { ...outcome, values: {} }),
    ),
})

async function change(context: Context, body: Texts): Promise<Texts | undefined> {
  const { begin, caller, tools } = context
  const { me, session } = caller
  const { current = '', code = '', password = '', repeated = '' } = body
  const weak = maxSize(PASSWORD_MAX).holds(password)
    ? passwordFault(password, tools.passwordRules)
    : undefined
  if (!maxSize(PASSWORD_MAX).holds(password)) return { password: 'This is too long.' }
  if (weak) return { password: `The ${passwordMessageOnEdit(weak)}.` }
  if (password !== repeated) return { repeated: 'This is not what you wrote above.' }
  if (!(await caller.proves(current, code))) return wrongProof(caller)
  const hash = await hashPassword(password, tools.passwords)
  await begin(async (tx) => {
    await changeCredentials(tx, me.id, session, () => upsertPassword(tx, me.id, hash))
    await record(tx, context, { action: 'user.password_changed', target: accountTarget(me) })
  })
  return undefined
}

function passwordPage({ caller, from: { host } }: Context, outcome: Outcome): string {
  const main = html`<form class="card" method="post" action="${host}settings/password">
<input class="for-managers" type="text" name="username" autocomplete="username" value="${caller.me.name}" hidden>
${proofFields(caller, outcome)}
${field({ label: 'New password', type: 'password', autocomplete: 'new-password', ...sentField(outcome, 'password') })}
${field({ label: 'New password again', type: 'password', autocomplete: 'new-password', ...sentField(outcome, 'repeated') })}
<button>Change the password</button>
</form>
<p class="meta">You stay signed in here; all other browsers are signed out. Access tokens stay as they are.</p>`
  const done = 'Your password is changed, and other browsers are signed out.'
  return settingsPage({ host, caller, section: 'settings/password', outcome, done, main })
}
