import { describedField, option, text } from '../protocol/fields.ts'
import { required } from '../protocol/rules.ts'

const signature = describedField(
  text(),
  'Of the text that `GET /user/gpg_key_token` answers with, as `gpg --armor --detach-sign` makes it',
)

/** CreateGPGKeyOption of the original. */
export const CreateGPGKeyOption = option('CreateGPGKeyOption', {
  armored_public_key: describedField(text(required), 'As `gpg --armor --export` prints it'),
  armored_signature: signature,
})

/** VerifyGPGKeyOption of the original. */
export const VerifyGPGKeyOption = option('VerifyGPGKeyOption', {
  key_id: describedField(text(required), 'Of the key or one of its subkeys'),
  armored_signature: signature,
})
