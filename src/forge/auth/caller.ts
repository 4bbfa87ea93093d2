import type { DatabaseVersion } from '../../db/version.ts'
import type { Account } from '../accounts/account-store.ts'
import type { Repo } from '../permissions/repo-lookup-store.ts'
import type { LookupInput, LookupRow, Standing } from './lookup-store.ts'
import type { Scopes } from './scopes.ts'
import type { TaskRights } from './task-token-store.ts'

/** The caller and the target of the path, as one look-up found them. */
export interface Caller extends Standing {
  /** The account whose rights apply; undefined: anonymous. */
  readonly me: Account | undefined
  /** The administrator who acts as `me` (sudo). */
  readonly impersonator: Account | undefined
  /** The presented token, alone or inside Basic; undefined for a password, which no scope limits. */
  readonly token: { readonly id: number; readonly scopes: Scopes } | undefined
  /** The rights of the job whose token was presented; undefined if the caller is not a job. */
  readonly task: TaskRights | undefined
  /** How the credential was presented. */
  readonly via: 'nothing' | 'basic' | 'header' | 'query' | 'session' | 'key' | 'deploy key'
  /** The account named in the path. */
  readonly subject: Account | undefined
  /** The account that formerly had the name in the path. */
  readonly redirect: Account | undefined
  /**
   * The repository named in the path, with the access level of `me`, which does not count what everyone may do with a
   * public repository.
   */
  readonly repo: Repo | undefined
  /** Whether `me` may create repositories in the organization of the path, if the look-up selects that. */
  readonly creates: boolean
  /** The access level (`LEVELS`) of `me` to the packages of the organization of the path, if the look-up selects that. */
  readonly package_level: number
  /** The number of unread notification threads of `me`, up to 100; 0 for a caller without a session. */
  readonly unread: number
  /** The look-up that found all this, to run it again in a transaction (`confirmCaller`). */
  readonly lookup: { readonly input: LookupInput; readonly rows: readonly LookupRow[] }
  /** The version of the database at which the look-up ran, if known. */
  readonly seen: DatabaseVersion | undefined
}
