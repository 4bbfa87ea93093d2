import * as v from 'valibot'
import { shape } from '../../../http/route/validate.ts'
import { described } from '../../../http/route/values.ts'

export const EditorConfig = shape('EditorConfig', {
  charset: v.optional(v.string()),
  indent_style: v.optional(v.string()),
  indent_size: described(v.optional(v.string()), 'A number, or `tab`'),
  end_of_line: v.optional(v.string()),
})
