import { isTransaction } from '../../db/sql.ts'
import type { DatabaseVersion } from '../../db/version.ts'
import type { CoalescedReads } from '../../http/reads/reads.ts'
import { notFound, Problem, tooManyRequests } from '../../http/route/problem.ts'
import { first } from '../../http/route/query.ts'
import type { RequestContext } from '../../http/route/route.ts'
import type { RateLimiter } from '../../limiter/rate-limiter.ts'
import { type Account, nameKey } from '../accounts/account-store.ts'
import { systemFault } from '../accounts/system-account.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { levelsOf, type Repo, type Subject, withLevels } from '../permissions/repo-lookup-store.ts'
import { accountKey, type Credential, credentials, firstValue } from './authorization.ts'
import type { Caller } from './caller.ts'
import { LastUsedTracker } from './last-used.ts'
import { type LookupInput, type LookupRow, lookUp, needsLookup } from './lookup-store.ts'
import { byToken, PasswordAuth, type PasswordAuthDeps, type Proven } from './password-auth.ts'
import { type BegunSignIn, isPasswordOf, PasswordExpired } from './sign-in-steps.ts'
import { provenByKey } from './ssh/proven-key.ts'
import { rightsForPath } from './task-token.ts'
import { hashToken, isToken } from './token.ts'

/** The session of a caller: its account, and the token that began it (undefined: a password did). */
export interface CallerSession extends Pick<Caller, 'token'> {
  account: number
}

/** The rows of one look-up, and the database version before it. */
interface LookupResult {
  rows: readonly LookupRow[]
  version: DatabaseVersion | undefined
}

/** Dependencies of the authenticator. */
interface AuthenticatorDeps extends PasswordAuthDeps {
  reads: CoalescedReads<LookupResult>
  /** Whether tokens in the query (`?token=`) are accepted. */
  queryTokens: boolean
  /** Whether anonymous callers are refused everywhere. */
  requireSignIn: boolean
  /** Limits the requests of each account, by its id; absent: there is no limit. */
  rates?: RateLimiter<number> | undefined
}

const wrongCredentials = () => new Problem(401, 'invalid username, password or token')
const briefForbidden = (message: string) => new Problem(403, message, { form: 'brief' })

/** What access rules use of the authenticator. */
export type Authentication = Pick<
  Authenticator,
  'authenticate' | 'authenticateCode' | 'authenticateKey' | 'authenticateSession'
>

/**
 * Authenticates requests. A look-up takes one round trip to the database; equal concurrent look-ups share it, and its
 * result is reused until something is written.
 */
