import { isSameSecret } from '../../common/same-secret.ts'
import { DecryptionError, decryptedOrError, type Secrets } from '../../db/encryption/secrets.ts'
import { Problem } from '../../http/route/problem.ts'
import type { LookupRow } from './lookup-store.ts'
import { hashToken } from './token.ts'

// A sign-in in a browser has up to three steps: a password, a one-time code, and a new password.

type LoginRow = Extract<LookupRow, { role: 'login' }>

/** 401: the password is right, and the account needs a one-time code as well. Programs get the answer to a wrong one. */
export class CodeMissing extends Problem {
  constructor(readonly account: LoginRow) {
    super(401, 'invalid username, password or token')
  }
}

/** 403: the credential is right, and its account needs a new password before anything else. */
export class PasswordExpired extends Problem {
  constructor(
    readonly account: LookupRow,
    host: string,
  ) {
    super(403, `You must change your password. Sign in at ${host}login to choose a new one.`, {
      form: 'brief',
    })
  }
}

/** A sign-in whose password was right. */
export interface BegunSignIn {
  account: number
  /** The name or e-mail address that was written. */
  user: string
  /** A hash of the password's record: the sign-in ends when the password changes. */
  password: string
  /** Whether a one-time code was right, too. */
  hasCode: boolean
}

/** The sign-in that a step has not ended yet; undefined: it did not begin with a password. */
export function begunSignIn(step: CodeMissing | PasswordExpired, user: string): BegunSignIn | undefined {
  const { account } = step
  if (account.role !== 'login' || account.password === null) return undefined
  const hasCode = step instanceof PasswordExpired && account.totp_secret !== null
  return { account: account.id, user, password: hashToken(account.password), hasCode }
}

/** Whether the account still has the password with which a sign-in began. */
export const isPasswordOf = (
  begun: BegunSignIn,
  { id, password }: { id: number; password: string | null },
): boolean => id === begun.account && password !== null && isSameSecret(hashToken(password), begun.password)

/** How long a begun sign-in waits for its next step, in milliseconds. */
const lifetime = 15 * 60_000

const purpose = 'begun sign-in'

/** The begun sign-in as a field of the form for its next step: nobody else can read, make or change it. */
export function sealed(secrets: Secrets, begun: BegunSignIn, now: Date): string {
  const text = JSON.stringify({ ...begun, until: now.getTime() + lifetime })
  return secrets.encrypt(text, purpose).toString('base64url')
}

/** What `sealed` has made; undefined for anything else, and after 15 minutes. */
export function unsealed(secrets: Secrets, field: string, now: Date): BegunSignIn | undefined {
  const text = decryptedOrError(() => secrets.decrypt(Buffer.from(field, 'base64url'), purpose))
  if (text instanceof DecryptionError) return undefined
  const { until, ...begun }: BegunSignIn & { until: number } = JSON.parse(text)
  return now.getTime() < until ? begun : undefined
}
