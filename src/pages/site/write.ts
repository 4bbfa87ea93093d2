import * as v from 'valibot'
import { found, Problem } from '../../http/route/problem.ts'
import { ReplyWith } from '../../http/route/results.ts'
import { id } from '../../http/route/values.ts'
import { draftById, type StoredDraft } from '../../site/draft-store.ts'
import { publishDraft, saveDraft } from '../../site/drafts.ts'
import { correctPost, publishPost } from '../../site/news.ts'
import { postById } from '../../site/news-store.ts'
import type { ArrivedPicture } from '../../site/picture-storage.ts'
import { addressOfPicture, publishPictures } from '../../site/pictures.ts'
import type { Faults, Fields } from '../form.ts'
import { html } from '../html.ts'
import { textWith } from '../issues/text-files.ts'
import { formIn, withFiles } from '../operations/sent-form.ts'
import { route } from '../route.ts'
import type { Manager } from '../session/session.ts'
import { bySender, type Sender } from '../sign-in/sender.ts'
import { shown, taken } from './editor-routes.ts'
import {
  type Done,
  type ManageContext,
  makerOf,
  missing,
  type Refusal,
  refusalFor,
  replyTo,
  versionIn,
} from './manage-form.ts'
import { postBody } from './post-body.ts'
import { pictureFiles, type WriteFields, type Written, writePage, writePath } from './write-page.ts'

/** Of a post, which a form may also show first. */
const takenPost = { ...taken, ...withFiles(pictureFiles), also: [200, 413, ...taken.also] } as const

export const getNewPostPage = route('GET /overview/manage/posts/new', {
  ...shown,
  fails: [403],
  summary: 'Write a post',
  handler: (context) => pageFor(context, { kind: 'new' }, emptyFields),
})

export const writeNewPost = route('POST /overview/manage/posts/new', {
  ...takenPost,
  fails: [400, 403],
  also: [200, 401, 403, 413, 422],
  summary: 'Publish a post, schedule it, keep it as a draft, or see it first',
  handler: ({ body, caller: sender, ...context }) => take(context, sender, { kind: 'new' }, formIn(body)),
})

export const getDraftPage = route('GET /overview/manage/drafts/{id}', {
  ...shown,
  params: { id },
  query: { done: v.optional(v.unknown()) },
  summary: 'Continue a draft',
  handler: async ({ params, query, ...context }) => {
    const draft = found(await draftById(context.sql, params.id))
    const notice =
      query.done === undefined
        ? undefined
        : html`<p class="notice" role="status" tabindex="-1" autofocus>The text is saved as a draft. Only administrators see it.</p>`
    return pageFor(context, { kind: 'draft', id: draft.id }, fieldsOf(draft), { notice })
  },
})

export const writeDraft = route('POST /overview/manage/drafts/{id}', {
  ...takenPost,
  params: { id },
  summary: 'Publish a draft, schedule it, keep it, or see it first',
  handler: ({ body, params, caller: sender, ...context }) =>
    take(context, sender, { kind: 'draft', id: params.id }, formIn(body)),
})

export const getPostEditPage = route('GET /overview/manage/posts/{id}', {
  ...shown,
  params: { id },
  summary: 'Correct a post',
  handler: async ({ params, ...context }) => {
    const { title, content, format, version } = found(await postById(context.sql, params.id))
    const fields = { title, content, format, version: String(version), publish_at: '' }
    return pageFor(context, { kind: 'post', id: params.id }, fields)
  },
})

export const editPost = route('POST /overview/manage/posts/{id}', {
  ...takenPost,
  params: { id },
  summary: 'Save a corrected post, or see it first',
  handler: ({ body, params, caller: sender, ...context }) =>
    take(context, sender, { kind: 'post', id: params.id }, formIn(body)),
})

const emptyFields: WriteFields = { title: '', content: '', format: 'markdown', publish_at: '', version: '' }

/** The fields of a form as it was sent. */
function fieldsIn(body: Fields): WriteFields {
  const { title = '', content = '', publish_at = '', version = '' } = body
  return { title, content, publish_at, version, format: body.format === 'plain' ? 'plain' : 'markdown' }
}

const fieldsOf = ({ title, content, format, version, publish_at }: StoredDraft): WriteFields => ({
  title,
  content,
  format,
  version: String(version),
  publish_at: publish_at?.slice(0, 16) ?? '',
})

const pageFor = (
  { from: { host }, caller }: ManageContext,
  written: Written,
  fields: WriteFields,
  more: Pick<Parameters<typeof writePage>[0], 'faults' | 'refused' | 'preview' | 'other' | 'notice'> = {},
): string => writePage({ host, caller, written, fields, ...more })

type SentForm = ReturnType<typeof formIn>

/** Does what the form asks for, or shows it again with what was written. @throws Problem 400, 403 */
const take = (
  context: Omit<ManageContext, 'caller'>,
  sender: Sender<Manager>,
  written: Written,
  sent: SentForm,
): Promise<ReplyWith<string>> =>
  bySender(sender, sent.fields, (caller) => takeFrom({ ...context, caller }, written, sent))

