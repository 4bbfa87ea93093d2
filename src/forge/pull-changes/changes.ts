import { offsetOf, pageFrom } from '../../db/page.ts'
import type { IgnoredSpace } from '../../git/program/diff-options.ts'
import { changedFiles } from '../../git/repository/merging/changed-files.ts'
import { pageQuery } from '../../http/route/page.ts'
import { numbered } from '../../http/route/sends.ts'
import { Commit } from '../code/commit.shape.ts'
import { commitCount, partsOf, partsQuery, printedCommits } from '../code/commit-list.ts'
import { onIssue, queryText, queryWord } from '../protocol/query.ts'
import { pullsSeen } from '../pulls/access.ts'
import { proposalIn } from '../pulls/proposal.ts'
import { gitValue } from '../repos/code.ts'
import { route } from '../route.ts'
import { ChangedFile, printChangedFile } from './changed-file.shape.ts'
import { pullAsDiff, pullAsPatch, sendsPullText } from './pull-text.ts'

/** What pull requests change. */

const asText = { access: pullsSeen(), ...sendsPullText } as const

export const repoDownloadPullDiff = route('GET /repos/{owner}/{repo}/pulls/{index}.diff', {
  ...asText,
  summary: 'The difference that a pull request makes',
  handler: (context) => pullAsDiff(context, context),
})

export const repoDownloadPullPatch = route('GET /repos/{owner}/{repo}/pulls/{index}.patch', {
  ...asText,
  summary: 'The commits of a pull request as mails that git-am(1) reads',
  handler: (context) => pullAsPatch(context, context),
})

export const repoGetPullRequestCommits = route('GET /repos/{owner}/{repo}/pulls/{index}/commits', {
  summary: 'Commits of a pull request, newest first',
  access: pullsSeen(),
  params: onIssue,
  query: { ...partsQuery, ...pageQuery() },
  fails: [404],
  returns: numbered(Commit),
  shared: 'until written',
  handler: async (context) => {
    const { query, params } = context
    const { page, limit } = query
    const { code, span } = await proposalIn(context, params.index)
    const selection = { tip: span.head, not: span.base }
    const total = await commitCount(code, selection)
    const listing = { skip: offsetOf(query), maxCommits: limit, parts: partsOf(query) }
    const rows = listing.skip < total ? await printedCommits(context, code, selection, listing) : []
    return { page, limit, rows, total }
  },
})

const ignoredSpaces: Readonly<Record<string, IgnoredSpace>> = {
  'ignore-all': 'all',
  'ignore-change': 'amount',
  'ignore-eol': 'at end of line',
}

export const repoGetPullRequestFiles = route('GET /repos/{owner}/{repo}/pulls/{index}/files', {
  summary: 'Files that a pull request changes, in the order of git',
  access: pullsSeen(),
  params: onIssue,
  query: {
    'skip-to': queryText,
    whitespace: queryWord('ignore-all', 'ignore-change', 'ignore-eol', 'show-all'),
    ...pageQuery(),
  },
  fails: [404],
  returns: numbered(ChangedFile),
  shared: 'until written',
  handler: async (context) => {
    const { params, query } = context
    const { code, span } = await proposalIn(context, params.index)
    const ignored = ignoredSpaces[query.whitespace] ?? 'none'
    const changes = { before: span.base, after: span.head, ignored }
    const { files } = gitValue(await changedFiles(code, changes))
    const first = Math.max(
      0,
      files.findIndex(({ path }) => path === query['skip-to']),
    )
    const page = pageFrom(files.slice(first), query)
    return { ...page, rows: page.rows.map((file) => printChangedFile(file, code, span)) }
  },
})
