import { SealError, type Secrets } from '../db/secrets.ts'
import type { Sql } from '../db/sql.ts'
import type { Flights } from '../http/flight.ts'
import type { Gate } from '../http/gate.ts'
import type { Kept } from '../http/kept.ts'
import { notFound, Problem, unavailable } from '../http/problem.ts'
import { first } from '../http/query.ts'
import type { Knock } from '../http/route.ts'
import type { Log } from '../log.ts'
import { type Account, nameKey } from './account.ts'
import { accountKey, type Credential, credentials, oneTimeCode, sudoName } from './authorization.ts'
import {
  type Answered,
  type Asked,
  asksSomething,
  lookUp,
  type Repo,
  type Standing,
  type Subject,
} from './lookup.ts'
import { PASSWORD_MAX } from './password-rules.ts'
import { renewPassword } from './password-store.ts'
import { parseScopes, type Scopes } from './scopes.ts'
import { systemFault } from './system-account.ts'
import { standingOf } from './task-token.ts'
import { hashToken, isToken } from './token.ts'
import { verifyTotp } from './totp.ts'
import { openTotpSecret, useTotpStep } from './totp-store.ts'
import { Uses } from './uses.ts'
import type { VerifiedPasswords } from './verified.ts'

/** Who is calling, and what the path is about, as one look at the database told. */
export interface Caller extends Standing {
  /** Whose rights count; undefined: nobody is signed in. */
  readonly me: Account | undefined
  /** The administrator who acts as `me` (sudo). */
  readonly behind: Account | undefined
  /** The token that was presented, alone or inside Basic; undefined: a password, which no scope limits. */
  readonly token: { readonly id: number; readonly scopes: Scopes } | undefined
  /** How the credential was presented. */
  readonly via: 'nothing' | 'basic' | 'header' | 'query'
  /** The account that the path names. */
  readonly subject: Account | undefined
  /** The account that had the name in the path before. */
  readonly moved: Account | undefined
  /** The repository that the path names, and what `me` may do there by name; nobody is there for public ones. */
  readonly repo: Repo | undefined
  /** May create repositories in the organization that the path names, where that was asked. */
  readonly creates: boolean
  /** What `me` may do with the packages of the organization that the path names, where that was asked (`LEVELS`). */
  readonly package_level: number
}

/** What finding out who calls stands on. */
export interface CallersParts {
  verified: VerifiedPasswords
  secrets: Secrets
  flights: Flights<Answered[]>
  kept: Kept<Answered[]>
  gate: Gate
  log: Log
  /** Public root URL with a slash at its end. */
  root: string
  /** Whether `?token=` is looked at. */
  queryTokens: boolean
  /** Whether nothing at all is open to anonymous callers. */
  requireSignIn: boolean
}

type LoginRow = Extract<Answered, { role: 'login' }>
type TokenRow = Extract<Answered, { role: 'token' }>
type TaskRow = Extract<Answered, { role: 'task' }>

/** Somebody who has proved who they are. */
interface Proven extends Pick<Caller, 'token' | 'via'> {
  row: LoginRow | TokenRow | TaskRow
}

const wrong = () => new Problem(401, 'invalid username, password or token')
const brief = (message: string) => new Problem(403, message, { form: 'brief' })

/**
 * Finds out who calls: one round trip to the database, shared between equal requests that wait at the same time, and not
 * repeated until something is written.
 */
export class Callers {
  readonly #parts: CallersParts
  readonly #uses: Uses

  constructor(parts: CallersParts) {
    this.#parts = parts
    this.#uses = new Uses(parts.log)
  }

  /**
   * The caller of a request. Credentials that are presented must be right, on open routes too.
   * @throws Problem 401 wrong credentials, 403 state of the account or sudo, 404 sudo, 503
   */
  async identify(knock: Knock<unknown>, subject?: Subject): Promise<Caller> {
    const presented = this.#presented(knock)
    const sudo = sudoName(first(knock.query, 'sudo'), one(knock.headers.sudo))
    const rows = await this.#lookUp(knock.sql, { ...askFor(presented), sudo: sudo && nameKey(sudo), subject })
    const proven = await this.#prove(presented, rows, knock)
    if (!proven && presented.length > 0) throw wrong()
    this.#refuse(proven?.row)
    if (proven?.row.role === 'login') this.#uses.noteLogin(knock, proven.row)
    return callerOf(proven, sudo, rows, subject)
  }

