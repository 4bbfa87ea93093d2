import { describedField, option, optionalText } from '../protocol/fields.ts'

/** EditAttachmentOptions of the original. */
export const EditAttachmentOptions = option('EditAttachmentOptions', {
  name: describedField(optionalText(), 'The new name; empty: it stays'),
})
