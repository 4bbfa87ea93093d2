import { createHash, randomUUID } from 'node:crypto'
import type * as v from 'valibot'
import { badRequest, conflict, found, notFound, unprocessable } from '../../http/route/problem.ts'
import { json, streamed } from '../../http/route/sends.ts'
import { queryText } from '../protocol/query.ts'
import { type ForgeContext, route } from '../route.ts'
import { requireSameRun, runningJob, signedDownload, signedUpload, type Uploading } from './access.ts'
import { downloadAddress, uploadAddress } from './address.ts'
import {
  artifactById,
  artifactsOfRun,
  beginArtifact,
  completeArtifact,
  deleteArtifact,
  deleteParts,
  isTaken,
  lockUnfinished,
  orderBlocks,
  partsOf,
  type RunningTask,
  type StoredPart,
  unfinished,
} from './artifact-store.ts'
import { artifactContent, chunksOf, sizeOf } from './download.ts'
import { expiryOf, receivePart, receiveSmall, requireRoomForArtifact } from './parts.ts'
import {
  CreateArtifactOption,
  FinalizeArtifactOption,
  ListArtifactsOption,
  NamedArtifactOption,
} from './results.option.ts'
import {
  ChangedArtifact,
  CreatedArtifact,
  ListedArtifacts,
  printListed,
  SignedAddress,
} from './results.shape.ts'

/**
 * The calls of the public actions `upload-artifact` and `download-artifact` v4 (`ArtifactService`). A job creates an
 * artifact, sends its content in blocks to a signed address, names their order, and finalizes it.
 */

/** Of a body that is no message of the call. */
const unreadable = 'the request is not understood'

const taken = 'an artifact of this name exists in this attempt of the run'

export const createArtifact = route('POST /CreateArtifact', {
  summary: 'Begin an artifact; the reply has the address for its content',
  access: runningJob(),
  body: CreateArtifactOption,
  invalid: unreadable,
  fails: [404, 409],
  returns: json(200, CreatedArtifact),
  handler: async (context) => {
    const { caller, body, begin, tools, now, from, sql } = context
    requireSameRun(caller, body.workflow_run_backend_id)
    await requireRoomForArtifact(context, body.name)
    if (await isTaken(sql, caller, body.name)) throw conflict(taken)
    const expiresAt = expiryOf(context, body.expires_at === undefined ? undefined : new Date(body.expires_at))
    const draft = { name: body.name, mediaType: body.mime_type ?? 'application/zip', expiresAt }
    const artifact = await begin((tx) => beginArtifact(tx, caller, draft))
    const addressed = { artifact, task: caller.id, run: caller.run_id }
    const { secrets } = tools
    return {
      ok: true,
      signedUploadUrl: uploadAddress(addressed, { secrets, host: from.host, now }),
    }
  },
})

/** Bytes of a list of blocks: the longest list has 10,000 ids of at most 64 bytes. */
const maxList = 2 * 1024 * 1024

export const uploadArtifact = route('PUT /UploadArtifact', {
  summary:
    'Send a block of an artifact (`comp=block`), the order of its blocks (`comp=blocklist`), or its whole content',
  access: signedUpload(),
  query: { comp: queryText, blockid: queryText },
  fails: [400, 404, 408, 413, 503, 507],
  returns: streamed(201),
  handler: (context) => async (req, res) => {
    const { comp, blockid } = context.query
    if (comp.toLowerCase() === 'blocklist') await order(context, await receiveSmall({ req, res }, maxList))
    else await receivePart(context, { req, res }, partOf(comp, blockid), (tx) => lockedFor(tx, context, comp))
    res.writeHead(201, { 'Content-Length': 0 }).end()
  },
})

/** @throws Problem 400 */
function partOf(comp: string, block: string) {
  if (!['', 'block', 'appendblock'].includes(comp.toLowerCase())) throw badRequest('comp is unknown')
  if (block.length > 64) throw badRequest('the id of a block has at most 64 characters')
  if (comp === '') return { path: '', block: '', position: 0 }
  // Without an id, blocks are appended in the order in which they arrive.
  if (block === '') return { path: '', block: `appended ${randomUUID()}`, position: 'last' as const }
  return { path: '', block, position: undefined }
}

type UploadContext = ForgeContext<Uploading, { query: { comp: string } }>
type Tx = Parameters<typeof lockUnfinished>[0]

/** @throws Problem 404 the artifact is complete or was removed */
async function lockedFor(tx: Tx, { caller }: UploadContext, comp: string): Promise<number> {
  const { id } = found(
    await lockUnfinished(tx, caller, { id: caller.artifact }),
    'the artifact takes no content',
  )
  if (comp === '') await deleteParts(tx, id)
  return id
}

/** @throws Problem 400 the list names a block that was not sent */
async function order(context: UploadContext, xml: Buffer): Promise<void> {
  const blocks = [...xml.toString().matchAll(/<(Latest|Uncommitted|Committed)>([^<]*)<\/\1>/g)].map(
    ([, , id = '']) => id,
  )
  if (new Set(blocks).size < blocks.length) throw badRequest('the list names a block twice')
  await context.begin(async (tx) => {
    const artifact = await lockedFor(tx, context, 'blocklist')
    if ((await orderBlocks(tx, artifact, blocks)) < blocks.length)
      throw badRequest('the list names a block that was not sent')
  })
}