async function takeFrom(
  context: ManageContext,
  written: Written,
  { fields: body, files, refusal }: SentForm,
): Promise<ReplyWith<string>> {
  const fields = fieldsIn(body)
  if (body.action === 'preview') {
    const preview = await postBody(context, fields)
    return new ReplyWith(pageFor(context, written, fields, { preview }), { status: 200 })
  }
  const refused = refusedFiles(body, fields, { files, refusal })
  const reply = (pictures: readonly ArrivedPicture[]) =>
    replyTo(
      context,
      body,
      async (within) => refused ?? save(within, written, { fields, action: body.action, pictures }),
      (why) => pageAgain(context, written, fields, why),
    )
  if (refused || files.length === 0) return reply([])
  try {
    return await context.tools.pictures.take(context.from, files, reply)
  } catch (error) {
    if (!(error instanceof Problem) || ![415, 422].includes(error.status)) throw error
    const why = refusalFor({ files: `It was refused: ${error.message}.` })
    return new ReplyWith(await pageAgain(context, written, fields, why), { status: why.status })
  }
}

/** Why the files of a form are not taken. */
function refusedFiles(
  { upload }: Fields,
  { format }: WriteFields,
  { files, refusal }: Pick<SentForm, 'files' | 'refusal'>,
): Refusal | undefined {
  // A form that waited in the sign-in page has kept its texts only.
  if (upload !== undefined) return refusalFor({ files: 'Choose the pictures again.' })
  if (refusal)
    return { ...refusalFor({ files: refusal.sentence }), ...(refusal.isTooLarge && { status: 413 }) }
  if (files.length > 0 && format === 'plain')
    return refusalFor({ files: 'A plain text shows no pictures: choose Markdown.' })
  return undefined
}

/**
 * The form as it was sent. After a change by somebody else it has the version of that text, which the page shows above it;
 * if the draft is gone, it is a form for a new post.
 */
async function pageAgain(
  context: ManageContext,
  written: Written,
  fields: WriteFields,
  { status, ...why }: Refusal,
): Promise<string> {
  const other = status === 409 && written.kind !== 'new' ? await currentOf(context, written) : undefined
  if (other)
    return pageFor(context, written, { ...fields, version: String(other.version) }, { ...why, other })
  const isGone = status === 404 && written.kind === 'draft'
  return pageFor(context, isGone ? { kind: 'new' } : written, fields, why)
}

const currentOf = ({ sql }: ManageContext, { kind, id }: { kind: 'draft' | 'post'; id: number }) =>
  kind === 'post' ? postById(sql, id) : draftById(sql, id)

/** What was written, with its pictures. */
interface Writing {
  fields: WriteFields
  action: string | undefined
  pictures: readonly ArrivedPicture[]
}

/** Saves what was written. @throws Problem 404, 409 */
async function save(
  context: ManageContext,
  written: Written,
  { fields, action, pictures }: Writing,
): Promise<Done | Refusal> {
  const { host } = context.from
  const content = textWith(fields.content, pictures, (picture) => addressOfPicture(host, picture))
  const { title, format } = fields
  const maker = makerOf(context)
  const former = written.kind === 'new' ? undefined : { id: written.id, version: versionIn(fields.version) }
  const at = momentIn(fields.publish_at)
  const isDraft = action === 'draft' && written.kind !== 'post'
  const faults = isDraft ? nothingIn({ title, content }) : (missing({ title, content }) ?? faultOf(at))
  if (faults) return refusalFor(faults)
  if (pictures.length > 0)
    await publishPictures(context.tools.pictures, { ...maker, from: context.from }, pictures)
  if (written.kind === 'post') {
    const { id } = await correctPost(maker, written.id, { title, content, format, version: former?.version })
    return { page: '', query: { done: 'changed', id } }
  }
  const text = { title, content, format }
  if (isDraft) {
    const draft = await saveDraft(maker, { ...text, publish_at: null }, former)
    return { page: writePath({ kind: 'draft', id: draft.id }), query: { done: 'draft' } }
  }
  if (at instanceof Date && at > context.now) {
    const { id } = await saveDraft(maker, { ...text, publish_at: at }, former)
    return { page: '', query: { done: 'scheduled', id } }
  }
  const { id } = former ? await publishDraft(maker, text, former) : await publishPost(maker, text)
  return { page: '', query: { done: 'published', id } }
}

/** The moment in a field that names one in UTC; undefined: it is empty. */
function momentIn(text: string): Date | 'unreadable' | undefined {
  if (text.trim() === '') return undefined
  const [, minutes, seconds = ':00'] =
    /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(:\d\d(?:\.\d{1,3})?)?$/.exec(text.trim()) ?? []
  const moment = new Date(`${minutes}${seconds}Z`)
  // `Date` takes 31 February for 3 March.
  const isThere = moment.getTime() > -Infinity && moment.toISOString().startsWith(minutes ?? ' ')
  return isThere ? moment : 'unreadable'
}

const faultOf = (at: Date | 'unreadable' | undefined): Faults | undefined =>
  at === 'unreadable'
    ? { publish_at: 'This must be a day and a time that there are, such as 2026-01-31 09:30.' }
    : undefined

const nothingIn = ({ title, content }: Pick<WriteFields, 'title' | 'content'>): Faults | undefined =>
  title.trim() === '' && content.trim() === '' ? { title: 'There is nothing to keep yet.' } : undefined
