import * as v from 'valibot'
import { shape } from '../../../http/route/validate.ts'
import { described } from '../../../http/route/values.ts'

/** MergeUpstreamResponse of the specification. */
export const MergeUpstreamResponse = shape('MergeUpstreamResponse', {
  merge_type: described(v.picklist(['up-to-date', 'fast-forward', 'merge']), 'What was necessary'),
})
