import { describedField, named, option, optionalMoment, text, texts } from '../protocol/fields.ts'
import { required } from '../protocol/rules.ts'

/** Name and scopes of a new token. */
export const CreateAccessTokenOption = option('CreateAccessTokenOption', {
  name: named('Name', text(required)),
  scopes: describedField(
    texts(),
    'What the token may do, such as `write:repository` or `read:user`; `all` is everything, and `public-only` hides what is private',
  ),
  expires_at: describedField(
    optionalMoment(),
    'When the token ends, in the future; absent: never. An extension of this server',
  ),
})
