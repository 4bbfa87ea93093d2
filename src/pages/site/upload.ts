import type { Tx } from '../../db/sql.ts'
import { fieldsBefore } from '../../http/pipeline/upload.ts'
import { Problem, unprocessable } from '../../http/route/problem.ts'
import { streamed } from '../../http/route/sends.ts'
import type { Exchange } from '../../site/picture-storage.ts'
import { publishPicture } from '../../site/pictures.ts'
import type { FormOutcome } from '../../site/sent-form-store.ts'
import type { MediaItem } from '../../site/site.shape.ts'
import { hasFormId, once } from '../operations/once.ts'
import { route } from '../route.ts'
import { isFormOf, managePath } from '../session/session.ts'
import type { SignedOut } from '../sign-in/sender.ts'
import { publisher } from './editor-routes.ts'
import { itemPage, tooLarge } from './item-page.ts'
import { leadTo, type ManageContext, makerOf, missing, type Refusal, refusalFor } from './manage-form.ts'

export const uploadItem = route('POST /overview/manage/media/upload', {
  access: publisher,
  returns: streamed(303),
  fails: [400, 401, 403, 413, 415, 422],
  summary: 'Add a picture that is sent with the form',
  handler: async ({ caller: sender, ...request }) => {
    if (!('who' in sender)) return async (req, res) => signInFirst(sender, { req, res })
    const { who: caller } = sender
    const context = { ...request, caller }
    const { from, tools, authorizeAgain } = context
    return async (req, res) => {
      let fields: SentFields = new Map()
      const form = {
        watch: (arriving: SentFields) => {
          fields = arriving
        },
        check: async () => {
          const { title = '', description = '', form_token } = Object.fromEntries(fields)
          if (!isFormOf(caller, form_token)) throw ofFormerSession(context, fields)
          if (missing({ title }) || /\0/.test(title + description))
            throw unprocessable('the title is missing')
          await authorizeAgain()
          return { title, description }
        },
        around: (tx: Tx, sha256: string, publish: () => Promise<MediaItem>) =>
          publishOnce(tx, { caller, fields: { ...Object.fromEntries(fields), picture: sha256 } }, publish),
      }
      const lead = (outcome: FormOutcome) => {
        const { options } = leadTo(context, outcome)
        res.writeHead(303, options.headers).end()
      }
      try {
        lead(
          outcomeOf(await publishPicture(tools.pictures, { ...makerOf(context), from }, { req, res }, form)),
        )
      } catch (error) {
        if (!(error instanceof SentBefore)) throw explained(context, fields, error)
        lead(error.outcome)
      }
    }
  },
})

/** The fields that have arrived before the picture. */
type SentFields = ReadonlyMap<string, string>

const outcomeOf = ({ id }: MediaItem): FormOutcome => ({ page: '', query: { done: 'item-added', id } })

/** @throws SentBefore, which undoes what the transaction has stored of the picture */
async function publishOnce(
  tx: Tx,
  form: Parameters<typeof once>[1],
  publish: () => Promise<MediaItem>,
): Promise<MediaItem> {
  if (!hasFormId(form.fields)) return publish()
  let item: MediaItem | undefined
  const outcome = await once(tx, form, async () => {
    item = await publish()
    return outcomeOf(item)
  })
  if (!item) throw new SentBefore(outcome)
  return item
}

/** The form was sent before, and is done. */
class SentBefore extends Error {
  constructor(readonly outcome: FormOutcome) {
    super('the form was sent before')
  }
}

/**
 * The sign-in page, in which the texts of the form wait. The picture is not read: the server takes no files of senders who
 * are not signed in.
 */
async function signInFirst(sender: SignedOut, exchange: Exchange): Promise<never> {
  const { fields } = await fieldsBefore('picture', exchange)
  const kept = { ...fields, upload: 'sent' }
  const { value } = sender.signInFirst(kept, `/${managePath}/media/new`)
  throw new Problem(401, 'sign in first', { page: value })
}

/** The form with what was written, for the session that has begun since the page was loaded. */
const ofFormerSession = (context: ManageContext, sent: SentFields) =>
  new Problem(403, 'the form is not of this session', {
    page: pageAgain(context, sent, {
      faults: { picture: 'Choose the picture again.' },
      refused: 'You have signed in again since this page was loaded. Send it once more.',
    }),
  })

const pageAgain = (context: ManageContext, sent: SentFields, why: Pick<Refusal, 'faults' | 'refused'>) =>
  itemPage(context, undefined, { ...Object.fromEntries(sent), upload: 'sent' }, why)

const sentences: Readonly<Record<number, string>> = {
  413: tooLarge,
  415: 'This must be a PNG, JPEG, GIF or WebP picture.',
}

/** A refusal of the picture or the title as the form, with what was written; any other error as it is. */
function explained(context: ManageContext, sent: SentFields, error: unknown): unknown {
  if (!(error instanceof Problem) || ![400, 413, 415, 422].includes(error.status)) return error
  const faults = missing({ title: sent.get('title') ?? '' }) ?? {
    picture: sentences[error.status] ?? `It was refused: ${error.message}.`,
  }
  const page = pageAgain(context, sent, refusalFor(faults))
  return new Problem(error.status, error.message, { ...error.extra, page })
}
