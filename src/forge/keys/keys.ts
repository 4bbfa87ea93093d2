import { mapPage, type Page, type Paging } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { printUser, type Viewer } from '../accounts/user.shape.ts'
import { signedInFully, siteAdminOn } from '../auth/access.ts'
import { signedInUserSeen } from '../auth/user-access.ts'
import { seesUser } from '../auth/user-visibility.ts'
import { queryTrimmed } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { type ForgeContext, route } from '../route.ts'
import { keyById, pageOfKeys, type StoredKey } from '../ssh-keys/key-store.ts'
import { CreateKeyOption } from './key.option.ts'
import { PublicKey } from './key.shape.ts'
import { addKey, keyConflicts, removeKey } from './key-changes.ts'

const listing = { ...pagesOf(PublicKey), query: { fingerprint: queryTrimmed, ...pageQuery() } }

export const userCurrentListKeys = route('GET /user/keys', {
  ...listing,
  summary: 'SSH keys of the caller, or the one of a fingerprint',
  access: signedInFully('user'),
  handler: (context) => listKeys(context, context.caller.me),
})

export const userListKeys = route('GET /users/{username}/keys', {
  ...listing,
  summary: 'SSH keys of a user, or the one of a fingerprint',
  access: signedInUserSeen('user'),
  handler: (context) => listKeys(context, context.caller.subject),
})

export const userCurrentGetKey = route('GET /user/keys/{id}', {
  summary: 'An SSH key of anybody whom the caller may see',
  access: signedInFully('user'),
  params: { id },
  fails: [404],
  returns: json(200, PublicKey),
  handler: async (context) => {
    const key = await keyById(context.sql, context.params.id)
    if (!key || !seesUser(key.owner, context.caller)) throw notFound()
    return printKey(key, context)
  },
})

const adding = {
  body: CreateKeyOption,
  conflicts: keyConflicts,
  fails: [404],
  returns: json(201, PublicKey),
} as const

export const userCurrentPostKey = route('POST /user/keys', {
  ...adding,
  summary: 'Add an SSH key to the caller',
  access: signedInFully('user'),
  handler: async (context) => printKey(await addKey(context, context.caller.me, context.body), context),
})

export const adminCreatePublicKey = route('POST /admin/users/{username}/keys', {
  ...adding,
  summary: 'Add an SSH key to a user',
  access: siteAdminOn(),
  handler: async (context) => printKey(await addKey(context, context.caller.subject, context.body), context),
})

export const userCurrentDeleteKey = route('DELETE /user/keys/{id}', {
  summary: 'Delete an SSH key of the caller; administrators may delete any',
  access: signedInFully('user'),
  params: { id },
  fails: [404],
  returns: noBody(204),
  handler: (context) => removeKey(context, context.caller.me, context.params.id),
})

export const adminDeleteUserPublicKey = route('DELETE /admin/users/{username}/keys/{id}', {
  summary: 'Delete an SSH key of a user; with the name of an administrator, any key',
  access: siteAdminOn(),
  params: { id },
  returns: noBody(204),
  handler: (context) => removeKey(context, context.caller.subject, context.params.id),
})

async function listKeys(
  context: ForgeContext<{ me: Viewer }, { query: Paging & { fingerprint: string } }>,
  owner: { id: number },
): Promise<Page<PublicKey>> {
  const { sql, query } = context
  return mapPage(await pageOfKeys(sql, owner.id, query.fingerprint, query), (key) => printKey(key, context))
}

function printKey(key: StoredKey, { caller, from: { host } }: ForgeContext<{ me: Viewer }>): PublicKey {
  return {
    id: key.id,
    key: key.content,
    url: `${host}api/v1/user/keys/${key.id}`,
    title: key.title,
    fingerprint: key.fingerprint,
    created_at: printTime(key.created_at, EPOCH),
    last_used_at: printTime(key.last_used_at, EPOCH),
    user: printUser(key.owner, caller.me, host),
    read_only: false,
    key_type: 'user',
  }
}
