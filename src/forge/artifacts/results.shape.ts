import * as v from 'valibot'
import type { StoredArtifact } from './artifact-store.ts'

/** Replies to the public artifact actions, v4, in the JSON form of Protocol Buffers: integers of 64 bits are texts. */

export const CreatedArtifact = v.object({ ok: v.boolean(), signedUploadUrl: v.string() })
export const ChangedArtifact = v.object({ ok: v.boolean(), artifactId: v.string() })
export const SignedAddress = v.object({ signedUrl: v.string() })

const MonolithArtifact = v.object({
  workflowRunBackendId: v.string(),
  workflowJobRunBackendId: v.string(),
  databaseId: v.string(),
  name: v.string(),
  size: v.string(),
  createdAt: v.string(),
  digest: v.optional(v.string()),
})
export const ListedArtifacts = v.object({ artifacts: v.array(MonolithArtifact) })

export const printListed = (row: StoredArtifact, job: number) => ({
  workflowRunBackendId: String(row.run_id),
  workflowJobRunBackendId: String(job),
  databaseId: String(row.id),
  name: row.name,
  size: String(row.size),
  createdAt: row.created_at,
  ...(row.sha256 !== null && { digest: `sha256:${row.sha256}` }),
})
