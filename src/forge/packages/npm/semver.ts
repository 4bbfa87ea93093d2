/** A version of semver.org, 2.0.0, taken apart. */
interface Parts {
  numbers: readonly [bigint, bigint, bigint]
  prerelease: readonly string[]
}

/** The longest version, in characters: what the npm client itself takes at most. */
const longest = 256

const number = '(?:0|[1-9]\\d*)'
const identifier = `(?:${number}|\\d*[A-Za-z-][\\dA-Za-z-]*)`
const syntax = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?$`,
)

/** Whether a text is a version (semver.org, "Is there a suggested regular expression"). */
export function isVersion(text: string): boolean {
  return text.length <= longest && syntax.test(text)
}

/**
 * Which of two versions comes first (semver.org, section 11): negative, zero or positive, for sorting. Build metadata
 * does not count; what is no version comes before all that are.
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)]
  if (!one || !other) return Number(one !== undefined) - Number(other !== undefined)
  for (const at of [0, 1, 2] as const) {
    if (one.numbers[at] !== other.numbers[at]) return one.numbers[at] < other.numbers[at] ? -1 : 1
  }
  return comparePrerelease(one.prerelease, other.prerelease)
}

function partsOf(text: string): Parts | undefined {
  const [, major, minor, patch, prerelease] = (isVersion(text) && syntax.exec(text)) || []
  if (major === undefined || minor === undefined || patch === undefined) return undefined
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], prerelease: prerelease?.split('.') ?? [] }
}

/** A version without comes after all that have one; of two that agree so far the longer one comes later. */
function comparePrerelease(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length
  for (const [at, here] of one.entries()) {
    const there = other[at]
    if (there === undefined) return 1
    if (here !== there) return compareIdentifiers(here, there)
  }
  return one.length - other.length
}

/** Numbers come before words. */
function compareIdentifiers(one: string, other: string): number {
  const [isNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1
  if (isNumber) return BigInt(one) < BigInt(other) ? -1 : 1
  return one < other ? -1 : 1
}