  #presented({ query, headers }: Knock<unknown>): readonly Credential[] {
    const inQuery = this.#parts.queryTokens && {
      token: first(query, 'token'),
      accessToken: first(query, 'access_token'),
    }
    return credentials({ authorization: headers.authorization, ...inQuery })
  }

  #lookUp(sql: Sql, asked: Asked): Answered[] | Promise<Answered[]> {
    if (!asksSomething(asked)) return []
    const { flights, kept, gate } = this.#parts
    const key = JSON.stringify(asked)
    const pass = () => gate.pass(() => kept.take(key, () => lookUp(sql, asked)))
    return kept.atHand(key) ?? flights.board(key, pass)
  }

  /** The first credential that belongs to somebody. */
  async #prove(
    presented: readonly Credential[],
    rows: readonly Answered[],
    knock: Knock<unknown>,
  ): Promise<Proven | undefined> {
    for (const credential of presented) {
      const proven = byToken(credential, rows) ?? (await this.#byPassword(credential, rows, knock))
      if (proven?.row.role === 'token') this.#uses.noteToken(knock, proven.row)
      if (proven) return proven
    }
    return undefined
  }

  /** @throws Problem 503 when too many passwords are being checked already */
  async #byPassword(
    credential: Credential,
    rows: readonly Answered[],
    knock: Knock<unknown>,
  ): Promise<Proven | undefined> {
    if (credential.kind !== 'basic' || credential.password.length > 2 * PASSWORD_MAX) return undefined
    const row = rows.find((each) => each.role === 'login')
    if (!(await this.#isRight(credential.password, row, knock)) || !row) return undefined
    // A prohibited account is told nothing, not even that the password was right.
    if (row.prohibit_login || !(await this.#isCodeRight(row, knock))) return undefined
    return { row, token: undefined, via: 'basic' }
  }

  /** Whether a right code came with the password, where the account asks for one. Each is good once. */
  async #isCodeRight(row: LoginRow, { headers, sql, now }: Knock<unknown>): Promise<boolean> {
    if (row.totp_secret === null) return true
    const secret = this.#openSecret(row.id, row.totp_secret)
    const code = oneTimeCode(one(headers['x-gitea-otp']), one(headers['x-forgejo-otp']))
    const step = secret && verifyTotp(secret, code ?? '', now, row.totp_step ?? -1)
    return step !== undefined && (await useTotpStep(sql, row.id, step))
  }

  /** Undefined, and a line in the log, when the key is not the one that it was sealed under: then no code is right. */
  #openSecret(account: number, sealed: Uint8Array): Buffer | undefined {
    try {
      return openTotpSecret(this.#parts.secrets, account, sealed)
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      this.#parts.log.error('one-time codes cannot be checked', { account, error: error.message })
      return undefined
    }
  }

  async #isRight(password: string, row: LoginRow | undefined, knock: Knock<unknown>): Promise<boolean> {
    const { verified } = this.#parts
    const record = row?.password ?? undefined
    const verdict =
      row && record !== undefined
        ? await verified.verify(row.id, record, password, knock.now)
        : await verified.passwords.verify(password, undefined)
    if (verdict === 'busy') throw unavailable('too many passwords are being checked')
    if (verdict === 'stale' && row && record !== undefined)
      void this.#renew(knock.sql, row.id, record, password)
    return verdict === 'match' || verdict === 'stale'
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

  /** Who has proved who they are may still be kept out. @throws Problem 403 */
  #refuse(account: Account | undefined): void {
    const { root, requireSignIn } = this.#parts
    if (!account && requireSignIn) throw brief('Only signed in user is allowed to call APIs.')
    if (!account) return
    if (!account.is_active || account.prohibit_login) {
      throw brief('This account is prohibited from signing in, please contact your site administrator.')
    }
    if (account.must_change_password) {
      throw brief(`You must change your password. Change it at: ${root}/user/change_password`)
    }
  }
}

function askFor(presented: readonly Credential[]): Omit<Asked, 'sudo' | 'subject'> {
  const tokens = presented.flatMap((each) => (each.kind === 'impossible' ? [] : [each.token]))
  const basic = presented.find((each) => each.kind === 'basic')
  const login = basic && accountKey(basic.user)
  return {
    hashes: tokens.filter(isToken).map(hashToken),
    loginName: login?.by === 'name' ? nameKey(login.key) : undefined,
    loginAddress: login?.by === 'email' ? login.key : undefined,
  }
}

function byToken(credential: Credential, rows: readonly Answered[]): Proven | undefined {
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

/** @throws Problem 403, 404 of sudo */
function callerOf(
  proven: Proven | undefined,
  sudo: string | undefined,
  rows: readonly Answered[],
  about: Subject | undefined,
): Caller {
  if (sudo !== undefined && !proven?.row.is_admin) throw brief('Only administrators allowed to sudo.')
  const target = sudo === undefined ? undefined : rows.find(({ role }) => role === 'sudo')
  if (sudo !== undefined && (!target || systemFault(target) !== undefined)) throw notFound()
  const me = target ?? proven?.row
  const subject = rows.find(({ role }) => role === 'subject')
  const repo = me?.repository ?? (subject?.repository ? { ...subject.repository, level: 0 } : undefined)
  const task =
    proven?.row.role === 'task'
      ? standingOf(proven.row.task, repo, about && 'part' in about ? about.part : undefined)
      : undefined
  return {
    me,
    behind: target && proven?.row,
    token: task && proven?.token ? { ...proven.token, scopes: task.scopes } : proven?.token,
    via: proven?.via ?? 'nothing',
    subject,
    moved: subject ? undefined : rows.find(({ role }) => role === 'redirect'),
    repo: task?.repo ?? repo,
    creates: me?.creates ?? false,
    package_level: me?.package_level ?? 0,
    is_member: me?.is_member ?? false,
    is_owner: me?.is_owner ?? false,
    is_in_team: me?.is_in_team ?? false,
    sees_team: me?.sees_team ?? false,
  }
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)
