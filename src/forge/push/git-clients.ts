import { forbidden, notFound, Problem } from '../../http/route/problem.ts'
import { first } from '../../http/route/query.ts'
import { type AccessContext, access, challenge } from '../auth/access.ts'
import type { Level } from '../auth/scopes.ts'
import { LEVELS } from '../permissions/access-level-store.ts'
import { maintainedBranches } from '../permissions/maintainer-store.ts'
import { type OnRepository, onRepo } from '../repos/access.ts'

/** Which git clients may fetch and push. */

/**
 * Git clients that may fetch from (`read`) or push to (`write`) the repository of a git URL, whose name may end in
 * `.git`. With `service`, the query parameter of that name decides between the two. Refusals are plain text, which git
 * prints. An anonymous client gets 401 whether or not the repository exists. Maintainers push to some branches only, which
 * `push/rules.ts` checks.
 */
export const gitClient = (mode: Level | 'service') =>
  access(`gitClient ${mode}`, ['repository'], [307, 401, 403, 404], async (context) => {
    const level = isPush(context, mode) ? 'write' : 'read'
    try {
      const caller = await onRepo(context, ['repository'], { part: 'repo.code', level })
      if (level === 'read' || (await mayPush(context, caller))) return caller
      throw caller.me ? forbidden(mayNotPush) : new Problem(401, 'sign in to push')
    } catch (error) {
      throw error instanceof Problem ? inText(challenge(context, error)) : error
    }
  })

/**
 * The same for clients over SSH, who have a key. What does not exist and what the key may not read have the same answer.
 */
export const sshClient = (mode: Level | 'service') =>
  access(`sshClient ${mode}`, [], [307, 403, 404], async (context) => {
    const pushes = isPush(context, mode)
    try {
      const caller = await onRepo(context, [], { part: 'repo.code' })
      if (!pushes || (await mayPush(context, caller))) return caller
      throw forbidden(caller.via === 'deploy key' ? readOnlyKey : mayNotPush)
    } catch (error) {
      throw error instanceof Problem ? inText(error.status === 404 ? notFound(unreadable) : error) : error
    }
  })

/** Whether a caller may push to some branch. Neither deploy keys nor jobs are maintainers of other repositories. */
async function mayPush({ sql }: AccessContext, { me, repo, via, task }: OnRepository): Promise<boolean> {
  if (repo.level >= LEVELS.write) return true
  if (!me || via === 'deploy key' || task) return false
  return (await maintainedBranches(sql, { repository: repo.id, account: me.id })).length > 0
}

const mayNotPush = 'you may not push to this repository'
const readOnlyKey = 'this deploy key may not push to the repository'
const unreadable = 'there is no such repository, or this key may not read it'

const isPush = ({ query }: AccessContext, mode: Level | 'service') =>
  mode === 'write' || (mode === 'service' && first(query, 'service') === 'git-receive-pack')

const inText = ({ status, message, extra }: Problem): Problem =>
  new Problem(status, message, status < 400 ? extra : { ...extra, form: 'text' })
