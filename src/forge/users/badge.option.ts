import { badgeSlug } from '../accounts/names.ts'
import { describedField, option, optionalText, requiredTexts, text } from '../protocol/fields.ts'
import { maxSize, required, url } from '../protocol/rules.ts'

/** UserBadgeOption of the specification. */
export const UserBadgeOption = option('UserBadgeOption', {
  badge_slugs: describedField(
    requiredTexts(),
    'Slugs of the badges; if one does not exist, the request fails and changes nothing',
  ),
})

const slugRules = [badgeSlug, maxSize(255)] as const
const descriptionRules = [maxSize(255)] as const
const imageRules = [url, maxSize(2048)] as const

/** The request body that creates a badge. */
export const CreateBadgeOption = option('CreateBadgeOption', {
  slug: describedField(
    text(required, ...slugRules),
    'Its name in addresses: letters, digits, `-`, `_` and `.`',
  ),
  description: text(...descriptionRules),
  image_url: describedField(text(...imageRules), 'Address of a picture, http or https'),
})

/** The request body that edits a badge; absent members stay unchanged. */
export const EditBadgeOption = option('EditBadgeOption', {
  slug: optionalText(...slugRules),
  description: optionalText(...descriptionRules),
  image_url: describedField(optionalText(...imageRules), 'Address of a picture; empty: it has none'),
})
