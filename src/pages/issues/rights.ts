import { permits } from '../../forge/auth/scopes.ts'
import type { StoredIssue } from '../../forge/issues/issue-store.ts'
import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import type { OnRepository, SignedInOnRepository } from '../../forge/repos/access.ts'
import { mayWriteIssues } from '../../forge/repos/issue-access.ts'

/** Which forms about issues a page offers to somebody; the operations behind them decide. */
export interface Rights {
  /** Opens issues, and reacts. */
  takesPart: boolean
  /** Changes issues and comments of others, and plans. */
  writes: boolean
  /** Locks, pins and deletes. */
  administers: boolean
}

/** Nobody changes the issues of an archived repository. */
export function rightsOn(caller: OnRepository): Rights {
  const { me, token, repo } = caller
  const takesPart =
    me !== undefined && !repo.is_archived && (!token || permits(token.scopes, ['issue'], 'write'))
  return {
    takesPart,
    writes: takesPart && mayWriteIssues(caller),
    administers: takesPart && repo.level >= LEVELS.admin,
  }
}

/** Whether somebody may comment on an issue and react to it. */
export const mayAnswer = ({ takesPart, writes }: Rights, { is_locked }: Pick<StoredIssue, 'is_locked'>) =>
  writes || (takesPart && !is_locked)

/** Whether a reader may choose to be told what happens to an issue; that changes nothing of an archived repository. */
export const maySubscribe = (caller: OnRepository): caller is SignedInOnRepository =>
  caller.me !== undefined && (!caller.token || permits(caller.token.scopes, ['issue'], 'write'))

/** Whether somebody may change what this account has written. */
export const mayEdit = (
  { takesPart, writes }: Rights,
  { me }: OnRepository,
  poster: number | null | undefined,
): boolean => writes || (takesPart && me?.id === poster)
