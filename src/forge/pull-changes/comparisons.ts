import { asMails, plainDiff } from '../../git/program/diff-options.ts'
import { withObjectsOf } from '../../git/repository/merging/shared-objects.ts'
import { objectsNamed } from '../../git/repository/objects.ts'
import { badRequest, found, notFound } from '../../http/route/problem.ts'
import { jsonOrStream } from '../../http/route/sends.ts'
import { Compare, maxCompared } from '../code/commit.shape.ts'
import { commitCount, partsOf, partsQuery, printedCommits } from '../code/commit-list.ts'
import { sendText } from '../code/git-output.ts'
import { queryWord } from '../protocol/query.ts'
import { headRepository } from '../pulls/heads.ts'
import { codeSeen } from '../repos/access.ts'
import { type Code, type CodeContext, commitNamed, gitValue, openCode, openOther } from '../repos/code.ts'
import { route } from '../route.ts'

/** Differences between two commits. */

export const repoCompareDiff = route('GET /repos/{owner}/{repo}/compare/{basehead...}', {
  summary:
    'Compare two branches, tags or commits, the second also of a fork: the commits that only it has, or the difference as text',
  access: codeSeen(),
  query: { output: queryWord('diff', 'patch'), ...partsQuery },
  fails: [400, 404],
  returns: jsonOrStream(200, Compare),
  handler: async (context) => {
    const { params, query } = context
    const { output } = query
    const { code, base, head, dots } = await spanOf(context, params.basehead)
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
  output === 'diff' ? ['diff', '-M', ...plainDiff, span] : [...asMails, span.replace('...', '..')]

/** Two commits, and code that has both. @throws Problem 400, 404 */
async function spanOf(context: CodeContext, text: string) {
  const code = await openCode(context)
  const dots = text.includes('...') ? '...' : '..'
  const at = text.indexOf(dots)
  const [base, head] =
    at < 0 ? [code.row.default_branch, text] : [text.slice(0, at), text.slice(at + dots.length)]
  const proposed = await headOf(context, code, head)
  return {
    code: proposed.code === code ? code : withBoth(proposed.code, code),
    base: await commitAt(code, base),
    head: await commitAt(proposed.code, proposed.name),
    dots: at < 0 ? '...' : dots,
  } as const
}

/** The code that has a head, and its name there: `branch`, `owner:branch` or `owner/repo:branch`. @throws Problem 404 */
async function headOf(context: CodeContext, code: Code, head: string): Promise<{ code: Code; name: string }> {
  const { row, owner, branch } = await headRepository(context, code.row, head)
  return { code: row.id === code.row.id ? code : openOther(context, row, owner), name: branch }
}

/** The code of a fork that also finds the commits of another repository; what it answers is not kept. */
function withBoth(fork: Code, other: Code): Code {
  const { identity: _, version: __, ...known } = fork
  return { ...known, ...withObjectsOf(fork, other) }
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
