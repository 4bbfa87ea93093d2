import { plainDiff } from '../../git/program/diff-options.ts'
import { objectsNamed } from '../../git/repository/objects.ts'
import { badRequest, found, notFound } from '../../http/route/problem.ts'
import { jsonOrStream } from '../../http/route/sends.ts'
import { queryWord } from '../protocol/query.ts'
import { codeSeen } from '../repos/access.ts'
import { type Code, commitNamed, gitValue, openCode } from '../repos/code.ts'
import { route } from '../route.ts'
import { Compare, maxCompared } from './commit.shape.ts'
import { commitCount, partsOf, partsQuery, printedCommits } from './commit-list.ts'
import { sendText } from './git-output.ts'

/** Differences between two commits. */

export const repoCompareDiff = route('GET /repos/{owner}/{repo}/compare/{basehead...}', {
  summary:
    'Compare two branches, tags or commits: the commits that only the second has, or the difference as text',
  access: codeSeen(),
  query: { output: queryWord('diff', 'patch'), ...partsQuery },
  fails: [400, 404],
  returns: jsonOrStream(200, Compare),
  handler: async (context) => {
    const { params, query } = context
    const { output } = query
    const code = await openCode(context)
    const { base, head, dots } = await spanOf(code, params.basehead)
    const selection = { tip: head, not: base }
    const total = await commitCount(code, selection)
    // The histories have no commit in common.
    const isUnrelated = total === (await commitCount(code, { tip: head }))
    const isEmpty = isUnrelated && dots === '...'
    if (output !== '') {
      if (isEmpty) throw notFound('there is no common history')
      return (req, res) => sendText({ req, res }, code, textArgs(output, `${base}${dots}${head}`))
    }
    if (isEmpty) return { total_commits: 0, commits: [] }
    const listing = { skip: 0, maxCommits: maxCompared, parts: partsOf(query) }
    return { total_commits: total, commits: await printedCommits(context, code, selection, listing) }
  },
})

const textArgs = (output: 'diff' | 'patch', span: string) =>
  output === 'diff'
    ? ['diff', '-M', ...plainDiff, span]
    : ['format-patch', '--no-signature', '--stdout', ...plainDiff, span.replace('...', '..')]

/** @throws Problem 400, 404 */
async function spanOf(code: Code, text: string) {
  const dots = text.includes('...') ? '...' : '..'
  const at = text.indexOf(dots)
  const [base, head] =
    at < 0 ? [code.row.default_branch, text] : [text.slice(0, at), text.slice(at + dots.length)]
  return {
    base: await commitAt(code, base),
    head: await commitAt(code, withoutRepository(code, head)),
    dots: at < 0 ? '...' : dots,
  } as const
}

/**
 * The branch in `owner:branch` and `owner/repo:branch`, which can only name this repository: there are no forks.
 * @throws Problem 404
 */
function withoutRepository({ path }: Code, head: string): string {
  const colon = head.indexOf(':')
  if (colon < 0) return head
  const [owner = ''] = path.split('/')
  const prefix = head.slice(0, colon).toLowerCase()
  if (prefix !== owner.toLowerCase() && prefix !== path.toLowerCase()) throw notFound()
  return head.slice(colon + 1)
}

/** The commit of a name that may end in steps to ancestors, `^` and `~2`. @throws Problem 400, 404 */
async function commitAt(code: Code, text: string): Promise<string> {
  const mark = text.search(/[~^]/)
  const [name, steps] = mark < 0 ? [text, ''] : [text.slice(0, mark), text.slice(mark)]
  if (!/^(?:\^|~\d{0,9})*$/.test(steps) || steps.length > maxSteps)
    throw badRequest(`unsupported ref suffix "${steps}"`)
  const missing = `ref "${text}" does not exist`
  const start = found(await commitNamed(code, name), missing)
  if (steps === '') return start
  const [commit] = gitValue(await objectsNamed(code, [`${start}${steps}^{commit}`]))
  return found(commit, missing).id
}

/** Maximum characters of steps. */
const maxSteps = 100
