import * as v from 'valibot'
import { UNLISTED } from '../../http/openapi/schema.ts'
import { shape } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'

/** A member that the answers of the original have, but not its document. */
const sentOnly = <Of extends v.GenericSchema>(schema: Of) => v.pipe(schema, v.metadata(UNLISTED))

/**
 * Badge of the specification. The original sends its members in upper case and documents them in lower case; we send
 * both, for clients written from either, and document the latter.
 */
export const Badge = shape('Badge', {
  id: int,
  slug: v.string(),
  description: v.string(),
  image_url: v.string(),
  ID: sentOnly(int),
  Slug: sentOnly(v.string()),
  Description: sentOnly(v.string()),
  ImageURL: sentOnly(v.string()),
})
export type Badge = v.InferOutput<typeof Badge>
