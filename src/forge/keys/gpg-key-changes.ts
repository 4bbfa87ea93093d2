import type * as v from 'valibot'
import { found, notFound, unprocessable } from '../../http/route/problem.ts'
import { accountsByEmail } from '../accounts/account-by-email-store.ts'
import type { Account } from '../accounts/account-store.ts'
import { accountTarget, record } from '../audit/audit-trail.ts'
import type { SignedIn } from '../auth/access.ts'
import { type Certificate, parseCertificate } from '../openpgp/certificate.ts'
import {
  deleteGpgKey,
  gpgKeyById,
  gpgKeyByKeyId,
  insertGpgKey,
  type StoredGpgKey,
  setGpgKeyVerified,
  subkeysOf,
} from '../openpgp/gpg-key-store.ts'
import { type PublicKey, publicKeyIn } from '../openpgp/public-key.ts'
import { isSignedBy, parseSignature } from '../openpgp/signature.ts'
import type { ForgeContext } from '../route.ts'
import type { CreateGPGKeyOption, VerifyGPGKeyOption } from './gpg-key.option.ts'

type Context = Pick<ForgeContext<SignedIn>, 'begin' | 'caller' | 'from' | 'now' | 'tools'>

export const gpgKeyConflicts = {
  gpg_key_fingerprint_unique: [422, 'A key with the same id already exists'],
} as const

/** How long a token is valid, at least; at most twice as long. */
const tokenMinutes = 10

/** The text that the caller signs to prove that a key is theirs; it depends on the time, so that none is signed for ever. */
export const gpgKeyToken = ({ caller, now, tools }: Omit<Context, 'begin' | 'from'>, earlier = 0): string => {
  const period = Math.floor(now.getTime() / (tokenMinutes * 60_000)) - earlier
  return tools.secrets.sign(`${caller.me.id} ${period}`, 'OpenPGP key').toString('hex')
}

/** Adds a key to the caller: one that has an address of theirs, or that signed the token. @throws Problem 404, 422 */
export async function addGpgKey(
  context: Context,
  body: v.InferOutput<typeof CreateGPGKeyOption>,
): Promise<StoredGpgKey> {
  const { begin, caller } = context
  const { me } = caller
  const parsed = parseCertificate(body.armored_public_key)
  if (!parsed.ok) throw unprocessable(`Unable to read the key: ${parsed.fault}`)
  const { primary, emails } = parsed.value
  const isVerified = body.armored_signature !== ''
  if (isVerified) requireSignature(context, body.armored_signature, signersIn(parsed.value))
  return begin(async (tx) => {
    const owners = isVerified ? [me] : [...(await accountsByEmail(tx, emails)).values()]
    if (!owners.some((owner) => owner.id === me.id))
      throw notFound(
        `None of the emails attached to the GPG key could be found. It may still be added if you provide a valid signature for the token: ${gpgKeyToken(context)}`,
      )
    const id = await insertGpgKey(tx, me.id, parsed.value, isVerified)
    await record(tx, context, {
      action: 'gpg_key.added',
      target: accountTarget(me),
      details: { id, fingerprint: primary.key.fingerprint, verified: isVerified },
    })
    return found(await gpgKeyById(tx, me.id, id))
  })
}

/** Records that the caller has signed the token with a key of theirs. @throws Problem 404, 422 */
export async function verifyGpgKey(
  context: Context,
  { key_id, armored_signature }: v.InferOutput<typeof VerifyGPGKeyOption>,
): Promise<StoredGpgKey> {
  const { begin, caller } = context
  const { me } = caller
  return begin(async (tx) => {
    const key = found(await gpgKeyByKeyId(tx, me.id, key_id.toUpperCase().padStart(16, '0')))
    const keys = [key, ...(await subkeysOf(tx, [key.id]))].filter((each) => each.can_sign)
    requireSignature(
      context,
      armored_signature,
      keys.flatMap(({ packet }) => publicKeyIn(packet) ?? []),
    )
    if (key.is_verified) return key
    await setGpgKeyVerified(tx, key.id)
    const details = { id: key.id, fingerprint: key.fingerprint }
    await record(tx, context, { action: 'gpg_key.verified', target: accountTarget(me), details })
    return { ...key, is_verified: true }
  })
}

/** Deletes a key of an account. @throws Problem 404 */
export async function removeGpgKey({ begin, ...by }: Context, owner: Account, id: number): Promise<void> {
  await begin(async (tx) => {
    const { fingerprint } = found(await deleteGpgKey(tx, owner.id, id))
    const details = { id, fingerprint }
    await record(tx, by, { action: 'gpg_key.removed', target: accountTarget(owner), details })
  })
}

const signersIn = ({ primary, subkeys }: Certificate): readonly PublicKey[] =>
  [primary, ...subkeys].filter(({ signs }) => signs).map(({ key }) => key)

/** Refuses what none of these keys has signed. Shells and editors end the token with a line break. @throws Problem 422 */
function requireSignature(context: Context, text: string, keys: readonly PublicKey[]): void {
  const signature = parseSignature(text)
  const key = keys.find(({ keyId }) => keyId === signature?.issuer)
  const tokens = [gpgKeyToken(context), gpgKeyToken(context, 1)]
  const isSigned =
    signature &&
    key &&
    tokens.some((token) =>
      ['', '\n', '\r\n'].some((end) => isSignedBy(key, signature, Buffer.from(token + end))),
    )
  if (!isSigned)
    throw unprocessable(
      `The provided GPG key, signature and token do not match or token is out of date. Provide a valid signature for the token: ${gpgKeyToken(context)}`,
    )
}