export class Authenticator {
  readonly #deps: AuthenticatorDeps
  readonly #passwords: PasswordAuth
  readonly #lastUsed: LastUsedTracker

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps
    this.#passwords = new PasswordAuth(deps)
    this.#lastUsed = new LastUsedTracker(deps.log)
  }

  /**
   * Returns the caller of a request. Invalid credentials are refused on public routes too.
   * @throws Problem 401 wrong credentials (`CodeMissing`: only the one-time code is missing), 403 state of the account
   * (`PasswordExpired`: it needs a new password) or sudo, 404 sudo, 429 failed sign-ins or too many requests, 503
   */
  async authenticate(context: RequestContext<unknown>, subject?: Subject): Promise<Caller> {
    const presented = this.#presented(context)
    refuseOtherSites(presented, context)
    if (presented.length === 1) this.#passwords.refuseEarly(presented[0], context)
    // The parameter wins over the header; an empty value counts as absent.
    const sudo = first(context.query, 'sudo') || firstValue(context.headers.sudo) || undefined
    const input = { sudo: sudo && nameKey(sudo), subject, ...credentialInput(presented) }
    const lookup = await this.#lookUp(context, input)
    const proven = await this.#prove(presented, lookup.rows, context)
    if (!proven && presented.length > 0) throw wrongCredentials()
    this.#admit(proven, context)
    return callerOf(proven, sudo, lookup, input)
  }

  /**
   * The second step of a sign-in in a browser: checks the one-time code of an account whose password was right.
   * @throws Problem 401 the code is wrong, or the account has another password now; 403, 429, 503 as `authenticate`
   */
  async authenticateCode(context: RequestContext<unknown>, begun: BegunSignIn): Promise<Caller> {
    const none = { hashes: [], sudo: undefined, subject: undefined }
    const input = { ...none, ...loginInput(begun.user) }
    const lookup = await this.#lookUp(context, input)
    const row = lookup.rows.find((each) => each.role === 'login')
    if (!row || !isPasswordOf(begun, row)) throw wrongCredentials()
    const proven = await this.#passwords.proveCode(begun.user, row, context)
    if (!proven) throw wrongCredentials()
    this.#admit(proven, context)
    return callerOf(proven, undefined, lookup, input)
  }

  /**
   * Returns the caller of a request with a valid session; credentials in the request are not read.
   * @throws Problem 401 the account is gone, 403 its state, 429 too many requests
   */
  async authenticateSession(
    context: Pick<RequestContext<unknown>, 'sql' | 'now' | 'authorizedAt' | 'from'>,
    { account, token }: CallerSession,
    subject?: Subject,
  ): Promise<Caller> {
    const none = { hashes: [], loginName: undefined, loginAddress: undefined, sudo: undefined }
    const input = { ...none, subject, sessionOf: account }
    const lookup = await this.#lookUp(context, input)
    const row = lookup.rows.find((each) => each.role === 'session')
    if (!row) throw wrongCredentials()
    this.#refuseBarred(row, context)
    this.#refuseTooMany(row, context)
    return callerOf({ row, token, via: 'session' }, undefined, lookup, input)
  }

  /**
   * Returns the caller of a connection of `ssh` with this key; credentials in the request are not read.
   * @throws Problem 403 state of the account, 404 the key is unknown or opens another repository, 429
   */
  async authenticateKey(
    context: RequestContext<unknown>,
    fingerprint: string,
    subject?: Subject,
  ): Promise<Caller> {
    const none = { hashes: [], loginName: undefined, loginAddress: undefined, sudo: undefined }
    const input = { ...none, subject, key: fingerprint }
    const lookup = await this.#lookUp(context, input)
    const proven = provenByKey(lookup.rows)
    if (!proven) throw notFound()
    const { row } = proven
    if (row.role === 'key' || row.role === 'deploy key') this.#lastUsed.noteKey(context, row)
    this.#admit(proven, context)
    return callerOf(proven, undefined, lookup, input)
  }

  /** What follows from a valid credential. @throws Problem 403, 429 */
  #admit(proven: Proven | undefined, context: RequestContext<unknown>): void {
    this.#refuseBarred(proven?.row, context)
    // All jobs share one account.
    if (proven && proven.row.role !== 'task') this.#refuseTooMany(proven.row, context)
    if (proven?.row.role === 'login') this.#lastUsed.noteLogin(context, proven.row)
  }

  /** @throws Problem 429 more requests than `RATE_LIMIT_ACCOUNT` allows */
  #refuseTooMany(
    { id }: Account,
    { now, authorizedAt }: Pick<RequestContext<unknown>, 'now' | 'authorizedAt'>,
  ): void {
    if (authorizedAt) return
    const wait = this.#deps.rates?.take(id, now) ?? 0
    if (wait > 0)
      throw tooManyRequests('too many requests of this account, try again later', Math.ceil(wait / 1000))
  }

  #presented({ query, headers }: RequestContext<unknown>): readonly Credential[] {
    const inQuery = this.#deps.queryTokens && {
      token: first(query, 'token'),
      accessToken: first(query, 'access_token'),
    }
    return credentials({ authorization: headers.authorization, ...inQuery })
  }

  #lookUp(
    { sql, from }: Pick<RequestContext<unknown>, 'sql' | 'from'>,
    input: LookupInput,
  ): LookupResult | Promise<LookupResult> {
    if (!needsLookup(input)) return { rows: [], version: undefined }
    const run = async (version: DatabaseVersion | undefined) => ({ rows: await lookUp(sql, input), version })
    if (isTransaction(sql)) return run(undefined)
    const client = () => from.network
    return this.#deps.reads.get({ key: JSON.stringify(input), run, cacheable: true }, { client })
  }

  /** Returns the account of the first valid credential. */
  async #prove(
    presented: readonly Credential[],
    rows: readonly LookupRow[],
    context: RequestContext<unknown>,
  ): Promise<Proven | undefined> {
    for (const credential of presented) {
      const proven =
        byToken(credential, rows, context.now) ?? (await this.#passwords.prove(credential, rows, context))
      if (proven?.row.role === 'token') this.#lastUsed.noteToken(context, proven.row)
      if (proven) return proven
    }
    return undefined
  }

  /** Refuses accounts that may not sign in although their credential is valid. @throws Problem 403 */
  #refuseBarred(account: Proven['row'] | undefined, { from }: Pick<RequestContext<unknown>, 'from'>): void {
    if (!account && this.#deps.requireSignIn)
      throw briefForbidden('Only signed in user is allowed to call APIs.')
    if (!account) return
    if (!account.is_active || account.prohibit_login) {
      throw briefForbidden(
        'This account is prohibited from signing in, please contact your site administrator.',
      )
    }
    if (account.must_change_password) throw new PasswordExpired(account, from.host)
  }
}

