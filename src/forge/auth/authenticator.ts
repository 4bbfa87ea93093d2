import type { Sql } from '../../db/sql.ts'
import type { CoalescedReads } from '../../http/reads/reads.ts'
import type { DatabaseVersion } from '../../http/reads/validated-cache.ts'
import { notFound, Problem } from '../../http/route/problem.ts'
import { first } from '../../http/route/query.ts'
import type { RequestContext } from '../../http/route/route.ts'
import { type Account, nameKey } from '../accounts/account.ts'
import { systemFault } from '../accounts/system-account.ts'
import { accountKey, type Credential, credentials, one, sudoName } from './authorization.ts'
import type { Caller } from './caller.ts'
import { LastUsedTracker } from './last-used.ts'
import { type Answered, type Asked, asksSomething, lookUp, type Subject } from './lookup.ts'
import { byToken, PasswordAuth, type PasswordAuthDeps, type Proven } from './password-auth.ts'
import { standingOf } from './task-token.ts'
import { hashToken, isToken } from './token.ts'

/** What a look at the database gave, and its state before. */
interface Look {
  rows: readonly Answered[]
  state: DatabaseVersion | undefined
}

/** What finding out who calls stands on. */
interface AuthenticatorDeps extends PasswordAuthDeps {
  reads: CoalescedReads<Look>
  /** Whether `?token=` is looked at. */
  queryTokens: boolean
  /** Whether nothing at all is open to anonymous callers. */
  requireSignIn: boolean
}

const wrong = () => new Problem(401, 'invalid username, password or token')
const brief = (message: string) => new Problem(403, message, { form: 'brief' })

/**
 * Finds out who calls: one round trip to the database, shared between equal requests that wait at the same time, and not
 * repeated until something is written.
 */
export class Authenticator {
  readonly #parts: AuthenticatorDeps
  readonly #passwords: PasswordAuth
  readonly #uses: LastUsedTracker

  constructor(parts: AuthenticatorDeps) {
    this.#parts = parts
    this.#passwords = new PasswordAuth(parts)
    this.#uses = new LastUsedTracker(parts.log)
  }

  /**
   * The caller of a request. Credentials that are presented must be right, on open routes too.
   * @throws Problem 401 wrong credentials, 403 state of the account or sudo, 404 sudo, 429 failed sign-ins, 503
   */
  async authenticate(context: RequestContext<unknown>, subject?: Subject): Promise<Caller> {
    const presented = this.#presented(context)
    if (presented.length === 1) this.#passwords.refuseEarly(presented[0], context)
    const sudo = sudoName(first(context.query, 'sudo'), one(context.headers.sudo))
    const look = await this.#lookUp(context.sql, {
      sudo: sudo && nameKey(sudo),
      subject,
      ...askFor(presented),
    })
    const proven = await this.#prove(presented, look.rows, context)
    if (!proven && presented.length > 0) throw wrong()
    this.#refuse(proven?.row)
    if (proven?.row.role === 'login') this.#uses.noteLogin(context, proven.row)
    return callerOf(proven, sudo, look, subject)
  }

  #presented({ query, headers }: RequestContext<unknown>): readonly Credential[] {
    const inQuery = this.#parts.queryTokens && {
      token: first(query, 'token'),
      accessToken: first(query, 'access_token'),
    }
    return credentials({ authorization: headers.authorization, ...inQuery })
  }

  #lookUp(sql: Sql, asked: Asked): Look | Promise<Look> {
    if (!asksSomething(asked)) return { rows: [], state: undefined }
    const run = async (state: DatabaseVersion | undefined) => ({ rows: await lookUp(sql, asked), state })
    return this.#parts.reads.get({ key: JSON.stringify(asked), run, cacheable: true })
  }

  /** The first credential that belongs to somebody. */
  async #prove(
    presented: readonly Credential[],
    rows: readonly Answered[],
    context: RequestContext<unknown>,
  ): Promise<Proven | undefined> {
    for (const credential of presented) {
      const proven = byToken(credential, rows) ?? (await this.#passwords.prove(credential, rows, context))
      if (proven?.row.role === 'token') this.#uses.noteToken(context, proven.row)
      if (proven) return proven
    }
    return undefined
  }

  /** Who has proved who they are may still be kept out. @throws Problem 403 */
  #refuse(account: Account | undefined): void {
    if (!account && this.#parts.requireSignIn) throw brief('Only signed in user is allowed to call APIs.')
    if (!account) return
    if (!account.is_active || account.prohibit_login) {
      throw brief('This account is prohibited from signing in, please contact your site administrator.')
    }
    if (account.must_change_password) {
      throw brief('You must change your password. Ask a site administrator to set a new one.')
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

/** @throws Problem 403, 404 of sudo */
function callerOf(
  proven: Proven | undefined,
  sudo: string | undefined,
  { rows, state }: Look,
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
    task: proven?.row.role === 'task' ? proven.row.task : undefined,
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
    seen: state,
  }
}
