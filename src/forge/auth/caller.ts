import type { DatabaseVersion } from '../../http/reads/validated-cache.ts'
import type { Account } from '../accounts/account.ts'
import type { Standing } from './lookup.ts'
import type { Repo } from './repository.ts'
import type { Scopes } from './scopes.ts'
import type { TaskRights } from './task-token.ts'

/** Who is calling, and what the path is about, as one look at the database told. */
export interface Caller extends Standing {
  /** Whose rights count; undefined: nobody is signed in. */
  readonly me: Account | undefined
  /** The administrator who acts as `me` (sudo). */
  readonly behind: Account | undefined
  /** The token that was presented, alone or inside Basic; undefined: a password, which no scope limits. */
  readonly token: { readonly id: number; readonly scopes: Scopes } | undefined
  /** What the job may do whose token was presented; undefined: no job calls. */
  readonly task: TaskRights | undefined
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
  /** The state of the database that all this follows from, where it is known. */
  readonly seen: DatabaseVersion | undefined
}
