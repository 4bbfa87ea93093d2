import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'
import { option, optionalMap, text } from '../protocol/fields.ts'
import { required } from '../protocol/rules.ts'
import { moment } from '../users/user.shape.ts'

/** A workflow of a repository: a file of its default branch. */
export const ActionWorkflow = shape('ActionWorkflow', {
  /** Path below the workflow folder. */
  id: v.string(),
  name: v.string(),
  path: v.string(),
  state: v.picklist(['active', 'disabled_manually']),
  created_at: moment,
  updated_at: moment,
  url: v.string(),
  html_url: v.string(),
  badge_url: v.string(),
})
export type ActionWorkflow = v.InferOutput<typeof ActionWorkflow>

/** All workflows of a repository. */
export const ActionWorkflowList = shape('ActionWorkflowList', {
  workflows: v.array(ActionWorkflow),
  total_count: int,
})

/** The start of a workflow. Values of inputs are strings. */
export const CreateActionWorkflowDispatch = option('CreateActionWorkflowDispatch', {
  ref: text(required),
  inputs: optionalMap(),
})

/** The started run. */
export const RunDetails = shape('RunDetails', {
  workflow_run_id: int,
  run_url: v.string(),
  html_url: v.string(),
})
