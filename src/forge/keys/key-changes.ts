import type * as v from 'valibot'
import { forbidden, found, notFound, unprocessable } from '../../http/route/problem.ts'
import type { Account } from '../accounts/account-store.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import { seesUser } from '../auth/user-visibility.ts'
import type { ForgeContext } from '../route.ts'
import { deleteKey, insertKey, keyById, type StoredKey } from '../ssh-keys/key-store.ts'
import { KEY_TITLE_USED, KEY_USED, parseSshKey } from '../ssh-keys/ssh-key.ts'
import { notUserMessage } from '../users/edit.ts'
import type { CreateKeyOption } from './key.option.ts'

type Context = Pick<ForgeContext<SignedIn>, 'begin' | 'caller' | 'from'>

/** PostgreSQL checks unique indexes in the order of their creation: the key is reported before the title. */
export const keyConflicts = {
  ssh_key_fingerprint_unique: [422, KEY_USED],
  ssh_key_title_unique: [422, KEY_TITLE_USED],
} as const

/** Adds a key to an account. @throws Problem 422; a database error that `keyConflicts` names */
export async function addKey(
  { begin, ...by }: Context,
  owner: Account,
  body: Pick<v.InferOutput<typeof CreateKeyOption>, 'title' | 'key'>,
): Promise<StoredKey> {
  if (owner.kind === 'organization') throw unprocessable(notUserMessage)
  refuseSystem(owner)
  const parsed = parseSshKey(body.key)
  if (!parsed.ok) throw unprocessable(parsed.fault)
  const { line: content, fingerprint } = parsed.value
  return begin(async (tx) => {
    const key = await insertKey(tx, owner, { title: body.title, content, fingerprint })
    const details = { id: key.id, title: key.title, fingerprint }
    await record(tx, by, { action: 'key.added', target: accountTarget(owner), details })
    return key
  })
}

/** Deletes a key on behalf of `actor`, who must own it or be an administrator. @throws Problem 403, 404 */
export async function removeKey({ begin, ...by }: Context, actor: Account, id: number): Promise<void> {
  await begin(async (tx) => {
    const { owner, title, fingerprint } = found(await keyById(tx, id))
    if (owner.id !== actor.id && !actor.is_admin)
      throw seesUser(owner, by.caller) ? forbidden('You do not have access to this key') : notFound()
    // Not found if a concurrent request deleted it.
    found(await deleteKey(tx, id))
    const details = { id, title, fingerprint }
    await record(tx, by, { action: 'key.removed', target: accountTarget(owner), details })
  })
}
