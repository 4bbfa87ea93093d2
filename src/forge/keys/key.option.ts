import { describedField, flag, option, text } from '../protocol/fields.ts'
import { required } from '../protocol/rules.ts'

/** CreateKeyOption of the specification. */
export const CreateKeyOption = option('CreateKeyOption', {
  title: text(required),
  key: describedField(text(required), 'As in a file `id_ed25519.pub`'),
  read_only: describedField(flag(), 'Whether a deploy key may only read; without effect for keys of users'),
})
