import * as v from 'valibot'
import type { Tx } from '../db/sql.ts'
import { badRequest, found, notFound } from '../http/route/problem.ts'
import { streamed } from '../http/route/sends.ts'
import type { Origin } from '../http/server/origin.ts'
import { type ChangeContext, recordShort, targetOf } from './change.ts'
import { insertItem, showsPicture } from './media-store.ts'
import type { ArrivedPicture, Exchange, FormFields, PictureStorage } from './picture-storage.ts'
import { anyone, type Publishers, route } from './route.ts'
import { MediaItem } from './site.shape.ts'

/** The texts of a picture. */
interface PictureDraft {
  title: string
  description: string
}

export const uploadPicture = (uploaders: Publishers) =>
  route('POST /api/media/pictures', {
    extension: true,
    summary:
      'Add a picture: a form with the parts `title`, `description` (optional), `picture`, and `thumbnail` (optional: the picture in at most 512 × 512 pixels and 64 KiB)',
    access: uploaders,
    fails: [400, 413, 415, 422],
    returns: streamed(201, MediaItem),
    handler:
      async ({ tools, authorizeAgain, ...context }) =>
      async (req, res) => {
        const check = async (fields: FormFields) => {
          await authorizeAgain()
          return draftIn(fields)
        }
        const item = await publishPicture(tools.pictures, context, { req, res }, { check })
        res.writeHead(201, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(item))
      },
  })

/** Common declarations of the operations below. */
const uploadedFile = {
  extension: true,
  access: anyone,
  fails: [404],
  returns: streamed(200, v.pipe(v.string(), v.metadata({ format: 'binary' })), 'image/*'),
  also: [206, 304, 416],
} as const

export const getSentPicture = route('GET /api/media/pictures/{name}', {
  ...uploadedFile,
  summary: 'An uploaded picture, or the range of it that the client requests',
  handler: async ({ params: { name }, sql, from, tools }) => {
    const uuid = found(/^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[a-z]{3,4}$/.exec(name)?.[1])
    if (!(await showsPicture(sql, uuid))) throw notFound()
    return tools.pictures.send({ sql, from }, uuid, 'picture')
  },
})

export const getThumbnail = route('GET /api/media/thumbnails/{uuid}', {
  ...uploadedFile,
  summary: 'The thumbnail of an uploaded picture, or the picture if it has none',
  params: { uuid: v.pipe(v.string(), v.uuid()) },
  handler: async ({ params: { uuid }, sql, from, tools }) => {
    if (!(await showsPicture(sql, uuid))) throw notFound()
    return tools.pictures.send({ sql, from }, uuid, 'thumbnail')
  },
})

/**
 * Receives a picture and publishes it as a media item, whose address begins with the one that the client has used.
 * @throws Problem as `receive` of the store, and what `check` throws
 */
export const publishPicture = (
  pictures: PictureStorage,
  context: ChangeContext & { from: Origin },
  exchange: Exchange,
  form: {
    check: (fields: FormFields) => Promise<PictureDraft>
    watch?: (fields: FormFields) => void
    /** Runs `publish` in the transaction of the publication; an error that it throws undoes both. */
    around?: (tx: Tx, sha256: string, publish: () => Promise<MediaItem>) => Promise<MediaItem>
  },
): Promise<MediaItem> =>
  pictures.receive(context, exchange, {
    ...form,
    write: async (tx, { title, description }, { uuid, sha256, extension }) => {
      const url = addressOfPicture(context.from.host, { uuid, extension })
      const publish = () => addItem(tx, context.caller, { title, description, url, picture: uuid })
      return form.around ? form.around(tx, sha256, publish) : publish()
    },
  })

/**
 * Publishes pictures that were sent with a post as media items of the names of their files.
 * @throws ContentLost
 */
export const publishPictures = (
  storage: PictureStorage,
  { begin, caller, from }: Pick<ChangeContext, 'begin' | 'caller'> & { from: Origin },
  pictures: readonly ArrivedPicture[],
): Promise<void> =>
  begin((tx) =>
    storage.insert(tx, from, pictures, async (picture) => {
      const url = addressOfPicture(from.host, picture)
      await addItem(tx, caller, { title: picture.name, description: '', url, picture: picture.uuid })
    }),
  )

async function addItem(
  tx: Tx,
  caller: ChangeContext['caller'],
  item: PictureDraft & { url: string; picture: string },
): Promise<MediaItem> {
  const added = await insertItem(tx, { ...item, media_type: 'image', at: tx.now })
  if (caller) await recordShort(caller, tx, { action: 'media.published', target: targetOf('media', added) })
  return added
}

/** Where a picture of the site is, once an item has it. */
export const addressOfPicture = (
  host: string,
  { uuid, extension }: Pick<ArrivedPicture, 'uuid' | 'extension'>,
) => `${host}api/media/pictures/${uuid}.${extension}`

/** @throws Problem 400 */
function draftIn(fields: FormFields): PictureDraft {
  const [title = '', description = ''] = ['title', 'description'].map((name) => fields.get(name))
  if (title === '') throw badRequest('title is required')
  if (/\0/.test(title + description)) throw badRequest('the form must not contain NUL characters')
  return { title, description }
}
