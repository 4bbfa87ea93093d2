import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Sql } from '../../db/sql.ts'
import { tooManyRequests, unavailable } from '../../http/route/problem.ts'
import type { RequestContext } from '../../http/route/route.ts'
import type { Log } from '../../log.ts'
import { type Credential, firstValue, oneTimeCode } from './authorization.ts'
import type { Caller } from './caller.ts'
import type { KeyRow, LookupRow } from './lookup-store.ts'
import { isCodeRight } from './one-time-codes.ts'
import type { PasswordCache } from './password-cache.ts'
import { PASSWORD_MAX } from './password-rules.ts'
import { renewPassword } from './password-store.ts'
import { storedScopes } from './scopes.ts'
import { CodeMissing } from './sign-in-steps.ts'
import { type SignIn, SignInThrottle, signInOf } from './sign-in-throttle.ts'
import { hashToken, isToken } from './token.ts'

type LoginRow = Extract<LookupRow, { role: 'login' }>
type TokenRow = Extract<LookupRow, { role: 'token' }>
type TaskRow = Extract<LookupRow, { role: 'task' }>
type SessionRow = Extract<LookupRow, { role: 'sudo' | 'session' | 'subject' | 'redirect' }>

/** A valid credential and its account. */
export interface Proven extends Pick<Caller, 'token' | 'via'> {
  row: LoginRow | TokenRow | TaskRow | SessionRow | KeyRow
}

/** Dependencies of password authentication. */
export interface PasswordAuthDeps {
  verified: PasswordCache
  secrets: Secrets
  log: Log
}

/** Authenticates a caller by password. */
export class PasswordAuth {
  readonly #deps: PasswordAuthDeps
  readonly #throttle = new SignInThrottle()

  constructor(deps: PasswordAuthDeps) {
    this.#deps = deps
  }

  /**
   * Refuses a throttled password before the look-up in the database, so that a flood of wrong passwords stays cheap.
   * @throws Problem 429
   */
  refuseEarly(credential: Credential | undefined, { from, now }: RequestContext<unknown>): void {
    if (credential?.kind !== 'basic' || isToken(credential.token)) return
    this.#refuseThrottled(signInOf(credential.user, from.network), now)
  }

  /**
   * Returns the account if the password is right, and the one-time code if the account needs one.
   * @throws Problem 401 `CodeMissing`; 429 after too many failures, before anything is checked; 503 when too many
   * passwords are being checked
   */
  async prove(
    credential: Credential,
    rows: readonly LookupRow[],
    context: RequestContext<unknown>,
  ): Promise<Proven | undefined> {
    if (credential.kind !== 'basic' || credential.password.length > 2 * PASSWORD_MAX) return undefined
    const row = rows.find((each) => each.role === 'login')
    const signIn = signInOf(credential.user, context.from.network)
    this.#refuseThrottled(signIn, context.now)
    const isRight = await this.#isRight(credential.password, row, signIn, context)
    // A prohibited account is treated like a wrong password, so that the caller does not learn that it was right.
    if (isRight && row && !row.prohibit_login) {
      if (row.totp_secret !== null && !codeIn(context)) {
        // Otherwise the limit would tell a right password from a wrong one. A right code makes up for it.
        this.#countFailure(signIn, row, context.now)
        throw new CodeMissing(row)
      }
      return this.proveCode(credential.user, row, context)
    }
    this.#countFailure(signIn, row, context.now)
    return undefined
  }

  /**
   * Returns the account, whose password was right, if its one-time code is right, too, or it needs none; `user` is the
   * name or address that was presented.
   * @throws Problem 429 after too many failures
   */
  async proveCode(
    user: string,
    row: LoginRow,
    context: RequestContext<unknown>,
  ): Promise<Proven | undefined> {
    const signIn = signInOf(user, context.from.network)
    this.#refuseThrottled(signIn, context.now)
    if (!row.prohibit_login && (await isCodeRight(this.#deps, row, context))) {
      this.#throttle.succeeded(signIn)
      return { row, token: undefined, via: 'basic' }
    }
    this.#countFailure(signIn, row, context.now)
    return undefined
  }

  /** @throws Problem 503, 429 when earlier failures in the same queue reached the limit */
  async #isRight(
    password: string,
    row: LoginRow | undefined,
    signIn: SignIn,
    { headers, sql, now }: RequestContext<unknown>,
  ): Promise<boolean> {
    const record = row?.password ?? undefined
    const verdict = await this.#deps.verified.verify(
      {
        password,
        account: row && record !== undefined ? { id: row.id, record } : undefined,
        code: codeIn({ headers }) ?? '',
        isRemembered: row?.totp_secret === null,
        turn: {
          ...signIn,
          isPreferred: this.#throttle.isKnown(signIn),
          isNeeded: () => this.#throttle.wait(signIn, now) === 0,
        },
      },
      now,
    )
    if (verdict === 'busy') {
      this.#refuseThrottled(signIn, now)
      throw unavailable('too many passwords are being checked')
    }
    if (verdict === 'stale' && row && record !== undefined) void this.#renew(sql, row.id, record, password)
    return verdict === 'match' || verdict === 'stale'
  }

  /** Refuses right passwords too; otherwise the answer would reveal that the password is right. @throws Problem 429 */
  #refuseThrottled(signIn: SignIn, now: Date): void {
    const wait = this.#throttle.wait(signIn, now)
    if (wait > 0) throw tooManyRequests('too many failed sign-ins, try again later', Math.ceil(wait / 1000))
  }

  #countFailure(signIn: SignIn, row: LoginRow | undefined, now: Date): void {
    for (const limit of this.#throttle.failed(signIn, now)) {
      // Do not log the login: users type their password into the wrong field.
      this.#deps.log.warn('sign-in throttled', { limit, network: signIn.network, account: row?.id })
    }
  }

  /** Stores a right password with today's cost. No request waits for it; if it fails, the next sign-in tries again. */
  async #renew(sql: Sql, account: number, old: string, password: string): Promise<void> {
    try {
      const record = await this.#deps.verified.passwords.hash(password)
      if (record !== 'busy') await renewPassword(sql, account, old, record)
    } catch (error) {
      this.#deps.log.warn('cannot renew the stored password', { account, error: String(error) })
    }
  }
}

/** The one-time code of a request. */
const codeIn = ({ headers }: Pick<RequestContext<unknown>, 'headers'>) =>
  oneTimeCode(firstValue(headers['x-gitea-otp']), firstValue(headers['x-forgejo-otp']))

/** Authenticates a caller by a token that has not ended, from the rows of the look-up. */
export function byToken(credential: Credential, rows: readonly LookupRow[], now: Date): Proven | undefined {
  if (credential.kind === 'impossible' || !isToken(credential.token)) return undefined
  const hash = hashToken(credential.token)
  const row = rows.find((each) => (each.role === 'token' || each.role === 'task') && each.token_hash === hash)
  // The scopes of a task token depend on the path (see callerOf), and a task token has no token id.
  const nothing = { id: 0, scopes: { granted: 0, publicOnly: true } }
  if (row?.role === 'task') return { row, token: nothing, via: viaOf(credential) }
  if (row?.role !== 'token' || hasEnded(row.token_expires_at, now)) return undefined
  return { row, token: { id: row.token_id, scopes: storedScopes(row.scopes) }, via: viaOf(credential) }
}

const hasEnded = (expires_at: string | null, now: Date) =>
  expires_at !== null && Date.parse(expires_at) <= now.getTime()

const viaOf = (credential: Exclude<Credential, { kind: 'impossible' }>) =>
  credential.kind === 'basic' ? 'basic' : credential.via
