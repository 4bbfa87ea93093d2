import { escapeSegments } from '../../forge/protocol/escape-segments.ts'
import { codeSeen } from '../../forge/repos/access.ts'
import { type Code, gitValue, openCode } from '../../forge/repos/code.ts'
import { isZeroId } from '../../git/program/names.ts'
import { readPush } from '../../git/repository/history.ts'
import { commitOfId, divideRefPath } from '../../git/repository/revisions.ts'
import { notFound } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { counted, html } from '../html.ts'
import { pageReply } from '../profile.ts'
import { repositoryPage } from '../repositories/repository-page.ts'
import { route } from '../route.ts'
import { commitList } from './commit-list.ts'
import { diffSections } from './diff.ts'
import { differenceQuery, readDifference } from './difference.ts'

/** How many commits the page lists, and counts. */
const maximum = { commits: 50, count: 10_000 }

export const getComparePage = route('GET /{owner}/{repo}/compare/{span...}', {
  summary: 'Comparison of two commits, branches or tags (`before...after`), as a page',
  access: codeSeen(),
  query: differenceQuery,
  ...pageReply,
  also: [303],
  handler: async ({ params, query, ...context }) => {
    const { host } = context.from
    const code = await openCode(context)
    // No name contains two dots.
    const [base = '', ...rest] = params.span.split('..')
    const tip = rest.join('..').replace(/^\./, '')
    // What events of a new branch name: there is nothing to compare it with.
    if (isZeroId(base)) {
      const all = `${code.home}/commits/commit/${await commitNamed(code, tip)}`
      return new ReplyWith('', { status: 303, headers: { Location: all } })
    }
    const [before, after] = [await commitNamed(code, base), await commitNamed(code, tip)]
    const span = { before, after, maxCommits: maximum.commits, count: maximum.count }
    const [push, diff] = await Promise.all([
      readPush(code, span).then(gitValue),
      readDifference(code, { before, after }, query),
    ])
    const link = (id: string) => html`<a href="${code.home}/commit/${id}"><code>${id.slice(0, 10)}</code></a>`
    const main = html`<h2>From ${link(before)} to ${link(after)}: ${counted(push.total, 'commit')}</h2>
<div class="column">${commitList(code, push.commits)}
${diffSections(diff, { address: `${code.home}/compare/${escapeSegments(params.span)}`, query, source: `${code.home}/src/commit/${after}` })}</div>`
    return repositoryPage({ ...context, host, title: params.span, main })
  },
})

/** A commit by its id, a branch or a tag, in this order. @throws Problem 404, 503 */
async function commitNamed(code: Code, name: string): Promise<string> {
  const byId = gitValue(await commitOfId(code, name))
  if (byId !== undefined) return byId
  for (const kind of ['heads', 'tags'] as const) {
    const place = gitValue(await divideRefPath(code, kind, name))
    if (place && place.path === '') return place.commit
  }
  throw notFound()
}
