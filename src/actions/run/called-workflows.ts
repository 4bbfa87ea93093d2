import { inParallel } from '../../common/in-parallel.ts'
import { done, failed, type Outcome } from '../../common/outcome.ts'
import type { Sql } from '../../db/sql.ts'
import type { OpenRepository } from '../../git/program/git.ts'
import type { GitOutcome } from '../../git/program/outcome.ts'
import { readObject } from '../../git/repository/objects.ts'
import { revisionOf } from '../../git/repository/revisions.ts'
import { attempt, quote } from '../workflow/fault.ts'
import type { Planner } from '../workflow/planner.ts'
import { readUses, type Uses } from '../workflow/uses.ts'
import { maxBytes } from '../workflow/yaml.ts'
import type { CalledWorkflow } from './called-workflow-store.ts'
import { type RepoFacts, repositoryForJobs } from './repo-facts-store.ts'
import { StartError } from './start-error.ts'
import { storableText } from './storable-text.ts'
import { openIn, type WorkflowSource } from './workflow-files.ts'

/** The dependencies of reading called workflows. */
interface CallDeps {
  sql: Sql
  planner: Planner
  /** Git and the repositories to read from. */
  source: WorkflowSource
}

/** How deep workflows may call each other, and how many files a run may call, as on GitHub; and their total bytes. */
const maximum = { levels: 9, files: 50, bytes: 4 * maxBytes }

/** A workflow file at a commit. */
interface Place {
  facts: RepoFacts
  commit: string
  path: string
}

/** A file that jobs may call. */
interface CalledFile extends Place {
  source: string
  calls: readonly string[]
}

/** A file whose jobs call others. `chain`: the files that lead to it, itself included. */
interface Caller extends Place {
  number: number
  calls: readonly string[]
  chain: readonly string[]
}

const identity = ({ facts, commit, path }: Place) => `${facts.id} ${commit} ${path}`

/**
 * Reads the workflows that the jobs of a file call, and those that these call. Each ref is resolved once. A file that may
 * not be called has its fault instead of its source: then only the jobs that call it fail.
 * @throws StartError
 */
export async function readCalledWorkflows(
  deps: CallDeps,
  place: Place,
  calls: readonly string[],
): Promise<CalledWorkflow[]> {
  const called: CalledWorkflow[] = []
  const open: Caller[] = [{ ...place, number: 0, calls, chain: [identity(place)] }]
  const commits: Commits = new Map()
  let bytes = 0
  for (let caller = open.shift(); caller; caller = open.shift()) {
    const next = caller.calls.slice(0, maximum.files - called.length)
    for (const { uses, found } of await filesOf(deps, caller, next, commits)) {
      const source = found.ok ? storableText(found.value.source) : null
      bytes += source?.length ?? 0
      const fault = !found.ok
        ? storableText(found.fault)
        : bytes > maximum.bytes
          ? 'the workflows that this run calls are too large together'
          : null
      const number = called.length + 1
      const commit_sha = found.ok ? found.value.commit : null
      const row = { number, caller_number: caller.number, uses, commit_sha }
      called.push(fault === null ? { ...row, source, fault } : { ...row, source: null, fault })
      if (found.ok && fault === null)
        open.push({ ...found.value, number, chain: [...caller.chain, identity(found.value)] })
    }
  }
  return called
}

/** The commits of refs of other repositories, by repository and ref. */
type Commits = Map<string, Promise<Outcome<string, string>>>

/** How many files are read at a time: git and the threads serve others, too. */
const filesAtOnce = 8

/** What the calls of a file name, in their order. @throws StartError */
async function filesOf(deps: CallDeps, caller: Caller, calls: readonly string[], commits: Commits) {
  return inParallel(filesAtOnce, calls, async (uses) => ({
    uses,
    found: await fileOf(deps, caller, uses, commits),
  }))
}

/** Why a job fails whose file is missing among the called ones: there are too many. */
export const tooManyFiles = `a run calls at most ${maximum.files} workflows`

async function fileOf(
  deps: CallDeps,
  caller: Caller,
  text: string,
  commits: Commits,
): Promise<Outcome<CalledFile, string>> {
  const uses = attempt(() => readUses(text))
  if (!uses.ok) return uses
  if (caller.chain.length > maximum.levels)
    return failed(`workflows call each other more than ${maximum.levels} levels deep`)
  const place = await placeOf(deps, caller, uses.value, commits)
  if (!place.ok) return place
  if (caller.chain.includes(identity(place.value))) return failed(`${quote(text)} calls itself`)
  const opened = openIn(deps.source, place.value.facts)
  const blob = valueOrThrow(
    await readObject(opened, `${place.value.commit}:${place.value.path}`, maxBytes + 1),
  )
  if (blob?.type !== 'blob') return failed(`there is no file ${quote(text)}`)
  const source = blob.content.toString('utf8')
  const examined = await deps.planner.examine(source, { event: 'workflow_call' }, caller.facts.owner_id)
  if (!examined.ok) {
    if (examined.fault.kind !== 'file') throw new StartError(examined.fault.log)
    return failed(`${quote(text)}: ${examined.fault.message}`)
  }
  const { fault, starts, calls } = examined.value
  if (fault !== undefined) return failed(`${quote(text)}: ${fault}`)
  if (!starts) return failed(`${quote(text)}: "on" has no "workflow_call", so no job can use it`)
  return done({ ...place.value, source, calls })
}

async function placeOf(
  { sql, source }: CallDeps,
  caller: Place,
  { elsewhere, path }: Uses,
  commits: Commits,
): Promise<Outcome<Place, string>> {
  if (!elsewhere) return done({ facts: caller.facts, commit: caller.commit, path })
  const { owner, repo, ref } = elsewhere
  const facts = await repositoryForJobs(sql, caller.facts.id, { owner, name: repo })
  if (!facts) return failed(`there is no repository ${owner}/${repo} that jobs may read`)
  const key = `${facts.id} ${ref}`
  const resolving = commits.get(key) ?? commitOf(openIn(source, facts), ref)
  commits.set(key, resolving)
  const commit = await resolving
  return commit.ok ? done({ facts, commit: commit.value, path }) : commit
}

async function commitOf(repository: OpenRepository, ref: string): Promise<Outcome<string, string>> {
  const revision = valueOrThrow(await revisionOf(repository, ref))
  return revision ? done(revision.commit) : failed(`there is no branch, tag or commit ${quote(ref)}`)
}

/** @throws StartError when git has failed */
function valueOrThrow<Value>(outcome: GitOutcome<Value>): Value {
  if (outcome.ok) return outcome.value
  throw new StartError(outcome.fault.log)
}
