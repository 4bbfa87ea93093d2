/** A rule on texts in request bodies, with the word that a refusal prints (422, `[UserName]: MaxSize`). */
export interface Rule {
  readonly word: string
  readonly holds: (text: string) => boolean
  /** What a JSON Schema can say of it. */
  readonly keywords?: Readonly<Record<string, unknown>>
}

/** The refusal by the first broken rule; undefined when all hold. `property` is the internal name. */
export function brokenRule(property: string, value: string, rules: readonly Rule[]): string | undefined {
  const broken = rules.find((rule) => !rule.holds(value))
  return broken && validationMessage(property, broken.word)
}

/** The format of all validation messages. */
export function validationMessage(property: string, word: string): string {
  return `[${property}]: ${word}`
}

export const required: Rule = {
  word: 'Required',
  holds: (text) => text !== '',
  keywords: { minLength: 1 },
}

/** Not of blanks only; an empty text is refused by `required` alone. */
export const notBlank: Rule = { word: 'Required', holds: (text) => text === '' || text.trim() !== '' }

/** At most this many characters: code points, not bytes or UTF-16 units. */
export function maxSize(max: number): Rule {
  return {
    word: 'MaxSize',
    holds: (text) => text.length <= max || codePoints(text, max) <= max,
    keywords: { maxLength: max },
  }
}

/** One of these values; include "" if it may be absent. */
export function oneOf(values: readonly string[]): Rule {
  return { word: 'In', holds: (text) => values.includes(text), keywords: { enum: values } }
}

/** ASCII letters, digits, `_`, `-` and `.`. */
export const alphaDashDot: Rule = { word: 'AlphaDashDot', holds: (text) => /^[\w.-]*$/.test(text) }

/**
 * Empty, or an absolute http or https URL (RFC 9110 §4.2) with a host and, if any, a numeric port. Stricter than
 * browsers: no backslash, missing slash, leading or trailing blank, or control character.
 */
export const url: Rule = { word: 'Url', holds: (text) => text === '' || isWebUrl(text) }

/** Empty, or a valid branch name of git. */
export const gitRefName: Rule = { word: 'GitRefName', holds: (text) => text === '' || isRefName(text) }

/** Stops counting one beyond `enough`, so that a long text costs no more than a short one. */
function codePoints(text: string, limit: number): number {
  let count = 0
  for (const _ of text) if (++count > limit) break
  return count
}

function isWebUrl(text: string): boolean {
  return (
    /^https?:\/\/[^\s\\/?#]/i.test(text) && !/[\u0000-\u001f\u007f]|^\s|\s$/.test(text) && URL.canParse(text)
  )
}

/**
 * The numbered rules of git-check-ref-format(1) for a branch name. Also refused are a leading dash, which would look
 * like an option, and `HEAD` and `@`, which mean the current commit.
 */
function isRefName(text: string): boolean {
  return (
    text !== '@' &&
    text !== 'HEAD' &&
    !/^[-/]|[/.]$|\.\.|\/\/|@\{|[\u0000- \u007f~^:?*[\\]/.test(text) &&
    !text.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))
  )
}
