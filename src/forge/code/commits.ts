import * as v from 'valibot'
import { offsetOf } from '../../db/page.ts'
import { isStoredPath } from '../../git/program/names.ts'
import type { Selection } from '../../git/repository/commit-list.ts'
import { readNote } from '../../git/repository/notes.ts'
import { pageQuery } from '../../http/route/page.ts'
import { conflict, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { json, numbered, streamed } from '../../http/route/sends.ts'
import { queryMoment, queryText, queryTime } from '../protocol/query.ts'
import { codeSeen } from '../repos/access.ts'
import { type Code, commitOfBranch, commitOfRevision, gitValue, openCode } from '../repos/code.ts'
import { route } from '../route.ts'
import { Commit, Note } from './commit.shape.ts'
import {
  allPartsQuery,
  commitCount,
  partsOf,
  partsQuery,
  printedCommit,
  printedCommits,
} from './commit-list.ts'
import { commitAsDiff, commitAsPatch, commitOf } from './commit-text.ts'

/** Commits. */

export const repoGetAllCommits = route('GET /repos/{owner}/{repo}/commits', {
  summary: 'A commit and its ancestors, newest first',
  access: codeSeen(),
  query: {
    sha: queryText,
    path: queryText,
    since: queryTime,
    until: queryTime,
    not: queryText,
    ...allPartsQuery,
    ...pageQuery(),
  },
  fails: [404, 409, 422],
  returns: numbered(Commit),
  shared: 'until written',
  handler: async (context) => {
    const { query } = context
    const { page, limit } = query
    const since = queryMoment('since', query.since, invalidTime('since'))
    const until = queryMoment('until', query.until, invalidTime('until'))
    const code = await openCode(context)
    if (code.row.is_empty) throw conflict('Git Repository is empty.')
    const selection = { ...(await selectionOf(code, query)), since, until }
    const total = await commitCount(code, selection)
    if (total === 0) await requirePath(code, selection)
    const listing = { skip: offsetOf(query), maxCommits: limit, parts: partsOf(query) }
    const rows = listing.skip < total ? await printedCommits(context, code, selection, listing) : []
    return { page, limit, rows, total }
  },
})

const invalidTime = (name: string) => () =>
  unprocessable(`invalid '${name}' format, expected ISO 8601 (RFC3339)`)

/** @throws Problem 404, 422 */
async function selectionOf(
  code: Code,
  { sha, path, not }: { sha: string; path: string; not: string },
): Promise<Selection> {
  const start = sha || code.row.default_branch
  const named = sha === '' ? commitOfBranch(code, start) : commitOfRevision(code, sha)
  const tip = found(await named, `object does not exist [id: ${start}, rel_path: ]`)
  const excluded = not === '' ? undefined : await commitOfRevision(code, not)
  if (not !== '' && excluded === undefined) throw unprocessable(`there is no commit ${not}`)
  const file = path.split('/').filter(Boolean).join('/')
  if (file === '') return { tip, not: excluded }
  if (!isStoredPath(file)) throw notFound()
  return { tip, not: excluded, path: file }
}

/** @throws Problem 404 no commit has changed the path, at any time */
async function requirePath(code: Code, { tip, path }: Selection): Promise<void> {
  if (path !== undefined && (await commitCount(code, { tip, path })) === 0) throw notFound()
}

export const repoGetSingleCommit = route('GET /repos/{owner}/{repo}/git/commits/{sha}', {
  summary: 'A commit',
  access: codeSeen(),
  query: allPartsQuery,
  fails: [404, 422],
  returns: json(200, Commit),
  shared: 'until written',
  handler: async (context) => {
    const code = await openCode(context)
    return printedCommit(context, code, await commitOf(code, context.params.sha), context.query)
  },
})

export const repoGetNote = route('GET /repos/{owner}/{repo}/git/notes/{sha}', {
  summary: 'The note of a commit, and the commit that wrote the note',
  access: codeSeen(),
  query: partsQuery,
  fails: [404, 422],
  returns: json(200, Note),
  shared: 'until written',
  handler: async (context) => {
    const { params, query } = context
    const code = await openCode(context)
    const note = gitValue(await readNote(code, await commitOf(code, params.sha)))
    const { message, commit } = found(note, `commit doesn't exist: ${params.sha}`)
    return { message, commit: await printedCommit(context, code, commit, query) }
  },
})

const asText = {
  access: codeSeen(),
  fails: [404, 422],
  returns: streamed(200, v.string(), 'text/plain; charset=utf-8'),
} as const

export const repoDownloadCommitDiff = route('GET /repos/{owner}/{repo}/git/commits/{sha}.diff', {
  ...asText,
  summary: 'The diff of a commit against its first parent',
  handler: ({ params, ...context }) => commitAsDiff(context, params.sha),
})

export const repoDownloadCommitPatch = route('GET /repos/{owner}/{repo}/git/commits/{sha}.patch', {
  ...asText,
  summary: 'A commit as a mail that git-am(1) reads; of a merge, each commit that it brings',
  handler: ({ params, ...context }) => commitAsPatch(context, params.sha),
})
