import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as v from 'valibot'
import type { Upload } from '../../blobs/upload.ts'
import { type ArrivedFile, requireName } from '../../forge/attachments/upload.ts'
import type { ForgeAccess, SignedIn } from '../../forge/auth/access.ts'
import { IDLE_TIMEOUT } from '../../forge/blobs/content.ts'
import { contentProblem } from '../../forge/blobs/content-problem.ts'
import { boundaryIn, MULTIPART_OVERHEAD, MultipartReader } from '../../http/pipeline/multipart.ts'
import { fieldsBefore, receive } from '../../http/pipeline/upload.ts'
import { badRequest, Problem } from '../../http/route/problem.ts'
import type { ReceivedForm } from '../../http/route/results.ts'
import { headerOf } from '../../http/server/header.ts'
import type { Fields } from '../form.ts'
import { bytesOf } from '../html.ts'
import type { PageTools } from '../route.ts'
import type { Sender } from '../sign-in/sender.ts'
import { operationForm } from './form.ts'
import type { Refusal } from './refusal.ts'

// Forms that may be sent with files, in the field `files`.

/** Bytes of all other fields of a form, together. */
const FIELDS_MAX = 512 * 1024

/** Which files a form takes. */
export interface FileLimits {
  count: number
  /** Bytes of each. */
  maximum: number
  /** @throws Problem 422 no file may have this name */
  requireType: (name: string) => void
  /** Bytes of all other fields, together; absent: `FIELDS_MAX`. */
  fields?: number
}

/** A form that was sent with files, or at least in the encoding of such forms. */
class FormWithFiles {
  constructor(
    readonly fields: Fields,
    readonly files: readonly ArrivedFile[] = [],
    /** Why the files are refused; then there are none. */
    readonly refusal?: Refusal,
  ) {}
}

/** A form with or without files. */
export const sentForm = v.union([v.instance(FormWithFiles), v.record(v.string(), v.string())])

/** What was sent. The fields tell one form from another: they name the contents of its files. */
export const formIn = (body: FormWithFiles | Fields): Pick<FormWithFiles, 'fields' | 'files' | 'refusal'> =>
  body instanceof FormWithFiles ? body : { fields: body, files: [] }

/**
 * Whether a form is shown before it is done: its text as it will look, or a form that waited in the sign-in page, whose files
 * could not wait.
 */
export const isShownFirst = ({ preview, upload }: Fields): boolean =>
  preview !== undefined || upload !== undefined

/** The declaration of a form that may be sent with files. */
export const fileForm = <Who extends SignedIn>(
  rule: ForgeAccess<Who>,
  limitsIn: (tools: PageTools) => FileLimits,
) => {
  const form = operationForm(rule)
  return { ...form, ...withFiles(limitsIn), also: [...form.also, 413] }
}

/** What the declaration of a form has that may be sent with files. */
export const withFiles = (limitsIn: (tools: PageTools) => FileLimits) => ({
  body: sentForm,
  receiveForm: ({ caller, tools }: { caller: Sender<unknown>; tools: PageTools }, exchange: Exchange) =>
    'who' in caller ? receiveFiles(tools, exchange, limitsIn(tools)) : receiveFields(exchange),
})

interface Exchange {
  req: IncomingMessage
  res: ServerResponse
}

/** The server takes no files of who is not signed in: the rest of the form waits in the sign-in page. */
async function receiveFields(exchange: Exchange): Promise<ReceivedForm> {
  const { fields, hasFile } = await fieldsBefore('files', exchange, FIELDS_MAX)
  return {
    body: new FormWithFiles({ ...fields, ...(hasFile && { upload: 'sent' }) }),
    release: async () => {},
  }
}

interface ArrivingFile {
  /** "" if nobody chose a file: browsers send one without a name then. */
  name: string
  size: number
  /** Absent before its first byte. */
  upload?: Upload
}

/** @throws Problem 400, 408, 413, 415, 503, 507 */
async function receiveFiles(
  { blobs }: PageTools,
  exchange: Exchange,
  limits: FileLimits,
): Promise<ReceivedForm> {
  const boundary = boundaryIn(headerOf(exchange.req, 'content-type') ?? '') ?? ''
  const { fields: values = FIELDS_MAX } = limits
  const form = new MultipartReader(boundary, 'files', { hasSeveralFiles: true, values })
  const arriving: ArrivingFile[] = []
  let refusal: Refusal | undefined
  const write = async (chunk: Buffer) => {
    const parts = form.push(chunk)
    for (const name of form.fileNames.slice(arriving.length)) {
      if (name !== '') refusal ??= refusalOf(name, arriving.length, limits)
      arriving.push({ name, size: 0 })
    }
    for (const { file, bytes } of parts) {
      const to = arriving[file]
      if (refusal || !to || to.name === '') continue
      to.size += bytes.length
      if (to.size > limits.maximum) {
        refusal = tooLarge(to.name, limits)
        continue
      }
      to.upload ??= await blobs.startUpload()
      await to.upload.write(bytes)
    }
  }
  const release = async () => {
    for (const { upload } of arriving) await upload?.discard()
  }
  try {
    const bytes = limits.count * limits.maximum + values + MULTIPART_OVERHEAD
    await receive(exchange, { bytes, silence: IDLE_TIMEOUT }, write)
    const fields = fieldsOf(form)
    if (refusal) return { body: new FormWithFiles(fields, [], refusal), release }
    // An empty file has no first byte.
    for (const file of arriving) if (file.name !== '') file.upload ??= await blobs.startUpload()
    return { body: await whole(fields, arriving), release }
  } catch (error) {
    await release()
    throw contentProblem(error) ?? error
  }
}

const tooLarge = (name: string, { maximum }: FileLimits): Refusal => ({
  field: 'files',
  sentence: `${name} is larger than ${bytesOf(maximum)}.`,
  isTooLarge: true,
})

function refusalOf(name: string, at: number, { count, requireType }: FileLimits): Refusal | undefined {
  if (at >= count) return { field: 'files', sentence: `At most ${count} files can be sent at once.` }
  try {
    requireName({ requireType }, name)
    return undefined
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return { field: 'files', sentence: `${name.slice(0, 255)} was refused: ${error.message}` }
  }
}

/** @throws Problem 400 */
function fieldsOf(form: MultipartReader): Fields {
  const fields = Object.fromEntries(form.finish().fields)
  for (const value of Object.values(fields))
    if (value.includes('\0')) throw badRequest('the form must not contain NUL characters')
  return fields
}

async function whole(fields: Fields, arriving: readonly ArrivingFile[]): Promise<FormWithFiles> {
  const files: ArrivedFile[] = []
  for (const { name, upload } of arriving) {
    if (upload) files.push({ name: name.toWellFormed(), content: await upload.finish(), uuid: randomUUID() })
  }
  if (files.length === 0) return new FormWithFiles(fields)
  const contents = files.map(({ name, content }) => `${content.digests.sha256} ${name}`)
  return new FormWithFiles({ ...fields, files: contents.join('\n') }, files)
}
