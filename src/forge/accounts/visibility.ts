import { oneOf } from '../protocol/rules.ts'

/** Who can see a user or an organization: everyone, signed-in users, or members only. */
export const VISIBILITIES = ['public', 'limited', 'private'] as const

export type Visibility = (typeof VISIBILITIES)[number]

/** The rule for request bodies: "" means absent. */
export const visibilityRule = oneOf(['', ...VISIBILITIES])

/** Whether the text is exactly one of the three visibilities. */
export function isVisibility(text: string): text is Visibility {
  return VISIBILITIES.some((each) => each === text)
}
