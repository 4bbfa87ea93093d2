import type * as v from 'valibot'
import { mapPage, type Page } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { forbidden, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { id } from '../../http/route/values.ts'
import type { Account } from '../accounts/account.ts'
import { refuseSystem } from '../accounts/system-account.ts'
import { seesUser } from '../accounts/user-visibility.ts'
import { accountTarget, record } from '../admin/audit-trail.ts'
import { type SignedIn, signedInFully, siteAdminOn } from '../auth/access.ts'
import { queryTrimmed } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { type ForgeContext, route } from '../route.ts'
import { signedInUserSeen } from '../users/access.ts'
import { notUserMessage } from '../users/edit.ts'
import { printUser, type Viewer } from '../users/user.shape.ts'
import { CreateKeyOption, PublicKey } from './key.shape.ts'
import { deleteKey, insertKey, keyById, pageOfKeys, type StoredKey } from './key-store.ts'
import { KEY_TITLE_USED, KEY_USED, parseSshKey } from './ssh-key.ts'

/** PostgreSQL checks unique indexes in the order of their creation: the key is reported before the title. */
const conflicts = {
  ssh_key_fingerprint_unique: [422, KEY_USED],
  ssh_key_title_unique: [422, KEY_TITLE_USED],
} as const

export const userCurrentListKeys = route('GET /user/keys', {
  summary: 'SSH keys of the user who asks, or the one of a fingerprint',
  access: signedInFully('user'),
  ...pagesOf(PublicKey),
  query: { fingerprint: queryTrimmed, ...pageQuery() },
  handler: async ({ caller: { me }, query, sql, from }) =>
    printed(await pageOfKeys(sql, me.id, query.fingerprint, query), me, from.host),
})

export const userListKeys = route('GET /users/{username}/keys', {
  summary: 'SSH keys of a user, or the one of a fingerprint',
  access: signedInUserSeen('user'),
  ...pagesOf(PublicKey),
  query: { fingerprint: queryTrimmed, ...pageQuery() },
  handler: async ({ caller: { me, subject }, query, sql, from }) =>
    printed(await pageOfKeys(sql, subject.id, query.fingerprint, query), me, from.host),
})

export const userCurrentGetKey = route('GET /user/keys/{id}', {
  summary: 'An SSH key of anybody whom the caller may see',
  access: signedInFully('user'),
  params: { id },
  fails: [404],
  returns: [200, PublicKey],
  handler: async ({ caller, params, sql, from }) => {
    const key = await keyById(sql, params.id)
    if (!key || !seesUser(key.owner, caller)) throw notFound()
    return printKey(key, caller.me, from.host)
  },
})

export const userCurrentPostKey = route('POST /user/keys', {
  summary: 'Add an SSH key to the user who asks',
  access: signedInFully('user'),
  body: CreateKeyOption,
  conflicts: conflicts,
  fails: [404],
  returns: [201, PublicKey],
  handler: async (context) =>
    printKey(await addKey(context, context.caller.me), context.caller.me, context.from.host),
})

export const adminCreatePublicKey = route('POST /admin/users/{username}/keys', {
  summary: 'Add an SSH key to a user',
  access: siteAdminOn(),
  body: CreateKeyOption,
  conflicts: conflicts,
  fails: [404],
  returns: [201, PublicKey],
  handler: async (context) =>
    printKey(await addKey(context, context.caller.subject), context.caller.me, context.from.host),
})

export const userCurrentDeleteKey = route('DELETE /user/keys/{id}', {
  summary: 'Delete an SSH key of the user who asks; administrators may delete any',
  access: signedInFully('user'),
  params: { id },
  fails: [404],
  returns: [204],
  handler: async (context) => removeKey(context, context.caller.me),
})

export const adminDeleteUserPublicKey = route('DELETE /admin/users/{username}/keys/{id}', {
  summary: 'Delete an SSH key of a user; under the name of an administrator, a key of anybody',
  access: siteAdminOn(),
  params: { id },
  returns: [204],
  handler: async (context) => removeKey(context, context.caller.subject),
})

const printed = (page: Page<StoredKey>, viewer: Viewer, host: string) =>
  mapPage(page, (key) => printKey(key, viewer, host))

function printKey(key: StoredKey, viewer: Viewer, host: string): PublicKey {
  return {
    id: key.id,
    key: key.content,
    url: `${host}api/v1/user/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: printTime(key.created_at, EPOCH),
    last_used_at: printTime(key.last_used_at, EPOCH),
    user: printUser(key.owner, viewer, host),
    read_only: false,
    key_type: 'user',
  }
}

/** @throws Problem 422 */
async function addKey(
  { begin, body, ...by }: ForgeContext<SignedIn, { body: v.InferOutput<typeof CreateKeyOption> }>,
  owner: Account,
): Promise<StoredKey> {
  if (owner.kind === 'organization') throw unprocessable(notUserMessage)
  refuseSystem(owner)
  const parsed = parseSshKey(body.key)
  if (!parsed.ok) throw unprocessable(parsed.fault)
  const { line, fingerprint } = parsed.value
  return begin(async (tx) => {
    const key = await insertKey(tx, owner, { title: body.title, content: line, fingerprint })
    const target = accountTarget(owner)
    const details = { id: key.id, title: key.title, fingerprint }
    await record(tx, by, { action: 'key.added', target, details })
    return key
  })
}

/** Deletes a key on behalf of `actor`, who must own it or be an administrator. @throws Problem 403, 404 */
async function removeKey(
  { begin, params, ...by }: ForgeContext<SignedIn, { params: { id: number } }>,
  actor: Account,
): Promise<void> {
  await begin(async (tx) => {
    const { owner, title, fingerprint } = found(await keyById(tx, params.id))
    if (owner.id !== actor.id && !actor.is_admin)
      throw seesUser(owner, by.caller) ? forbidden('You do not have access to this key') : notFound()
    // Not found if a concurrent request deleted it.
    found(await deleteKey(tx, params.id))
    const target = accountTarget(owner)
    const details = { id: params.id, title, fingerprint }
    await record(tx, by, { action: 'key.removed', target, details })
  })
}
