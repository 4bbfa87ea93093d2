import { randomBytes } from 'node:crypto'

/** Character classes that an installation may require. */
export const passwordClasses = ['lower', 'upper', 'digit', 'special'] as const
export type PasswordClass = (typeof passwordClasses)[number]

export interface PasswordRules {
  /** The minimum length, in bytes of UTF-8. */
  readonly minLength: number
  /** The classes of which each must occur; empty: none is required. */
  readonly classes: readonly PasswordClass[]
}

/** The rule that a password breaks, in the order in which the rules are reported. */
type PasswordFault =
  | { readonly rule: 'length'; readonly minLength: number }
  | { readonly rule: 'complexity'; readonly missing: readonly PasswordClass[] }

/** The maximum number of characters (code points) of a password; the rule of the body, `[Password]: MaxSize`. */
export const PASSWORD_MAX = 255

const CLASSES: Readonly<Record<PasswordClass, RegExp>> = {
  lower: /[a-z]/,
  upper: /[A-Z]/,
  digit: /[0-9]/,
  // Printable ASCII that is neither letter nor digit, space included.
  special: /[ -/:-@[-`{-~]/,
}

/** The first rule that the password breaks, or undefined. An absent password counts as the empty one. */
export function passwordFault(password: string, rules: PasswordRules): PasswordFault | undefined {
  if (Buffer.byteLength(password, 'utf8') < rules.minLength) {
    return { rule: 'length', minLength: rules.minLength }
  }
  const missing = rules.classes.filter((each) => !CLASSES[each].test(password))
  return missing.length > 0 ? { rule: 'complexity', missing } : undefined
}

/** The message (400) when an account is created: a single word that existing clients know. */
export function passwordMessageOnCreate(fault: PasswordFault): string {
  return fault.rule === 'length' ? 'PasswordIsRequired' : 'PasswordComplexity'
}

/** The message (400) when an account is edited. */
export function passwordMessageOnEdit(fault: PasswordFault): string {
  return fault.rule === 'length'
    ? `password must be at least ${fault.minLength} characters`
    : 'password not complex enough'
}

/** A random password of at least 120 bits that is easy to type and breaks no rule. */
export function newPassword(rules: PasswordRules): string {
  const length = Math.max(20, rules.minLength)
  for (;;) {
    const password = randomBytes(length).toString('base64url').slice(0, length)
    // One in two has none of the two special characters of this alphabet.
    if (!passwordFault(password, rules)) return password
  }
}
