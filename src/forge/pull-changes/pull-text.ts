import * as v from 'valibot'
import { asMails, plainDiff } from '../../git/program/diff-options.ts'
import type { Stream } from '../../http/route/results.ts'
import { streamed } from '../../http/route/sends.ts'
import { sendText } from '../code/git-output.ts'
import { queryFlag } from '../protocol/query.ts'
import { proposalIn } from '../pulls/proposal.ts'
import type { CodeContext } from '../repos/code.ts'

/** A pull request as texts that programs read. */

/** The declaration of their operations and pages. */
export const sendsPullText = {
  query: { binary: queryFlag },
  fails: [404],
  returns: streamed(200, v.string(), 'text/plain; charset=utf-8'),
} as const

/** `binary`: with the contents of files that are no texts. */
interface Sought {
  params: { index: string }
  query: { binary: boolean }
}

const contentsIn = ({ binary }: Sought['query']) => (binary ? ['--binary'] : [])

/** The difference that it makes. @throws Problem 404, 503 */
export async function pullAsDiff(context: CodeContext, { params, query }: Sought): Promise<Stream> {
  const { code, span } = await proposalIn(context, params.index)
  const args = ['diff', '-M', ...plainDiff, ...contentsIn(query), span.base, span.head]
  return (req, res) => sendText({ req, res }, code, args)
}

/** Its commits as mails that git-am(1) reads. @throws Problem 404, 503 */
export async function pullAsPatch(context: CodeContext, { params, query }: Sought): Promise<Stream> {
  const { code, span } = await proposalIn(context, params.index)
  const output = [...asMails, ...contentsIn(query)]
  return (req, res) => sendText({ req, res }, code, [...output, `${span.base}..${span.head}`])
}
