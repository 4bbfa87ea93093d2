import { approve, cancelRun, startRerun } from '../../forge/actions/run-changes.ts'
import { actionsWritten, type SignedInOnRepository } from '../../forge/repos/access.ts'
import type { ForgeContext } from '../../forge/route.ts'
import { Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { textAs } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { htmlType } from '../profile.ts'
import { type PageTools, route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { runPage } from './run-page.ts'

/** Forms of the page of a run: they lead back to it, or show it with the reason why nothing was done (409). */
const onRun = {
  access: orSignIn(actionsWritten()),
  params: { run: id },
  fails: [404],
  returns: textAs(303, htmlType),
  also: [409],
} as const

export const cancelRunByPage = route('POST /{owner}/{repo}/actions/runs/{run}/cancel', {
  ...onRun,
  summary: 'Cancel a run',
  handler: (context) => outcomeOf(context, 'cancel', () => cancelRun(context, context.params.run)),
})

export const approveRunByPage = route('POST /{owner}/{repo}/actions/runs/{run}/approve', {
  ...onRun,
  summary: 'Let a run start that a pull request from a fork has caused',
  handler: (context) => outcomeOf(context, 'approve', () => approve(context, context.params.run)),
})

export const rerunByPage = route('POST /{owner}/{repo}/actions/runs/{run}/rerun', {
  ...onRun,
  summary: 'Re-run all jobs of a run',
  handler: (context) => outcomeOf(context, 'rerun', () => startRerun(context, context.params.run, 'all')),
})

export const rerunFailedByPage = route('POST /{owner}/{repo}/actions/runs/{run}/rerun-failed-jobs', {
  ...onRun,
  summary: 'Run the failed jobs of a run again, and those that need them',
  handler: (context) =>
    outcomeOf(context, 'rerun-failed-jobs', () => startRerun(context, context.params.run, 'failed')),
})

type Context = ForgeContext<SignedInOnRepository, { params: { run: number } }> & { tools: PageTools }

/** @throws Problem 404 */
async function outcomeOf(
  context: Context,
  done: string,
  act: () => Promise<unknown>,
): Promise<ReplyWith<string>> {
  const { caller, from, params } = context
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Problem) || (error.status !== 400 && error.status !== 409)) throw error
    const refusal = `Nothing was done: ${error.message}.`
    return new ReplyWith(await runPage(context, params.run, { refusal }), { status: 409 })
  }
  const { owner, name } = caller.repo
  const Location = `${from.host}${owner.name}/${name}/actions/runs/${params.run}?done=${done}`
  return new ReplyWith('', { status: 303, headers: { Location } })
}
