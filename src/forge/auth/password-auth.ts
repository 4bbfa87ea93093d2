import type { Secrets } from '../../db/encryption/secrets.ts'
import type { Sql } from '../../db/sql.ts'
import { networkOf } from '../../http/pipeline/network.ts'
import { tooManyRequests, unavailable } from '../../http/route/problem.ts'
import type { RequestContext } from '../../http/route/route.ts'
import type { Log } from '../../log.ts'
import { type Credential, one, oneTimeCode } from './authorization.ts'
import type { Caller } from './caller.ts'
import type { Answered } from './lookup.ts'
import { OneTimeCodes } from './one-time-codes.ts'
import type { PasswordCache } from './password-cache.ts'
import { PASSWORD_MAX } from './password-rules.ts'
import { renewPassword } from './password-store.ts'
import { parseScopes } from './scopes.ts'
import { type SignIn, SignInThrottle, signInOf } from './sign-in-throttle.ts'
import { hashToken, isToken } from './token.ts'

type LoginRow = Extract<Answered, { role: 'login' }>
type TokenRow = Extract<Answered, { role: 'token' }>
type TaskRow = Extract<Answered, { role: 'task' }>

/** Somebody who has proved who they are. */
export interface Proven extends Pick<Caller, 'token' | 'via'> {
  row: LoginRow | TokenRow | TaskRow
}

/** What checking passwords stands on. */
export interface PasswordAuthDeps {
  verified: PasswordCache
  secrets: Secrets
  log: Log
}

/** Proves who calls by a password. */
export class PasswordAuth {
  readonly #parts: PasswordAuthDeps
  readonly #codes: OneTimeCodes
  readonly #throttle = new SignInThrottle()

  constructor(parts: PasswordAuthDeps) {
    this.#parts = parts
    this.#codes = new OneTimeCodes(parts)
  }

  /**
   * Refuses a password that would be refused anyway before the database is asked, so that a flood of them stays cheap.
   * @throws Problem 429
   */
  refuseEarly(credential: Credential | undefined, { from, now }: RequestContext<unknown>): void {
    if (credential?.kind !== 'basic' || isToken(credential.token)) return
    this.#refuseThrottled(signInOf(credential.user, networkOf(from.address)), now)
  }

  /**
   * Whose password came, and one-time code where the account asks for one.
   * @throws Problem 429 after too many failures, before anything is checked; 503 when too many passwords are being checked
   */
  async prove(
    credential: Credential,
    rows: readonly Answered[],
    context: RequestContext<unknown>,
  ): Promise<Proven | undefined> {
    if (credential.kind !== 'basic' || credential.password.length > 2 * PASSWORD_MAX) return undefined
    const row = rows.find((each) => each.role === 'login')
    const signIn = signInOf(credential.user, networkOf(context.from.address))
    this.#refuseThrottled(signIn, context.now)
    const isRight = await this.#isRight(credential.password, row, signIn, context)
    // A prohibited account is told nothing, not even that the password was right.
    if (isRight && row && !row.prohibit_login && (await this.#codes.isRight(row, context))) {
      this.#throttle.succeeded(signIn)
      return { row, token: undefined, via: 'basic' }
    }
    this.#countFailure(signIn, row, context.now)
    return undefined
  }

  /** @throws Problem 503, 429 when failures before this one, which waited in the same queue, were too many */
  async #isRight(
    password: string,
    row: LoginRow | undefined,
    signIn: SignIn,
    { headers, sql, now }: RequestContext<unknown>,
  ): Promise<boolean> {
    const record = row?.password ?? undefined
    const verdict = await this.#parts.verified.verify(
      {
        password,
        account: row && record !== undefined ? { id: row.id, record } : undefined,
        code: oneTimeCode(one(headers['x-gitea-otp']), one(headers['x-forgejo-otp'])) ?? '',
        isRemembered: row?.totp_secret === null,
        turn: {
          ...signIn,
          isPreferred: this.#throttle.isKnown(signIn),
          isWanted: () => this.#throttle.wait(signIn, now) === 0,
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

  /** A right password is refused too: otherwise the answer would tell that it is right. @throws Problem 429 */
  #refuseThrottled(signIn: SignIn, now: Date): void {
    const wait = this.#throttle.wait(signIn, now)
    if (wait > 0) throw tooManyRequests('too many failed sign-ins, try again later', Math.ceil(wait / 1000))
  }

  #countFailure(signIn: SignIn, row: LoginRow | undefined, now: Date): void {
    for (const limit of this.#throttle.failed(signIn, now)) {
      // Not the login: people type their password into the wrong field.
      this.#parts.log.warn('sign-in throttled', { limit, network: signIn.network, account: row?.id })
    }
  }

  /** Stores a right password with today's cost. Nobody waits for it, and it may fail: there will be another time. */
  async #renew(sql: Sql, account: number, old: string, password: string): Promise<void> {
    try {
      const record = await this.#parts.verified.passwords.hash(password)
      if (record !== 'busy') await renewPassword(sql, account, old, record)
    } catch (error) {
      this.#parts.log.warn('password not renewed', { account, error: String(error) })
    }
  }
}

/** Proves who calls by a token, which the look at the database has found or not. */
export function byToken(credential: Credential, rows: readonly Answered[]): Proven | undefined {
  if (credential.kind === 'impossible' || !isToken(credential.token)) return undefined
  const hash = hashToken(credential.token)
  const row = rows.find((each) => (each.role === 'token' || each.role === 'task') && each.token_hash === hash)
  // What that of a task is worth depends on the path (callerOf), and no id of a token is its own.
  const nothing = { id: 0, scopes: { granted: 0, publicOnly: true } }
  if (row?.role === 'task') return { row, token: nothing, via: viaOf(credential) }
  if (row?.role !== 'token') return undefined
  const scopes = parseScopes([row.scopes])
  // What is stored is in normal form; a scope of a newer program that we do not know grants nothing.
  const token = { id: row.token_id, scopes: scopes.ok ? scopes.value : { granted: 0, publicOnly: true } }
  return { row, token, via: viaOf(credential) }
}

const viaOf = (credential: Exclude<Credential, { kind: 'impossible' }>) =>
  credential.kind === 'basic' ? 'basic' : credential.via
