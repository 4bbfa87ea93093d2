import { mapPage, type Page } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { notFound } from '../../http/route/problem.ts'
import { json, noBody } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { seesUser } from '../accounts/user-visibility.ts'
import { signedInFully, siteAdminOn } from '../auth/access.ts'
import { queryTrimmed } from '../protocol/query.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import { route } from '../route.ts'
import { signedInUserSeen } from '../users/access.ts'
import { printUser, type Viewer } from '../users/user.shape.ts'
import { CreateKeyOption, PublicKey } from './key.shape.ts'
import { addKey, keyConflicts, removeKey } from './key-changes.ts'
import { keyById, pageOfKeys, type StoredKey } from './key-store.ts'

export const userCurrentListKeys = route('GET /user/keys', {
  summary: 'SSH keys of the caller, or the one of a fingerprint',
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
  returns: json(200, PublicKey),
  handler: async ({ caller, params, sql, from }) => {
    const key = await keyById(sql, params.id)
    if (!key || !seesUser(key.owner, caller)) throw notFound()
    return printKey(key, caller.me, from.host)
  },
})

export const userCurrentPostKey = route('POST /user/keys', {
  summary: 'Add an SSH key to the caller',
  access: signedInFully('user'),
  body: CreateKeyOption,
  conflicts: keyConflicts,
  fails: [404],
  returns: json(201, PublicKey),
  handler: async (context) =>
    printKey(await addKey(context, context.caller.me, context.body), context.caller.me, context.from.host),
})

export const adminCreatePublicKey = route('POST /admin/users/{username}/keys', {
  summary: 'Add an SSH key to a user',
  access: siteAdminOn(),
  body: CreateKeyOption,
  conflicts: keyConflicts,
  fails: [404],
  returns: json(201, PublicKey),
  handler: async (context) =>
    printKey(
      await addKey(context, context.caller.subject, context.body),
      context.caller.me,
      context.from.host,
    ),
})

export const userCurrentDeleteKey = route('DELETE /user/keys/{id}', {
  summary: 'Delete an SSH key of the caller; administrators may delete any',
  access: signedInFully('user'),
  params: { id },
  fails: [404],
  returns: noBody(204),
  handler: async (context) => removeKey(context, context.caller.me, context.params.id),
})

export const adminDeleteUserPublicKey = route('DELETE /admin/users/{username}/keys/{id}', {
  summary: 'Delete an SSH key of a user; with the name of an administrator, any key',
  access: siteAdminOn(),
  params: { id },
  returns: noBody(204),
  handler: async (context) => removeKey(context, context.caller.subject, context.params.id),
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
