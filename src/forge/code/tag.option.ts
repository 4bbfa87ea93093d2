import { describedField, option, optionalText, text } from '../protocol/fields.ts'
import { gitRefName, required } from '../protocol/rules.ts'

/** CreateTagOption of the original. */
export const CreateTagOption = option('CreateTagOption', {
  tag_name: describedField(text(required, gitRefName), 'Name of the new tag'),
  message: describedField(optionalText(), 'Makes it an annotated tag; empty: a lightweight one'),
  target: describedField(
    optionalText(),
    'Branch, tag or commit that it points to; empty: the default branch',
  ),
})
