import * as v from 'valibot'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'
import { moment } from '../accounts/user.shape.ts'
import { EPOCH, printTime } from '../protocol/time.ts'
import type { ListedArtifact } from './artifact-list-store.ts'

/** What a job has kept of its run. */
export const ActionArtifact = shape('ActionArtifact', {
  id: int,
  name: v.string(),
  size_in_bytes: int,
  url: v.string(),
  archive_download_url: described(v.string(), 'Leads to the content; of a set of files, as a zip archive'),
  expired: described(v.boolean(), 'Whether it may be removed at any moment'),
  workflow_run: v.object({ id: int, repository_id: int, head_sha: v.string() }),
  created_at: moment,
  updated_at: moment,
  expires_at: moment,
})
export type ActionArtifact = v.InferOutput<typeof ActionArtifact>

/** A page of artifacts. */
export const ActionArtifactsList = shape('ActionArtifactsList', {
  artifacts: v.array(ActionArtifact),
  total_count: int,
})

/** `api`: URL of the artifacts of the repository in the API. */
export function printArtifact(row: ListedArtifact, { api, now }: { api: string; now: Date }): ActionArtifact {
  const url = `${api}/${row.id}`
  return {
    id: row.id,
    name: row.name,
    size_in_bytes: row.size ?? 0,
    url,
    archive_download_url: `${url}/zip`,
    expired: Date.parse(row.expires_at) <= now.getTime(),
    workflow_run: { id: row.run_id, repository_id: row.repository_id, head_sha: row.commit_sha },
    created_at: printTime(row.created_at, EPOCH),
    updated_at: printTime(row.updated_at, EPOCH),
    expires_at: printTime(row.expires_at, EPOCH),
  }
}
