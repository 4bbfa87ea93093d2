import type { Page, Paging } from '../../db/page.ts'
import { pageQuery, pagesOf } from '../../http/route/page.ts'
import { found } from '../../http/route/problem.ts'
import { json, noBody, textAs } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { signedInFully } from '../auth/access.ts'
import { signedInUserSeen } from '../auth/user-access.ts'
import { gpgKeyById, pageOfGpgKeys, type StoredGpgKey, subkeysOf } from '../openpgp/gpg-key-store.ts'
import { type ForgeContext, route } from '../route.ts'
import { CreateGPGKeyOption, VerifyGPGKeyOption } from './gpg-key.option.ts'
import { GPGKey, printGpgKey } from './gpg-key.shape.ts'
import { addGpgKey, gpgKeyConflicts, gpgKeyToken, removeGpgKey, verifyGpgKey } from './gpg-key-changes.ts'

const listing = { ...pagesOf(GPGKey), query: pageQuery() }

export const userCurrentListGPGKeys = route('GET /user/gpg_keys', {
  ...listing,
  summary: 'OpenPGP keys of the caller',
  access: signedInFully('user'),
  handler: (context) => listKeys(context, context.caller.me),
})

export const userListGPGKeys = route('GET /users/{username}/gpg_keys', {
  ...listing,
  summary: 'OpenPGP keys of a user',
  access: signedInUserSeen('user'),
  handler: (context) => listKeys(context, context.caller.subject),
})

export const userCurrentGetGPGKey = route('GET /user/gpg_keys/{id}', {
  summary: 'An OpenPGP key of the caller',
  access: signedInFully('user'),
  params: { id },
  fails: [404],
  returns: json(200, GPGKey),
  handler: async (context) =>
    withSubkeys(context, found(await gpgKeyById(context.sql, context.caller.me.id, context.params.id))),
})

export const userCurrentPostGPGKey = route('POST /user/gpg_keys', {
  summary:
    'Add an OpenPGP key to the caller: one with an address of theirs, or with a signature of the token',
  access: signedInFully('user'),
  body: CreateGPGKeyOption,
  conflicts: gpgKeyConflicts,
  fails: [404],
  returns: json(201, GPGKey),
  handler: async (context) => withSubkeys(context, await addGpgKey(context, context.body)),
})

export const userCurrentDeleteGPGKey = route('DELETE /user/gpg_keys/{id}', {
  summary: 'Delete an OpenPGP key of the caller; commits that it signed are no longer verified',
  access: signedInFully('user'),
  params: { id },
  fails: [404],
  returns: noBody(204),
  handler: (context) => removeGpgKey(context, context.caller.me, context.params.id),
})

export const getVerificationToken = route('GET /user/gpg_key_token', {
  summary: 'The text to sign with a key to prove that it is the caller’s; valid for ten minutes',
  access: signedInFully('user'),
  returns: textAs(200, 'text/plain'),
  handler: (context) => gpgKeyToken(context),
})

export const userVerifyGPGKey = route('POST /user/gpg_key_verify', {
  summary: 'Prove that a key is the caller’s, by a signature of the token',
  access: signedInFully('user'),
  body: VerifyGPGKeyOption,
  fails: [404],
  returns: json(201, GPGKey),
  handler: async (context) => withSubkeys(context, await verifyGpgKey(context, context.body)),
})

async function listKeys(
  { sql, query }: ForgeContext<unknown, { query: Paging }>,
  owner: { id: number },
): Promise<Page<GPGKey>> {
  const page = await pageOfGpgKeys(sql, owner.id, query)
  const subkeys = await subkeysOf(
    sql,
    page.rows.map((key) => key.id),
  )
  return { ...page, rows: page.rows.map((key) => printGpgKey(key, subkeys)) }
}

const withSubkeys = async ({ sql }: ForgeContext<unknown>, key: StoredGpgKey): Promise<GPGKey> =>
  printGpgKey(key, await subkeysOf(sql, [key.id]))
