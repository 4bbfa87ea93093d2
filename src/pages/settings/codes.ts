import { done, failed } from '../../common/outcome.ts'
import { accountTarget, record } from '../../forge/audit/audit-trail.ts'
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
import { type Fields, unknownAction } from '../form.ts'
import { route } from '../route.ts'
import { changeCredentials } from '../session-store.ts'
import { codesPage } from './codes-page.ts'
import {
  type Change,
  type FormState,
  replyTo,
  type SettingsContext,
  sent,
  shown,
  stateOf,
  untouched,
} from './form-reply.ts'
import { wrongProof } from './proof.ts'

export const getCodeSettings = route('GET /settings/codes', {
  ...shown,
  summary:
    'One-time codes as a second factor: a new secret to enrol with, or how many recovery codes are left',
  handler: ({ query, ...context }) => show(context, stateOf(query)),
})

export const changeCodes = route('POST /settings/codes', {
  ...sent,
  summary: 'Turn one-time codes on or off, or make new recovery codes; other browsers are signed out',
  fails: [400],
  also: [200, 422],
  handler: ({ body, ...context }) => replyTo(context, body, { section: 'settings/codes', change, show }),
})

async function show(context: SettingsContext, state: FormState): Promise<string> {
  const { caller, sql } = context
  if (caller.me.has_totp)
    return codesPage(context, state, { left: await recoveryCodesLeft(sql, caller.me.id) })
  return codesPage(context, state, { secret: secretIn(state.values) ?? newTotpSecret() })
}

async function change(context: SettingsContext, fields: Fields): Promise<Change> {
  switch (fields.action) {
    case 'enrol':
      return enrol(context, fields)
    case 'renew':
      return proven(context, fields, () => renew(context))
    case 'disable':
      return proven(context, fields, () => disable(context))
    default:
      throw unknownAction()
  }
}

async function enrol(context: SettingsContext, fields: Fields): Promise<Change> {
  const { caller, begin, now, tools } = context
  const { me, session } = caller
  if (me.has_totp) return failed({ '': 'You use one-time codes already.' })
  const secret = secretIn(fields)
  if (!secret) return failed({ '': 'The secret is broken. Use the new one below.' })
  const step = verifyTotp(secret, fields.code ?? '', now)
  if (step === undefined)
    return failed({ code: 'This code is not of this secret. Is the clock of the device right?' })
  if (!(await caller.proves(fields.current ?? '', ''))) return failed(wrongProof(caller))
  const { codes, hashes } = newRecoveryCodes()
  await begin(async (tx) => {
    await changeCredentials(tx, me.id, session, async () => {
      await upsertTotp(tx, tools.secrets, me.id, secret)
      await useTotpStep(tx, me.id, step)
      await storeRecoveryCodes(tx, me.id, hashes)
    })
    await record(tx, context, { action: 'user.totp_enrolled', target: accountTarget(me) })
  })
  return { page: codesPage(context, { ...untouched, isDone: true }, { codes }) }
}

/** Makes a change for which a session is not enough. */
async function proven(
  { caller }: SettingsContext,
  { current = '', code = '' }: Fields,
  change: () => Promise<Change>,
): Promise<Change> {
  if (!caller.me.has_totp) return failed({ '': 'You do not use one-time codes.' })
  return (await caller.proves(current, code)) ? change() : failed(wrongProof(caller))
}

async function renew(context: SettingsContext): Promise<Change> {
  const { me } = context.caller
  const { codes, hashes } = newRecoveryCodes()
  await context.begin(async (tx) => {
    await storeRecoveryCodes(tx, me.id, hashes)
    await record(tx, context, { action: 'user.recovery_codes_made', target: accountTarget(me) })
  })
  return { page: codesPage(context, { ...untouched, isDone: true }, { codes }) }
}

async function disable(context: SettingsContext): Promise<Change> {
  const { me, session } = context.caller
  await context.begin(async (tx) => {
    await changeCredentials(tx, me.id, session, () => deleteTotp(tx, me.id))
    await record(tx, context, { action: 'user.totp_removed', target: accountTarget(me) })
  })
  return done(undefined)
}

/** The secret that the page has made and the form returns; undefined for anything else. */
function secretIn({ secret = '' }: Fields): Buffer | undefined {
  const decoded = decodeBase32(secret)
  return decoded?.length === newTotpSecret().length ? decoded : undefined
}
