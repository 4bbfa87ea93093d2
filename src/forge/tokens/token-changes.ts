import { mapConstraints } from '../../http/database-errors.ts'
import { badRequest, forbidden, found, unprocessable } from '../../http/route/problem.ts'
import type { Account } from '../accounts/account-store.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import { isEmpty, NO_SCOPES, parseScopes, passOn, type Scopes } from '../auth/scopes.ts'
import { newToken } from '../auth/token.ts'
import { deleteToken, insertToken, type StoredToken } from '../auth/token-store.ts'
import type { ForgeContext } from '../route.ts'

type Context = Pick<ForgeContext<SignedIn>, 'begin' | 'caller' | 'from' | 'now'>

/** The message (400) for a name that another token of the account has. */
export const TOKEN_NAME_USED = 'access token name has been used already'

/** The message (422) for a token that would have ended before it is created. */
const TOKEN_ENDED = 'expires_at must be in the future'

/**
 * Creates a token of an account; returns the token itself, which is not stored.
 * @throws Problem 400 scopes or a used name, 403 broader than the caller's token, 404 gone, 422 a system account, or an end
 * in the past
 */
export async function makeToken(
  { begin, now, ...by }: Context,
  owner: Account,
  { name, scopes, expires_at }: { name: string; scopes: readonly string[]; expires_at?: Date | undefined },
): Promise<{ stored: StoredToken; token: string }> {
  refuseSystem(owner)
  if (expires_at && expires_at <= now) throw unprocessable(TOKEN_ENDED)
  const draft = { name, scopes: scopesFor(by.caller, scopes), token: newToken(), expires_at }
  const creation = begin(async (tx) => {
    const inserted = await insertToken(tx, owner.id, draft)
    const details = {
      token: inserted.name,
      scopes: inserted.scopes,
      ...(expires_at && { expires_at: inserted.expires_at }),
    }
    await record(tx, by, { action: 'token.created', target: accountTarget(owner), details })
    return inserted
  })
  const stored = await mapConstraints(creation, {
    access_token_name_unique: [400, TOKEN_NAME_USED],
    access_token_account_known: [404, 'the user does not exist any more'],
  })
  return { stored, token: draft.token }
}

/** The scopes of a new token. A token cannot create one with more permissions than its own. @throws Problem 400, 403 */
function scopesFor({ token }: SignedIn, names: readonly string[]): Scopes {
  const requested = parseScopes(names)
  if (!requested.ok) throw badRequest(requested.fault)
  if (isEmpty(requested.value)) throw badRequest(NO_SCOPES)
  if (!token) return requested.value
  const passed = passOn(token.scopes, requested.value)
  if (!passed.ok) throw forbidden(passed.fault)
  return passed.value
}

/** Revokes a token of an account. @throws Problem 404 */
export async function revokeToken(
  { begin, ...by }: Omit<Context, 'now'>,
  owner: Account,
  which: { id: number } | { name: string },
  message: string,
): Promise<void> {
  await begin(async (tx) => {
    const deleted = found(await deleteToken(tx, owner.id, which), message)
    const details = { token: deleted.name }
    await record(tx, by, { action: 'token.deleted', target: accountTarget(owner), details })
  })
}
