import { oneOf } from '../protocol/rules.ts'

/** Who sees a user or an organization: everybody, whoever is signed in, or members only. */
export const VISIBILITIES = ['public', 'limited', 'private'] as const

export type Visibility = (typeof VISIBILITIES)[number]

/** The rule on bodies: "" stands for "not given". */
export const visibilityRule = oneOf(['', ...VISIBILITIES])

/** The sentence (422) for another word in the filter of a list. */
export const INVALID_VISIBILITY = 'invalid visibility'

/** Whether the text is one of the three words, exactly. */
export function isVisibility(text: string): text is Visibility {
  return VISIBILITIES.some((each) => each === text)
}
