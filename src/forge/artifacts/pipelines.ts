import { createHash } from 'node:crypto'
import { badRequest, conflict, found, notFound } from '../../http/route/problem.ts'
import { json, streamed } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { headerOf } from '../../http/server/header.ts'
import { queryText } from '../protocol/query.ts'
import { type ForgeContext, route } from '../route.ts'
import { requireSameRun, runningJob } from './access.ts'
import {
  artifactsOfRun,
  brokenFile,
  completeArtifact,
  filesNamed,
  lockFiles,
  partsOf,
  type RunningTask,
} from './artifact-store.ts'
import { partsOfFile, sendParts, sizeOf } from './download.ts'
import { expiryOf, isFileName, receivePart, requireRoomForArtifact } from './parts.ts'
import { CreateFileArtifactOption } from './pipelines.option.ts'
import { ArtifactFiles, CreatedFileArtifact, FileArtifacts, Received } from './pipelines.shape.ts'

/**
 * The calls of the public actions `upload-artifact` and `download-artifact` v3: an artifact is a set of files, each of
 * which is sent in pieces, compressed or not. Jobs of a run may add files to one artifact.
 */

/** What stands for the name of an artifact in addresses. */
const keyOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 32)

const addressOf = ({ from }: ForgeContext<RunningTask>, run: string, path: string) =>
  `${from.host}api/actions_pipeline/_apis/pipelines/workflows/${run}/artifacts/${path}`

export const createFileArtifact = route('POST /_apis/pipelines/workflows/{run}/artifacts', {
  summary: 'Begin an artifact with files; the reply has the address for them',
  access: runningJob(),
  body: CreateFileArtifactOption,
  invalid: 'the request is not understood',
  fails: [404, 409],
  returns: json(200, CreatedFileArtifact),
  handler: async (context) => {
    const { caller, params, body, begin, now } = context
    requireSameRun(caller, params.run)
    await requireRoomForArtifact(context, body.Name)
    const days = body.RetentionDays ?? 0
    const expiresAt = expiryOf(context, days > 0 ? new Date(now.getTime() + days * 86_400_000) : undefined)
    const artifact = await begin((tx) =>
      filesNamed(tx, caller, { name: body.Name, mediaType: null, expiresAt }),
    )
    if (artifact === 0) throw conflict('an artifact of this name with another form exists in this run')
    return { fileContainerResourceUrl: addressOf(context, params.run, `${keyOf(body.Name)}/upload`) }
  },
})

export const uploadArtifactFile = route('PUT /_apis/pipelines/workflows/{run}/artifacts/{key}/upload', {
  summary: 'Send a file of an artifact, or a piece of it that Content-Range names',
  access: runningJob(),
  query: { itemPath: queryText },
  packed: true,
  fails: [400, 404, 408, 413, 503, 507],
  returns: streamed(200, Received),
  handler: (context) => {
    requireSameRun(context.caller, context.params.run)
    return async (req, res) => {
      const { name, path } = placeOf(context.query.itemPath)
      const encoding = headerOf(req, 'content-encoding') ?? ''
      if (!['', 'identity', 'gzip'].includes(encoding))
        throw badRequest('the encoding of the content is unknown')
      const { first, of } = pieceOf(headerOf(req, 'content-range'), Number(headerOf(req, 'content-length')))
      const part = {
        path,
        block: String(first),
        position: first,
        fileSize: of,
        isGzipped: encoding === 'gzip',
      }
      await receivePart(context, { req, res }, part, async (tx) => {
        const artifact = await lockFiles(tx, context.caller, name)
        return found(artifact, 'there is no artifact of this name').id
      })
      const bytes = JSON.stringify({ message: 'success' })
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length }).end(bytes)
    }
  },
})

/** The artifact and the file that a path names. @throws Problem 400 */
function placeOf(itemPath: string): { name: string; path: string } {
  const [name = '', ...names] = itemPath.replaceAll('\\', '/').split('/')
  const path = names.join('/')
  if (![name, ...names].every(isFileName) || path === '' || path.length > 4096)
    throw badRequest('the path is invalid')
  return { name, path }
}

