import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'

/** A workflow of a repository: a file of its default branch. */
export const ActionWorkflow = shape('ActionWorkflow', {
  id: described(v.string(), 'Path below the folder of workflows, such as `build.yml`'),
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

/** The started run. */
export const RunDetails = shape('RunDetails', {
  workflow_run_id: int,
  run_url: v.string(),
  html_url: v.string(),
})
