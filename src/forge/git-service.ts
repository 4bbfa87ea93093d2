import { join } from 'node:path'
import { createGitHttp, type GitHttp } from '../git/http/http.ts'
import type { CommitSigner } from '../git/program/commit-signer.ts'
import { createGit, type Git, gitFor, type Requester } from '../git/program/git.ts'
import { createLauncher } from '../git/program/launcher.ts'
import type { GitFault } from '../git/program/outcome.ts'
import type { QueueOptions } from '../git/program/queues.ts'
import type { GitVersion } from '../git/program/version.ts'
import { Repositories } from '../git/repository/repositories.ts'
import { busy, conflict, Problem, unavailable, unprocessable } from '../http/route/problem.ts'
import { networkOf } from '../http/server/addresses.ts'
import type { Origin } from '../http/server/origin.ts'

/** Git and the repositories in `DATA_DIR`. */
export interface GitService {
  git: Git
  repositories: Repositories
  http: GitHttp
  /**
   * The same with the id of a request in the environment of its runs, which queue with others of its client; not for `http`,
   * whose exchanges say so themselves.
   */
  forRequest: (from: Pick<Origin, 'id' | 'address'>) => GitService
  /** The same for a request that only reads: its runs end when the client leaves. */
  forReader: (from: Pick<Origin, 'id' | 'gone' | 'address'>) => GitService
  /** Checks once whether a usable git is installed. */
  check: () => Promise<GitVersion>
}

/** Limits of git processes, in bytes and milliseconds. */
interface GitLimits extends Required<Pick<QueueOptions, 'milliseconds' | 'memory'>> {
  /** Within which time git starts for a client. */
  start: number
}

/** Starts no process and creates no directory before it is needed. */
export function createGitService(
  dataDir: string,
  { start, ...limits }: GitLimits,
  signer?: CommitSigner,
): GitService {
  const launcher = createLauncher()
  const git = createGit({ home: join(dataDir, 'git'), launcher, signer, ...limits })
  const root = join(dataDir, 'repositories')
  let checked: Promise<GitVersion> | undefined
  const check = () => {
    checked ??= git.check()
    return checked
  }
  const serviceFor = (requester: Requester): GitService => {
    const ofRequest = gitFor(requester, git)
    return { ...service, git: ofRequest, repositories: new Repositories(root, ofRequest) }
  }
  const forRequest: GitService['forRequest'] = ({ id, address }) =>
    serviceFor({ id, keys: [networkOf(address)] })
  const forReader: GitService['forReader'] = ({ id, gone, address }) =>
    serviceFor({ id, signal: gone, keys: [networkOf(address)] })
  const repositories = new Repositories(root, git)
  const service = { git, repositories, http: createGitHttp(git, { start }), check, forRequest, forReader }
  return service
}

/** Maps a failure of git or of the disk to an answer. */
export function problemOf({ kind, log }: GitFault): Problem {
  if (kind === 'name') return unprocessable('the name cannot be that of a directory')
  if (kind === 'taken')
    return conflict('Files of a repository with the same name exist already; adopt or delete them.')
  if (kind === 'gone') return new Problem(404, 'not found', { log })
  if (kind === 'missing') return unavailable('this server has no git program', log, 60)
  if (kind === 'old') return unavailable('this server needs git 2.39 or newer to merge', log, 60)
  if (kind === 'busy') return busy('git is busy', log, 5)
  // No client is left, or the server stops: neither is an overload.
  if (kind === 'cancelled') return unavailable('it was cancelled', undefined, 5)
  if (kind === 'late') return busy('git takes too long for this', log, 60)
  if (kind === 'heavy') return busy('this takes more memory than git may use here', log, 60)
  if (kind === 'large') return busy('git finds more here than this server reads', log, 60)
  // RFC 4918 §11.5.
  if (kind === 'full') return new Problem(507, 'the server has no place left for repositories', { log })
  return new Problem(500, 'git failed', { log })
}