/** Where a piece begins, and how long its file is as it is sent. @throws Problem 400 */
function pieceOf(range: string | undefined, length: number): { first: number; of: number } {
  if (range === undefined) return { first: 0, of: length }
  const [, first, last, of] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(range) ?? []
  const piece = { first: Number(first), of: Number(of) }
  if (first === undefined || (length > 0 && Number(last) - piece.first + 1 !== length))
    throw badRequest('Content-Range does not fit the content')
  return piece
}

export const completeFileArtifact = route('PATCH /_apis/pipelines/workflows/{run}/artifacts', {
  summary: 'Complete an artifact whose files have been sent',
  access: runningJob(),
  query: { artifactName: queryText },
  fails: [400, 404],
  returns: json(200, Received),
  handler: ({ caller, params, query, begin }) => {
    requireSameRun(caller, params.run)
    return begin(async (tx) => {
      const { id } = found(
        await lockFiles(tx, caller, query.artifactName),
        'there is no artifact of this name',
      )
      const broken = await brokenFile(tx, id)
      if (broken) throw badRequest(`pieces of the file ${broken.path} are missing`)
      await completeArtifact(tx, id, { size: sizeOf(await partsOf(tx, id)), sha256: null })
      return { message: 'success' }
    })
  },
})

export const listFileArtifacts = route('GET /_apis/pipelines/workflows/{run}/artifacts', {
  summary: 'The artifacts with files of the run of a job',
  access: runningJob(),
  fails: [404],
  returns: json(200, FileArtifacts),
  handler: async (context) => {
    const { caller, params, sql } = context
    requireSameRun(caller, params.run)
    const rows = (await artifactsOfRun(sql, caller.run_id)).filter(({ media_type }) => media_type === null)
    const value = rows.map(({ name }) => ({
      name,
      fileContainerResourceUrl: addressOf(context, params.run, `${keyOf(name)}/download_url`),
    }))
    return { count: value.length, value }
  },
})

export const listArtifactFiles = route('GET /_apis/pipelines/workflows/{run}/artifacts/{key}/download_url', {
  summary: 'The files of an artifact, with the addresses of their contents',
  access: runningJob(),
  fails: [404],
  returns: json(200, ArtifactFiles),
  handler: async (context) => {
    const { caller, params, sql } = context
    requireSameRun(caller, params.run)
    const rows = await artifactsOfRun(sql, caller.run_id)
    const artifact = found(
      rows.find(({ name, media_type }) => media_type === null && keyOf(name) === params.key),
    )
    const paths = new Set((await partsOf(sql, artifact.id)).map(({ path }) => path))
    const value = [...paths].map((path) => ({
      path: `${artifact.name}/${path}`,
      itemType: 'file',
      contentLocation: addressOf(
        context,
        params.run,
        `${artifact.id}/download?path=${encodeURIComponent(path)}`,
      ),
    }))
    return { value }
  },
})

export const downloadArtifactFile = route('GET /_apis/pipelines/workflows/{run}/artifacts/{key}/download', {
  summary: 'A file of an artifact, compressed if it was sent so',
  access: runningJob(),
  params: { key: id },
  query: { path: queryText },
  fails: [404, 503],
  also: [206, 304, 416],
  returns: streamed(200),
  handler: async ({ caller, params, query, sql, tools, from }) => {
    requireSameRun(caller, params.run)
    const rows = await artifactsOfRun(sql, caller.run_id)
    if (!rows.some((row) => row.id === params.key && row.media_type === null)) throw notFound()
    const parts = await partsOfFile(sql, params.key, query.path)
    return sendParts(tools.blobs.forRequest(from.id), parts, {
      type: 'application/octet-stream',
      name: query.path.split('/').at(-1) ?? '',
      ...(parts[0]?.is_gzipped && { headers: { 'Content-Encoding': 'gzip' } }),
    })
  },
})
