import * as v from 'valibot'
import { int } from '../../http/route/values.ts'
import { badgeSlug } from '../accounts/names.ts'
import { givenTexts, option, someText, text } from '../protocol/fields.ts'
import { maxSize, required, url } from '../protocol/rules.ts'

/**
 * Badge of the specification. The original sends its members in capitals and documents them in small letters; here are
 * both, for clients that were written from either.
 */
export const Badge = v.object({
  id: int,
  slug: v.string(),
  description: v.string(),
  image_url: v.string(),
  ID: int,
  Slug: v.string(),
  Description: v.string(),
  ImageURL: v.string(),
})
export type Badge = v.InferOutput<typeof Badge>

/** UserBadgeOption of the specification. */
export const UserBadgeOption = option({ badge_slugs: givenTexts() })

const slugRules = [badgeSlug, maxSize(255)] as const
const descriptionRules = [maxSize(255)] as const
const imageRules = [url, maxSize(2048)] as const

/** The body that creates a badge. */
export const CreateBadgeOption = option({
  slug: text(required, ...slugRules),
  description: text(...descriptionRules),
  image_url: text(...imageRules),
})

/** The body that edits a badge; what is not given stays. */
export const EditBadgeOption = option({
  slug: someText(...slugRules),
  description: someText(...descriptionRules),
  image_url: someText(...imageRules),
})
