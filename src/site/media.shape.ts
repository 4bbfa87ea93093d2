import * as v from 'valibot'
import { shape } from '../http/route/validate.ts'
import { described, int, text, timestamp } from '../http/route/values.ts'

const address = described(text, 'Where the file is; the server keeps this address alone')
const mediaType = v.picklist(['image', 'video'])

/** MediaItem of the specification, section 2. */
export const MediaItem = shape('MediaItem', {
  id: int,
  title: text,
  media_type: mediaType,
  url: address,
  created_at: timestamp,
})
export type MediaItem = v.InferOutput<typeof MediaItem>

/** The input for a new media item. */
export const MediaDraft = shape('MediaDraft', { title: text, media_type: mediaType, url: address })
export type MediaDraft = v.InferOutput<typeof MediaDraft>
