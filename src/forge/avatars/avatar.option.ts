import { describedField, option, text } from '../protocol/fields.ts'

const image = describedField(
  text(),
  'A PNG, JPEG, GIF or WebP image in base64: at most 1 MiB, and 4096 pixels wide and high',
)

/** UpdateUserAvatarOption of the original, for users and organizations. */
export const UpdateUserAvatarOption = option('UpdateUserAvatarOption', { image })

/** UpdateRepoAvatarOption of the original. */
export const UpdateRepoAvatarOption = option('UpdateRepoAvatarOption', { image })
