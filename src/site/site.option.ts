import * as v from 'valibot'
import { schemaNamed, shape } from '../http/route/validate.ts'
import { described, int, text } from '../http/route/values.ts'

/** A new post. */
export const NewsDraft = shape('NewsDraft', { title: text, content: text })
export type NewsDraft = v.InferOutput<typeof NewsDraft>

/** A change of a post; absent members stay unchanged. */
export const NewsChange = schemaNamed(
  'NewsChange',
  v.pipe(
    v.object({
      title: v.optional(text),
      content: v.optional(text),
      version: v.optional(
        described(
          v.pipe(int, v.minValue(1), v.maxValue(2 ** 31 - 1)),
          'The version that the change starts from; 409 if the post has another one',
        ),
      ),
    }),
    v.check(({ title, content }) => title !== undefined || content !== undefined),
  ),
)

/** A new media item. */
export const MediaDraft = shape('MediaDraft', {
  title: text,
  media_type: v.picklist(['image', 'video']),
  url: described(text, 'Address of the file; the server stores only this address'),
})
export type MediaDraft = v.InferOutput<typeof MediaDraft>

export const SessionStart = shape('SessionStart', {
  username: described(text, 'Name of the user, at most 255 characters; it need not be an account'),
})

export const SessionEnd = shape('SessionEnd', {
  sessionId: v.pipe(
    v.number(),
    v.metadata({ type: 'integer', description: 'The `sessionId` that the start of the session returned' }),
  ),
})

/** Maximum characters of the name of the site: it is on one line of each page. */
export const maxNameLength = 60

/** A name for the site: one line; "" restores the default name. */
export const SiteName = v.pipe(
  v.string(),
  v.trim(),
  v.check((text) => [...text].length <= maxNameLength && !/\p{Cc}/u.test(text)),
)

export const SiteChange = shape('SiteChange', { name: SiteName })
