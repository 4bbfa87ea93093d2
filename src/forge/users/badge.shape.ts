import * as v from 'valibot'
import { UNLISTED } from '../../http/openapi/schema.ts'
import { shape } from '../../http/route/validate.ts'
import { int } from '../../http/route/values.ts'
import { badgeSlug } from '../accounts/names.ts'
import { describedField, option, optionalText, requiredTexts, text } from '../protocol/fields.ts'
import { maxSize, required, url } from '../protocol/rules.ts'

/** What only the answers of the original have, not its document. */
const sentOnly = <Of extends v.GenericSchema>(schema: Of) => v.pipe(schema, v.metadata(UNLISTED))

/**
 * Badge of the specification. The original sends its members in upper case and documents them in lower case; we send
 * both, for clients written from either, and document the latter.
 */
export const Badge = shape('Badge', {
  id: int,
  slug: v.string(),
  description: v.string(),
  image_url: v.string(),
  ID: sentOnly(int),
  Slug: sentOnly(v.string()),
  Description: sentOnly(v.string()),
  ImageURL: sentOnly(v.string()),
})
export type Badge = v.InferOutput<typeof Badge>

/** UserBadgeOption of the specification. */
export const UserBadgeOption = option('UserBadgeOption', {
  badge_slugs: describedField(requiredTexts(), 'Slugs of the badges; one that does not exist refuses all'),
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
