import { readObject } from '../../../git/repository/objects.ts'
import { closedBy } from '../../issues/closing-words.ts'
import { type Code, commitOfBranch, gitValue } from '../../repos/code.ts'
import type { PullToMerge } from './merge-store.ts'
import { defaultMessage, type MergeMessage, type MergeStyle } from './messages.ts'

/** Maximum bytes of a template. */
const maxBytes = 5 * 1024

/** The message of a merge that names none: of a template of the repository, or the usual one. @throws Problem 404, 503 */
export const messageFor = async (code: Code, style: MergeStyle, pull: PullToMerge): Promise<MergeMessage> =>
  (await templateMessage(code, style, pull)) ??
  defaultMessage(style, {
    number: pull.number,
    title: pull.title,
    headBranch: pull.head_branch,
    baseBranch: pull.base_branch,
    headRepository: pull.head_repository_id === code.row.id ? undefined : (pull.head_path ?? undefined),
  })

/**
 * The message that a file on the default branch gives to merges of a style; undefined: there is no such file. Names behind `$`
 * or in `${}` stand for facts of the pull request; unknown ones for nothing.
 * @throws Problem 404, 503
 */
async function templateMessage(
  code: Code,
  style: MergeStyle,
  pull: PullToMerge,
): Promise<MergeMessage | undefined> {
  const commit = await commitOfBranch(code, code.row.default_branch)
  if (commit === undefined) return undefined
  const file = `.gitea/default_merge_message/${style.toUpperCase()}_TEMPLATE.md`
  const read = gitValue(await readObject(code, `${commit}:${file}`, maxBytes))
  if (read?.type !== 'blob' || read.size > maxBytes) return undefined
  const values = valuesOf(code, pull)
  const text = read.content
    .toString('utf8')
    .replace(/\$(?:\{(\w{1,64})\}|(\w{1,64}))/g, (_, braced, bare) => values.get(braced ?? bare) ?? '')
  const [title = '', ...rest] = text.trim().split('\n')
  return title === '' ? undefined : { title, body: rest.join('\n') }
}

function valuesOf(code: Code, pull: PullToMerge): ReadonlyMap<string, string> {
  const [baseOwner = '', baseName = ''] = code.path.split('/')
  const [headOwner = '', headName = ''] = (pull.head_path ?? '').split('/')
  const closing = closedBy([pull.title, pull.body], code.path)
  return new Map([
    ['BaseRepoOwnerName', baseOwner],
    ['BaseRepoName', baseName],
    ['BaseBranch', pull.base_branch],
    ['HeadRepoOwnerName', headOwner],
    ['HeadRepoName', headName],
    ['HeadBranch', pull.head_branch],
    ['PullRequestTitle', pull.title],
    ['PullRequestDescription', pull.body],
    ['PullRequestPosterName', pull.poster_name ?? ''],
    ['PullRequestIndex', String(pull.number)],
    ['PullRequestReference', `#${pull.number}`],
    ['ClosingIssues', closing.map((number) => `close #${number}`).join(', ')],
  ])
}
