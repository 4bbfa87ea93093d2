import { asMails, plainDiff } from '../../git/program/diff-options.ts'
import { isBranchName } from '../../git/program/names.ts'
import { type CommitObject, readCommitObject } from '../../git/repository/commit.ts'
import { found, unprocessable } from '../../http/route/problem.ts'
import type { Stream } from '../../http/route/results.ts'
import { type Code, type CodeContext, commitOfRevision, gitValue, openCode } from '../repos/code.ts'
import { sendText } from './git-output.ts'

/** A commit as texts that programs read. */

/** The difference from its first parent. @throws Problem 404, 422, 503 */
export const commitAsDiff = (context: CodeContext, sha: string): Promise<Stream> =>
  textOf(context, sha, (id) => [
    'diff-tree',
    '-p',
    '-r',
    '-M',
    ...plainDiff,
    '--root',
    '--no-commit-id',
    '--diff-merges=first-parent',
    id,
  ])

/** A mail that git-am(1) reads; of a merge, each commit that it brings. @throws Problem 404, 422, 503 */
export const commitAsPatch = (context: CodeContext, sha: string): Promise<Stream> =>
  textOf(context, sha, (id, { parents: [first] }) => [
    ...asMails,
    ...(first === undefined ? ['-1', id] : [`${first}..${id}`]),
  ])

async function textOf(
  context: CodeContext,
  sha: string,
  argsOf: (id: string, commit: CommitObject) => readonly string[],
): Promise<Stream> {
  const code = await openCode(context)
  const id = await commitOf(code, sha)
  const args = argsOf(id, found(gitValue(await readCommitObject(code, id))))
  return (req, res) => sendText({ req, res }, code, args)
}

/** @throws Problem 404, 422 */
export async function commitOf(code: Code, name: string): Promise<string> {
  if (name !== 'HEAD' && !isBranchName(name)) throw unprocessable(`no valid ref or sha: ${name}`)
  return found(await commitOfRevision(code, name), `commit doesn't exist: ${name}`)
}
