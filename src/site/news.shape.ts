import type * as v from 'valibot'
import { shape } from '../http/route/validate.ts'
import { int, text, timestamp } from '../http/route/values.ts'

/** NewsPost of the specification, section 2. */
export const NewsPost = shape('NewsPost', { id: int, title: text, content: text, created_at: timestamp })
export type NewsPost = v.InferOutput<typeof NewsPost>

/** The input for a new post. */
export const NewsDraft = shape('NewsDraft', { title: text, content: text })
export type NewsDraft = v.InferOutput<typeof NewsDraft>
