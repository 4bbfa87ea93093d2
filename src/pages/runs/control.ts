import {
  approveWorkflowRun,
  cancelWorkflowRun,
  deleteActionRun,
  rerunFailedWorkflowRun,
  rerunWorkflowJob,
  rerunWorkflowRun,
} from '../../forge/actions/run-control.ts'
import { deleteActionArtifact } from '../../forge/artifacts/artifacts.ts'
import { actionsWritten, type SignedInOnRepository } from '../../forge/repos/access.ts'
import { id } from '../../http/route/values.ts'
import { type Fields, unknownAction } from '../form.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { route } from '../route.ts'
import { runPage } from './run-page.ts'

export const changeRunByPage = route('POST /{owner}/{repo}/actions/runs/{run}', {
  ...operationForm(actionsWritten()),
  summary: 'Approve, cancel, re-run or delete a run, re-run a job of it, or delete an artifact',
  params: { run: id },
  fails: [400, 404],
  handler: ({ caller: sender, params, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOf(caller, params.run, body),
      again: (caller, refusal) => runPage({ ...context, caller }, params.run, { refusal }),
    }),
})

const actions = {
  approve: approveWorkflowRun,
  cancel: cancelWorkflowRun,
  rerun: rerunWorkflowRun,
  'rerun-failed-jobs': rerunFailedWorkflowRun,
  'rerun-job': rerunWorkflowJob,
  delete: deleteActionRun,
  'delete-artifact': deleteActionArtifact,
} as const

/** @throws Problem 400 an unknown action */
function askedOf({ repo }: SignedInOnRepository, run: number, fields: Fields): Asked {
  const { action = '', job = '', artifact = '' } = fields
  const [, operation] = Object.entries(actions).find(([name]) => name === action) ?? []
  if (!operation) throw unknownAction()
  const [owner, name] = [repo.owner.name, repo.name]
  const list = `${owner}/${name}/actions`
  const params = { owner, repo: name, run, job_id: job, artifact_id: artifact }
  return {
    calls: [[operation, { params }]],
    leadsTo: action === 'delete' ? list : `${list}/runs/${run}?done=${action}`,
  }
}