/**
 * Refuses a change that a page of another site sends with a password: browsers remember passwords of Basic, and add them to
 * forms of any page (Fetch Metadata, section 2.3). @throws Problem 403
 */
function refuseOtherSites(presented: readonly Credential[], { route, headers }: RequestContext<unknown>) {
  const site = firstValue(headers['sec-fetch-site'])
  const isOther = site === 'cross-site' || site === 'same-site'
  if (isOther && route.method !== 'GET' && presented.some(({ kind }) => kind === 'basic'))
    throw briefForbidden('A page of another site sent this request.')
}

function credentialInput(presented: readonly Credential[]): Omit<LookupInput, 'sudo' | 'subject'> {
  const tokens = presented.flatMap((each) => (each.kind === 'impossible' ? [] : [each.token]))
  const basic = presented.find((each) => each.kind === 'basic')
  return { hashes: tokens.filter(isToken).map(hashToken), ...loginInput(basic?.user) }
}

/** What a look-up finds an account by, from the user name of Basic credentials. */
function loginInput(user: string | undefined): Pick<LookupInput, 'loginName' | 'loginAddress'> {
  const login = user === undefined ? undefined : accountKey(user)
  return {
    loginName: login?.by === 'name' ? nameKey(login.key) : undefined,
    loginAddress: login?.by === 'email' ? login.key : undefined,
  }
}

/** The repository of the path with the levels of the caller, or of somebody who has none. */
function repositoryFor(own: Repo | null | undefined, seen: Repo | null | undefined): Repo | undefined {
  if (own) return own.levels ? withLevels(own, own.levels) : own
  return seen ? forStranger(seen) : undefined
}

const forStranger = (repo: Repo): Repo =>
  repo.levels
    ? withLevels(
        repo,
        levelsOf(repo.levels, () => LEVELS.none),
      )
    : { ...repo, level: 0 }

/** @throws Problem 403, 404 of sudo */
function callerOf(
  proven: Proven | undefined,
  sudo: string | undefined,
  { rows, version }: LookupResult,
  input: LookupInput,
): Caller {
  if (sudo !== undefined && !proven?.row.is_admin)
    throw briefForbidden('Only administrators allowed to sudo.')
  const target = sudo === undefined ? undefined : rows.find(({ role }) => role === 'sudo')
  if (sudo !== undefined && (!target || systemFault(target) !== undefined)) throw notFound()
  const me = target ?? proven?.row
  const subject = rows.find(({ role }) => role === 'subject')
  const repo = repositoryFor(me?.repository, subject?.repository)
  const part = input.subject && 'part' in input.subject ? input.subject.part : undefined
  const task = proven?.row.role === 'task' ? rightsForPath(proven.row.task, repo, part) : undefined
  return {
    me,
    impersonator: target && proven?.row,
    task: proven?.row.role === 'task' ? proven.row.task : undefined,
    token: task && proven?.token ? { ...proven.token, scopes: task.scopes } : proven?.token,
    via: proven?.via ?? 'nothing',
    subject,
    redirect: subject ? undefined : rows.find(({ role }) => role === 'redirect'),
    repo: task?.repo ?? repo,
    creates: me?.creates ?? false,
    package_level: me?.package_level ?? 0,
    is_member: me?.is_member ?? false,
    is_owner: me?.is_owner ?? false,
    is_in_team: me?.is_in_team ?? false,
    sees_team: me?.sees_team ?? false,
    unread: proven?.row.role === 'session' ? proven.row.unread : 0,
    lookup: { input, rows },
    seen: version,
  }
}
