/** A version by semver.org, 2.0.0, split into its parts. */
interface Parts {
  numbers: readonly [bigint, bigint, bigint]
  prerelease: readonly string[]
}

/** Maximum length of a version in characters; the npm client has the same limit. */
const maxLength = 256

const number = '(?:0|[1-9]\\d*)'
const identifier = `(?:${number}|\\d*[A-Za-z-][\\dA-Za-z-]*)`
const syntax = new RegExp(
  `^(${number})\\.(${number})\\.(${number})(?:-(${identifier}(?:\\.${identifier})*))?(?:\\+[\\dA-Za-z-]+(?:\\.[\\dA-Za-z-]+)*)?$`,
)

/** Whether a text is a version (semver.org, "Is there a suggested regular expression"). */
export function isVersion(text: string): boolean {
  return text.length <= maxLength && syntax.test(text)
}

/**
 * Compares two versions for sorting (semver.org, section 11): negative, zero or positive. Build metadata is ignored;
 * invalid versions sort before valid ones.
 */
export function compareVersions(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)]
  if (!one || !other) return Number(one !== undefined) - Number(other !== undefined)
  for (const i of [0, 1, 2] as const) {
    if (one.numbers[i] !== other.numbers[i]) return one.numbers[i] < other.numbers[i] ? -1 : 1
  }
  return comparePrerelease(one.prerelease, other.prerelease)
}

function partsOf(text: string): Parts | undefined {
  const [, major, minor, patch, prerelease] = (isVersion(text) && syntax.exec(text)) || []
  if (major === undefined || minor === undefined || patch === undefined) return undefined
  return { numbers: [BigInt(major), BigInt(minor), BigInt(patch)], prerelease: prerelease?.split('.') ?? [] }
}

/**
 * A version without a prerelease sorts after those with one; if one is a prefix of the other, the longer sorts later.
 */
function comparePrerelease(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return other.length - one.length
  for (const [i, here] of one.entries()) {
    const there = other[i]
    if (there === undefined) return 1
    if (here !== there) return compareIdentifiers(here, there)
  }
  return one.length - other.length
}

/** Numeric identifiers sort before alphanumeric ones. */
function compareIdentifiers(one: string, other: string): number {
  const [isNumber, otherIsNumber] = [/^\d+$/.test(one), /^\d+$/.test(other)]
  if (isNumber !== otherIsNumber) return isNumber ? -1 : 1
  if (isNumber) return BigInt(one) < BigInt(other) ? -1 : 1
  return one < other ? -1 : 1
}
