import { bearer } from '../../support/forge/make.ts'
import { each, elsewhere, type More, made, type Operation } from './operation.ts'
import { busy } from './runs.ts'

/** What a running job keeps of its run: artifacts of both protocols, and summaries. */

const byJob = (literal: string, { before, ...more }: More = {}) =>
  elsewhere('actions')(literal, {
    as: (_, { runtime }) => bearer(String(runtime)),
    before: before ? each(busy, before) : busy,
    ...more,
  })

const twirp = (method: string, more: More = {}) =>
  byJob(`POST /twirp/github.actions.results.api.v1.ArtifactService/${method}`, {
    body: (_, { run }) => ({ workflow_run_backend_id: String(run), name: 'dist', size: '5' }),
    ...more,
  })

const begin = twirp('CreateArtifact', {
  body: (_, { run }) => ({ workflow_run_backend_id: String(run), name: 'dist', version: 4 }),
})
const begun = made(begin, 'address', ({ signedUploadUrl }) => signedUploadUrl)
const upload = elsewhere('actions')(
  'PUT /twirp/github.actions.results.api.v1.ArtifactService/UploadArtifact',
  {
    before: begun,
    headers: () => ({ 'content-type': 'application/octet-stream' }),
    query: (_, { address }) => Object.fromEntries(new URL(String(address)).searchParams),
    body: () => 'bytes',
  },
)
const finalize = twirp('FinalizeArtifact', { before: made(upload) })

const files = '/api/actions_pipeline/_apis/pipelines/workflows/{run}/artifacts'
const beginFiles = byJob(`POST ${files}`, {
  body: () => ({ Type: 'actions_storage', Name: 'files', RetentionDays: 5 }),
})
const begunFiles = made(
  beginFiles,
  'key',
  ({ fileContainerResourceUrl }) => new URL(fileContainerResourceUrl).pathname.split('/').at(-2) ?? '',
)
const uploadFile = byJob(`PUT ${files}/{key}/upload`, {
  before: begunFiles,
  headers: () => ({ 'content-type': 'application/octet-stream' }),
  query: () => ({ itemPath: 'files/a.txt' }),
  body: () => 'bytes',
})

export const artifacts: readonly Operation[] = [
  begin,
  upload,
  finalize,
  twirp('DeleteArtifact', { before: made(finalize, 'kept', () => 1) }),
  beginFiles,
  uploadFile,
  byJob(`PATCH ${files}`, {
    before: made(uploadFile, 'sent', () => 1),
    query: () => ({ artifactName: 'files' }),
    body: () => ({ Size: 5 }),
  }),
  byJob('PUT /api/actions_pipeline/_apis/pipelines/workflows/{run}/jobs/{job}/steps/{step}/summary', {
    headers: () => ({ 'content-type': 'text/markdown' }),
    body: () => '# Done',
  }),
]
