import { LEVELS } from '../permissions/access-level-store.ts'
import { levelsOf, type Repo, withLevels } from '../permissions/repo-lookup-store.ts'
import type { Part } from '../permissions/units.ts'
import { parseScopes, type Scopes } from './scopes.ts'
import type { TaskRights } from './task-token-store.ts'

/**
 * The token of a running job. With it the job fetches its repository, pushes to it and calls the API, as the Actions
 * bot. In its own repository the job may do what the workflow grants; elsewhere it may read public resources.
 */

const readable = ['read:repository', 'read:issue', 'read:package', 'read:organization', 'read:user']

const writable = ['write:repository', 'write:issue']

function scopes(names: readonly string[], publicOnly: boolean): Scopes {
  const parsed = parseScopes(names)
  return { granted: parsed.ok ? parsed.value.granted : 0, publicOnly }
}

const elsewhere = scopes(readable, true)

const readingHere = scopes(readable, false)

const writingHere = scopes([...readable, ...writable], false)

/** The rights of a task token for one request. */
interface TaskStanding {
  scopes: Scopes
  /** The repository of the path, with the access level of the task. */
  repo: Repo | undefined
}

/** `part`: the part of the repository that the path is about, if not the code. */
export function rightsForPath(
  rights: TaskRights,
  repo: Repo | undefined,
  part: Part | undefined,
): TaskStanding {
  if (!repo || repo.id !== rights.repository) return { scopes: elsewhere, repo }
  const granted = repo.levels
    ? withLevels(
        repo,
        levelsOf(repo.levels, (unit) => levelIn(rights, unit)),
      )
    : { ...repo, level: levelIn(rights, part) }
  return { scopes: granted.level >= LEVELS.write ? writingHere : readingHere, repo: granted }
}

/** The names of the parts of a repository in workflows. Of several names of a part, the one that grants most counts. */
const names: Readonly<Partial<Record<Part, readonly string[]>>> = {
  'repo.code': ['contents'],
  'repo.actions': ['actions'],
  'repo.issues': ['issues'],
  'repo.packages': ['packages'],
  'repo.pulls': ['pull-requests'],
  'repo.releases': ['releases'],
  'repo.wiki': ['wiki'],
  // The original has no name of its own for this part and uses that of the code.
  'commit.statuses': ['statuses', 'contents'],
}

const levels: Readonly<Record<string, number>> = { read: LEVELS.read, write: LEVELS.write }

/** Without `permissions` in the workflow, tasks may write; tasks of runs from forks never write. */
function levelIn({ is_fork_pr, permissions }: TaskRights, part: Part = 'repo.code'): number {
  const granted = (names[part] ?? []).map((name) => levels[permissions?.[name] ?? ''] ?? LEVELS.none)
  const level = permissions ? Math.max(LEVELS.none, ...granted) : LEVELS.write
  return is_fork_pr ? Math.min(level, LEVELS.read) : level
}