export const finalizeArtifact = route('POST /FinalizeArtifact', {
  summary: 'Complete an artifact whose content has been sent',
  access: runningJob(),
  body: FinalizeArtifactOption,
  invalid: unreadable,
  conflicts: { action_artifact_name_unique: [409, taken] },
  fails: [404, 422],
  // Reading a large content again takes seconds, in which it holds no place in the queue of the database.
  returns: streamed(200, ChangedArtifact),
  handler: (context) => async (_, res) => {
    const id = await finalized(context)
    const bytes = JSON.stringify({ ok: true, artifactId: String(id) })
    res
      .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(bytes) })
      .end(bytes)
  },
})

type FinalizeContext = ForgeContext<RunningTask, { body: v.InferOutput<typeof FinalizeArtifactOption> }>

/** @throws Problem 404, 422 other bytes are there than the job says */
async function finalized({ caller, body, begin, sql, tools, from }: FinalizeContext): Promise<number> {
  requireSameRun(caller, body.workflow_run_backend_id)
  const unknown = 'there is no unfinished artifact of this name'
  const before = found(await unfinished(sql, caller, body.name), unknown)
  const sha256 = body.hash?.slice('sha256:'.length) ?? null
  const parts = await partsOf(sql, before)
  if (sha256 !== null && (await digestOf(tools.blobs.forRequest(from.id), parts)) !== sha256)
    throw unprocessable('the content has another checksum')
  return begin(async (tx) => {
    const { id } = found(await lockUnfinished(tx, caller, { name: body.name }), unknown)
    const now = await partsOf(tx, id)
    const isSame = id === before && JSON.stringify(now) === JSON.stringify(parts)
    const size = sizeOf(parts)
    if (!isSame || size !== body.size) throw unprocessable(`the content has ${size} bytes, not ${body.size}`)
    return (await completeArtifact(tx, id, { size, sha256 })).id
  })
}

async function digestOf(
  blobs: Parameters<typeof chunksOf>[0],
  parts: readonly StoredPart[],
): Promise<string> {
  const [first, ...others] = parts
  if (first && others.length === 0) return first.sha256
  const hash = createHash('sha256')
  for await (const chunk of chunksOf(blobs, parts, undefined, { isTrusted: true })) hash.update(chunk)
  return hash.digest('hex')
}

export const listArtifacts = route('POST /ListArtifacts', {
  summary: 'The complete artifacts of the run of a job; of several attempts, the newest of each name',
  access: runningJob(),
  body: ListArtifactsOption,
  invalid: unreadable,
  fails: [404],
  returns: json(200, ListedArtifacts),
  handler: async ({ caller, body, sql }) => {
    requireSameRun(caller, body.workflow_run_backend_id)
    const rows = await artifactsOfRun(sql, caller.run_id, body.name_filter)
    const listed = rows.filter(
      ({ id, media_type }) => media_type !== null && [id, undefined].includes(body.id_filter),
    )
    return { artifacts: listed.map((row) => printListed(row, caller.job_id)) }
  },
})

export const getSignedArtifactUrl = route('POST /GetSignedArtifactURL', {
  summary: 'An address from which an artifact of the run can be downloaded for ten minutes',
  access: runningJob(),
  body: NamedArtifactOption,
  invalid: unreadable,
  fails: [404],
  returns: json(200, SignedAddress),
  handler: async ({ caller, body, sql, tools: { secrets }, from: { host }, now }) => {
    requireSameRun(caller, body.workflow_run_backend_id)
    const [row] = await artifactsOfRun(sql, caller.run_id, body.name)
    const { id } = found(row, 'there is no artifact of this name')
    return { signedUrl: downloadAddress(id, { secrets, host, now }) }
  },
})

export const removeArtifact = route('POST /DeleteArtifact', {
  summary: 'Delete an artifact of the run',
  access: runningJob(),
  body: NamedArtifactOption,
  invalid: unreadable,
  fails: [404],
  returns: json(200, ChangedArtifact),
  handler: async ({ caller, body, begin }) => {
    requireSameRun(caller, body.workflow_run_backend_id)
    return begin(async (tx) => {
      const [row] = await artifactsOfRun(tx, caller.run_id, body.name)
      const { id } = found(row, 'there is no artifact of this name')
      if (!(await deleteArtifact(tx, id))) throw notFound('there is no artifact of this name')
      return { ok: true, artifactId: String(id) }
    })
  },
})

export const downloadArtifactContent = route('GET /DownloadArtifact', {
  summary: 'The content of an artifact, or the part of it that Range asks for',
  access: signedDownload(),
  fails: [404, 503],
  also: [206, 304, 416],
  returns: streamed(200),
  handler: async (context) =>
    artifactContent(context, found(await artifactById(context.sql, context.caller.artifact))),
})
