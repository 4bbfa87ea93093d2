import { permits } from '../../forge/auth/scopes.ts'
import { LEVELS } from '../../forge/permissions/access-level-store.ts'
import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import type { OnRepository } from '../../forge/repos/access.ts'
import type { Code, Place } from '../../forge/repos/code.ts'

/** Whether a page offers its reader to change files; the operation behind the form decides. */
export const mayWrite = ({ me, token, repo }: OnRepository): boolean =>
  me !== undefined &&
  !repo.is_archived &&
  repo.level >= LEVELS.write &&
  (!token || permits(token.scopes, ['repository'], 'write'))

/** The address of the form for a file or folder of a branch; undefined for tags and commits, which nothing follows. */
export function editAddress({ home }: Pick<Code, 'home'>, { name, path }: Pick<Place, 'name' | 'path'>) {
  if (!name.startsWith('branch/')) return undefined
  const below = path === '' ? '' : `/${escapeSegments(path.toWellFormed())}`
  return `${home}/_edit/${escapeSegments(name.slice('branch/'.length))}${below}`
}
