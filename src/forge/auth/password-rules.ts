/** Classes of characters that an installation may demand. */
export const passwordClasses = ['lower', 'upper', 'digit', 'special'] as const
export type PasswordClass = (typeof passwordClasses)[number]

export interface PasswordRules {
  /** The least length, in bytes of UTF-8. */
  readonly minLength: number
  /** The classes of which each must occur; empty: none is demanded. */
  readonly classes: readonly PasswordClass[]
}

/** Which rule a password breaks, in the order in which the rules are told. */
type PasswordFault =
  | { readonly rule: 'length'; readonly minLength: number }
  | { readonly rule: 'complexity'; readonly missing: readonly PasswordClass[] }

export const DEFAULT_PASSWORD_RULES: PasswordRules = { minLength: 8, classes: [] }

/** The most characters (code points) a password may have; the rule of the body, `[Password]: MaxSize`. */
export const PASSWORD_MAX = 255

const CLASSES: Readonly<Record<PasswordClass, RegExp>> = {
  lower: /[a-z]/,
  upper: /[A-Z]/,
  digit: /[0-9]/,
  // Printable ASCII that is neither letter nor digit, the blank included.
  special: /[ -/:-@[-`{-~]/,
}

/** The first rule that the password breaks, or undefined. An absent password is the empty one. */
export function passwordFault(password: string, rules: PasswordRules): PasswordFault | undefined {
  if (Buffer.byteLength(password, 'utf8') < rules.minLength) {
    return { rule: 'length', minLength: rules.minLength }
  }
  const missing = rules.classes.filter((each) => !CLASSES[each].test(password))
  return missing.length > 0 ? { rule: 'complexity', missing } : undefined
}

/** The sentence (400) when an account is created: a bare word that existing clients know. */
export function sayOnCreate(fault: PasswordFault): string {
  return fault.rule === 'length' ? 'PasswordIsRequired' : 'PasswordComplexity'
}

/** The sentence (400) when an account is edited. */
export function sayOnEdit(fault: PasswordFault): string {
  return fault.rule === 'length'
    ? `password must be at least ${fault.minLength} characters`
    : 'password not complex enough'
}
