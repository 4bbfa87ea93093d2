import * as v from 'valibot'
import { accountById } from '../../forge/accounts/account-store.ts'
import { unsealed } from '../../forge/auth/sign-in-steps.ts'
import { hashToken } from '../../forge/auth/token.ts'
import { hashPassword } from '../../forge/users/creation.ts'
import { type PasswordProof, setOwnPassword } from '../../forge/users/own-password.ts'
import { passwordLink } from '../../forge/users/password-link-store.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Faults, Fields } from '../form.ts'
import { htmlType } from '../profile.ts'
import { type PageTools, publicPage, route } from '../route.ts'
import { endedLinkPage, newPasswordFaults, newPasswordPage } from './new-password-page.ts'
import { sending, startSession, unstored } from './sign-in.ts'
import { signInPage } from './sign-in-page.ts'
import { wayIn } from './way.ts'

type Context = Pick<HandlerBase<PageTools>, 'sql' | 'now' | 'from' | 'tools'>

export const getNewPasswordPage = route('GET /login/password', {
  returns: textAs(200, htmlType),
  summary: 'The form behind a link to a new password',
  access: publicPage,
  query: { link: v.optional(v.unknown()) },
  also: [404],
  handler: async ({ query, ...context }) => {
    const fields = typeof query.link === 'string' ? { link: query.link } : {}
    const proof = await proofIn(context, fields)
    return proof ? show(context, proof, fields) : ended(context, {})
  },
})

export const setNewPassword = route('POST /login/password', {
  ...sending,
  summary: 'Set one’s password, by a link or in a sign-in, which then goes on',
  also: [200, 401, 404, 422],
  handler: async ({ body, caller, ...context }) => {
    const { begin, from, tools } = context
    const proof = await proofIn(context, body)
    if (!proof) return ended(context, body)
    const faults = newPasswordFaults(body, tools.passwordRules)
    if (faults) return show(context, proof, body, faults)
    const hash = await hashPassword(body.password ?? '', tools.passwords)
    const me = await begin((tx) => setOwnPassword(tx, proof, hash, from))
    if (!me) return ended(context, body)
    const way = wayIn(body, from.host)
    if (proof.hasCode !== undefined) return startSession(caller, { me }, way)
    return new ReplyWith('', { status: 303, headers: { Location: `${from.host}login?changed=1` } })
  },
})

/** What a form shows about who may set which password; undefined: nothing that is valid now. */
async function proofIn(
  { sql, now, tools }: Context,
  { link, step }: Fields,
): Promise<PasswordProof | undefined> {
  if (step !== undefined) return unsealed(tools.secrets, step, now)
  const stored = await passwordLink(sql, hashToken(link ?? ''), now)
  return stored && { account: stored.account_id, password: stored.password_hash, hasCode: undefined }
}

/** The form, with what was wrong with it when it was sent. */
async function show(
  { sql, from: { host } }: Context,
  { account }: PasswordProof,
  fields: Fields,
  faults?: Faults,
): Promise<ReplyWith<string>> {
  const { name } = (await accountById(sql, account)) ?? { name: '' }
  const { link, step } = fields
  const page = newPasswordPage({ host, way: wayIn(fields, host), link, step, name, faults: faults ?? {} })
  return new ReplyWith(page, { status: faults ? 422 : 200, headers: unstored })
}

/** A link that is valid no more, or a sign-in that has to begin again. */
function ended({ from: { host } }: Context, fields: Fields): ReplyWith<string> {
  if (fields.step === undefined) return new ReplyWith(endedLinkPage(host), { status: 404 })
  const fault = 'The sign-in took too long, or your account has changed meanwhile. Sign in again.'
  return new ReplyWith(signInPage({ host, way: wayIn(fields, host), fault }), { status: 401 })
}
