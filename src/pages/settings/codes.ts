import { accountTarget, record } from '../../forge/admin/audit-trail.ts'
import { decodeBase32 } from '../../forge/auth/base32.ts'
import { newRecoveryCodes } from '../../forge/auth/recovery-code.ts'
import { newTotpSecret, verifyTotp } from '../../forge/auth/totp.ts'
import {
  deleteTotp,
  recoveryCodesLeft,
  storeRecoveryCodes,
  upsertTotp,
  useTotpStep,
} from '../../forge/auth/totp-store.ts'
import { badRequest } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import type { HandlerBase } from '../../http/route/route.ts'
import { type PageTools, route } from '../route.ts'
import { changeCredentials } from '../session/session-store.ts'
import { codesPage } from './codes-page.ts'
import { type Outcome, outcomeOf, replyTo, sent, shown, type Texts } from './form-reply.ts'
import type { Person } from './person.ts'
import { wrongProof } from './proof.ts'

type Context = HandlerBase<PageTools> & { caller: Person }

export const getCodeSettings = route('GET /settings/codes', {
  ...shown,
  summary:
    'One-time codes as a second factor: a new secret to enrol with, or how many recovery codes are left',
  handler: ({ query, ...context }) => show(context, outcomeOf(query)),
})

export const changeCodes = route('POST /settings/codes', {
  ...sent,
  summary: 'Enrol for one-time codes, end that, or make new recovery codes; other browsers are signed out',
  fails: [400],
  also: [200, 422],
  handler: async ({ body, ...context }) => {
    let codes: readonly string[] | undefined
    const reply = await replyTo(
      body,
      `${context.from.host}settings/codes?done=1`,
      async () => {
        const changed = await change(context, body)
        if ('faults' in changed) return changed.faults
        codes = changed.codes
        return undefined
      },
      // Passwords and codes are not sent back.
      (outcome) => show(context, { ...outcome, values: { secret: body.secret ?? '' } }),
    )
    if (!codes) return reply
    return new ReplyWith(codesPage(context, { isDone: true, values: {}, faults: {} }, { codes }), {
      status: 200,
    })
  },
})

async function show(context: Context, outcome: Outcome): Promise<string> {
  const { caller, sql } = context
  if (caller.me.has_totp)
    return codesPage(context, outcome, { left: await recoveryCodesLeft(sql, caller.me.id) })
  const secret = secretIn(outcome.values) ?? newTotpSecret()
  return codesPage(context, outcome, { secret })
}

/** Recovery codes to show, or the faults of a form. */
type Changed = { faults: Texts } | { codes?: readonly string[] }

async function change(context: Context, body: Texts): Promise<Changed> {
  switch (body.action) {
    case 'enrol':
      return enrol(context, body)
    case 'renew':
      return proven(context, body, () => renew(context))
    case 'disable':
      return proven(context, body, () => disable(context))
    default:
      throw badRequest('the form asks for nothing that there is')
  }
}

async function enrol(context: Context, body: Texts): Promise<Changed> {
  const { caller, begin, now, tools } = context
  const { me, session } = caller
  if (me.has_totp) return { faults: { '': 'You use one-time codes already.' } }
  const secret = secretIn(body)
  if (!secret) return { faults: { '': 'The secret is broken. Use the new one below.' } }
  const step = verifyTotp(secret, body.code ?? '', now)
  if (step === undefined)
    return { faults: { code: 'This code is not of this secret. Is the clock of the device right?' } }
  if (!(await caller.proves(body.current ?? '', ''))) return { faults: wrongProof(caller) }
  const { codes, hashes } = newRecoveryCodes()
  await begin(async (tx) => {
    await changeCredentials(tx, me.id, session, async () => {
      await upsertTotp(tx, tools.secrets, me.id, secret)
      await useTotpStep(tx, me.id, step)
      await storeRecoveryCodes(tx, me.id, hashes)
    })
    await record(tx, context, { action: 'user.totp_enrolled', target: accountTarget(me) })
  })
  return { codes }
}

/** Does what needs more than a session. */
async function proven(
  { caller }: Context,
  { current = '', code = '' }: Texts,
  act: () => Promise<Changed>,
): Promise<Changed> {
  if (!caller.me.has_totp) return { faults: { '': 'You do not use one-time codes.' } }
  return (await caller.proves(current, code)) ? act() : { faults: wrongProof(caller) }
}

async function renew(context: Context): Promise<Changed> {
  const { me } = context.caller
  const { codes, hashes } = newRecoveryCodes()
  await context.begin(async (tx) => {
    await storeRecoveryCodes(tx, me.id, hashes)
    await record(tx, context, { action: 'user.recovery_codes_made', target: accountTarget(me) })
  })
  return { codes }
}

async function disable(context: Context): Promise<Changed> {
  const { me, session } = context.caller
  await context.begin(async (tx) => {
    await changeCredentials(tx, me.id, session, () => deleteTotp(tx, me.id))
    await record(tx, context, { action: 'user.totp_removed', target: accountTarget(me) })
  })
  return {}
}

/** The secret that the page has made and the form brings back; undefined for anything else. */
function secretIn({ secret = '' }: Texts): Buffer | undefined {
  const decoded = decodeBase32(secret)
  return decoded?.length === newTotpSecret().length ? decoded : undefined
}
