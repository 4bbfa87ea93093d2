import * as v from 'valibot'
import { RunDetails } from '../../forge/actions/workflow.shape.ts'
import { ActionsDispatchWorkflow } from '../../forge/actions/workflows.ts'
import { queryText } from '../../forge/protocol/query.ts'
import { actionsWritten, type SignedInOnRepository } from '../../forge/repos/access.ts'
import { textAs } from '../../http/route/sends.ts'
import type { Fields } from '../form.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { htmlType } from '../profile.ts'
import { route } from '../route.ts'
import { orSignIn } from '../session/session.ts'
import { inputPrefix, startPage } from './start-page.ts'

export const getStartPage = route('GET /{owner}/{repo}/actions/start/{workflow_id}', {
  summary: 'The form that starts a workflow, with the inputs that it declares at a branch or tag',
  access: orSignIn(actionsWritten()),
  query: { ref: queryText },
  fails: [404, 503],
  returns: textAs(200, htmlType),
  handler: ({ params, query, ...context }) => startPage(context, params.workflow_id, { values: query }),
})

export const startByPage = route('POST /{owner}/{repo}/actions/start/{workflow_id}', {
  ...operationForm(actionsWritten()),
  summary: 'Start a workflow that has `workflow_dispatch`',
  fails: [404, 503],
  handler: ({ caller: sender, params, body, ...context }) =>
    replyToForm(sender, body, {
      ask: (caller) => askedOf(caller, params.workflow_id, body),
      again: (caller, refusal) =>
        startPage({ ...context, caller }, params.workflow_id, { values: body, refusal }),
    }),
})

/** One start, which leads to its run. */
function askedOf({ repo }: SignedInOnRepository, file: string, fields: Fields): Asked {
  const { owner, name } = repo
  const params = { owner: owner.name, repo: name, workflow_id: file }
  const inputs = Object.entries(fields).flatMap(([field, value]) =>
    field.startsWith(inputPrefix) ? [[field.slice(inputPrefix.length), value] as const] : [],
  )
  const body = { ref: fields.ref ?? '', inputs: Object.fromEntries(inputs) }
  return {
    calls: [[ActionsDispatchWorkflow, { params, query: { return_run_details: 'true' }, body }]],
    isAtomic: true,
    leadsTo: ([run]) => `${owner.name}/${name}/actions/runs/${v.parse(RunDetails, run).workflow_run_id}`,
    blame: { ref: /\bref\b/i },
  }
}
