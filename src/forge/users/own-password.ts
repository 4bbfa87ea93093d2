import { randomBytes } from 'node:crypto'
import type { Tx } from '../../db/sql.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import type { Origin } from '../../http/server/origin.ts'
import { type Account, lockAccount, updateAccount } from '../accounts/account-store.ts'
import { nameUnknown } from '../accounts/names.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { type Actor, accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedInOnSubject } from '../auth/access.ts'
import { lockPassword, upsertPassword } from '../auth/password-store.ts'
import { hashToken } from '../auth/token.ts'
import type { ForgeContext } from '../route.ts'
import { deletePasswordLink, upsertPasswordLink } from './password-link-store.ts'

/** How long a link to a new password is valid, in milliseconds. */
const linkLifetime = 3_600_000

/** A link that has been made; its secret is in `url` and nowhere else. */
interface MadeLink {
  url: string
  expiresAt: Date
}

/**
 * Makes the link with which a person sets a new password, in place of an earlier one.
 * @throws Problem 404 gone, 422 not a person
 */
export async function makePasswordLink(context: ForgeContext<SignedInOnSubject>): Promise<MadeLink> {
  const { begin, caller, from } = context
  const { subject } = caller
  refuseSystem(subject)
  const { secret, expiresAt } = await begin(async (tx) => {
    const account = found(await lockAccount(tx, subject.id), nameUnknown(subject.name))
    if (account.kind !== 'person') throw unprocessable(`${subject.name} has no password: it is not a person`)
    return storePasswordLink(tx, context, account)
  })
  return { url: `${from.host}login/password?link=${secret}`, expiresAt }
}

/** Stores a new link of a person, in place of an earlier one; returns its secret, which is in the link and nowhere else. */
export async function storePasswordLink(tx: Tx, by: Actor, account: Account) {
  const secret = randomBytes(32).toString('base64url')
  const expiresAt = new Date(tx.now.getTime() + linkLifetime)
  await upsertPasswordLink(tx, { account: account.id, hash: hashToken(secret), expiresAt })
  await record(tx, by, { action: 'user.password_link_made', target: accountTarget(account) })
  return { secret, expiresAt }
}

/** What shows that somebody may set the password of an account. */
export interface PasswordProof {
  account: number
  /** A hash of the password's record as the proof was made; null: there was none. It ends with that password. */
  password: string | null
  /** Of a sign-in: whether a one-time code was right, too; undefined: a link. */
  hasCode: boolean | undefined
}

/**
 * Sets the password of an account for its owner, who then need not change it any more. Returns the account; undefined: it
 * has another password than the proof is about, or may not sign in any more.
 */
export async function setOwnPassword(
  tx: Tx,
  proof: PasswordProof,
  hash: string,
  from: Origin,
): Promise<Account | undefined> {
  const me = await lockAccount(tx, proof.account)
  const old = await lockPassword(tx, proof.account)
  const isOutdated = (old === undefined ? null : hashToken(old)) !== proof.password
  if (me?.kind !== 'person' || isOutdated) return undefined
  if (proof.hasCode !== undefined && (!maySignIn(me) || me.has_totp !== proof.hasCode)) return undefined
  await upsertPassword(tx, me.id, hash)
  await deletePasswordLink(tx, me.id)
  const caller = { me, impersonator: undefined }
  const details = { by: proof.hasCode === undefined ? 'link' : 'sign-in' }
  await record(tx, { caller, from }, { action: 'user.password_changed', target: accountTarget(me), details })
  return updateAccount(tx, me.id, { must_change_password: false })
}

const maySignIn = ({ is_active, prohibit_login }: Account) => is_active && !prohibit_login
