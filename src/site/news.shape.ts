import * as v from 'valibot'
import { schemaNamed, shape } from '../http/route/validate.ts'
import { described, int, text, timestamp } from '../http/route/values.ts'

/** NewsPost of the specification, section 2. */
export const NewsPost = shape('NewsPost', { id: int, title: text, content: text, created_at: timestamp })
export type NewsPost = v.InferOutput<typeof NewsPost>

/** The input for a new post. */
export const NewsDraft = shape('NewsDraft', { title: text, content: text })
export type NewsDraft = v.InferOutput<typeof NewsDraft>

/** A post by itself: what lists show, and what those who change it need. */
export const NewsPostInFull = shape('NewsPostInFull', {
  ...NewsPost.entries,
  format: described(
    v.picklist(['plain', 'markdown']),
    'How pages show the content; the editor of the site sets it',
  ),
  updated_at: described(v.nullable(timestamp), 'When it was last changed; null: never'),
  version: described(int, 'Counts the changes'),
})

/** What a change sets; what is absent stays. */
export const NewsChange = schemaNamed(
  'NewsChange',
  v.pipe(
    v.object({
      title: v.optional(text),
      content: v.optional(text),
      version: v.optional(
        described(
          v.pipe(int, v.minValue(1), v.maxValue(2 ** 31 - 1)),
          'The version that was changed: 409 if there is another one by now',
        ),
      ),
    }),
    v.check(({ title, content }) => title !== undefined || content !== undefined),
  ),
)
