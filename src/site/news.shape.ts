import * as v from 'valibot'
import { int, text, timestamp } from '../http/route/values.ts'

/** NewsPost of the specification, section 2. */
export const NewsPost = v.object({ id: int, title: text, content: text, created_at: timestamp })
export type NewsPost = v.InferOutput<typeof NewsPost>

/** The input for a new post. */
export const NewsDraft = v.object({ title: text, content: text })
export type NewsDraft = v.InferOutput<typeof NewsDraft>
