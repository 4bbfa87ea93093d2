import { forbidden, Problem, unprocessable } from '../../http/route/problem.ts'
import { publishPicture } from '../../site/pictures.ts'
import { route } from '../route.ts'
import { isFormOf, managePath, manager } from '../session/session.ts'
import { itemPage } from './item-page.ts'
import { type Faults, type ManageContext, makerOf, missing, requirePublishing } from './manage-form.ts'

export const uploadItem = route('POST /overview/manage/media/upload', {
  access: manager,
  returns: [303],
  fails: [400, 403, 413, 415, 422],
  sends: 'stream',
  summary: 'Add a picture that is sent with the form',
  handler: async (context) => {
    requirePublishing(context)
    const { caller, from, tools, authorizeAgain } = context
    return async (req, res) => {
      let fields: ReadonlyMap<string, string> = new Map()
      const form = {
        watch: (arriving: typeof fields) => {
          fields = arriving
        },
        check: async () => {
          const { title = '', description = '', form_token } = Object.fromEntries(fields)
          if (!isFormOf(caller, form_token)) throw forbidden('the form is not of this session')
          if (missing({ title }) || /\0/.test(title + description))
            throw unprocessable('the title is missing')
          await authorizeAgain()
          return { title, description }
        },
      }
      try {
        const item = await publishPicture(tools.pictures, { ...makerOf(context), from }, { req, res }, form)
        const Location = `${from.host}${managePath.slice(1)}?done=item-added&id=${item.id}`
        res.writeHead(303, { Location }).end()
      } catch (error) {
        throw shown(context, fields, error)
      }
    }
  },
})

const sentences: Readonly<Record<number, string>> = {
  413: 'This picture has more than 10 MB.',
  415: 'This must be a PNG, JPEG, GIF or WebP picture.',
}

/** A refusal of the picture or the title as the form, with what was written; any other error as it is. */
function shown(context: ManageContext, given: ReadonlyMap<string, string>, error: unknown): unknown {
  if (!(error instanceof Problem) || ![400, 413, 415, 422].includes(error.status)) return error
  const fields = Object.fromEntries(given)
  const faults: Faults = missing({ title: fields.title ?? '' }) ?? {
    picture: sentences[error.status] ?? `It was refused: ${error.message}.`,
  }
  const more = { faults, refused: 'See what is marked.' }
  return new Problem(error.status, error.message, {
    ...error.extra,
    page: itemPage(context, undefined, { ...fields, upload: 'sent' }, more),
  })
}
