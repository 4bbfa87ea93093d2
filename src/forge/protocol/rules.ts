/** The rules on texts in request bodies, each with the word that a refusal prints (422, `[UserName]: MaxSize`). */
export interface Rule {
  readonly word: string
  readonly holds: (text: string) => boolean
}

/** The refusal by the first rule that the value breaks; undefined when all hold. `property` is the internal name. */
export function brokenRule(property: string, value: string, rules: readonly Rule[]): string | undefined {
  const broken = rules.find((rule) => !rule.holds(value))
  return broken && sayBroken(property, broken.word)
}

/** The one form of all validation messages. */
export function sayBroken(property: string, word: string): string {
  return `[${property}]: ${word}`
}

export const required: Rule = { word: 'Required', holds: (text) => text !== '' }

/** At most so many characters: code points, not bytes and not halves of surrogate pairs. */
export function maxSize(most: number): Rule {
  return { word: 'MaxSize', holds: (text) => text.length <= most || codePoints(text, most) <= most }
}

/** One of these words and no other; where "" stands for "not given" it is one of them. */
export function oneOf(words: readonly string[]): Rule {
  return { word: 'In', holds: (text) => words.includes(text) }
}

/** ASCII letters, digits, `_`, `-` and `.`. */
export const alphaDashDot: Rule = { word: 'AlphaDashDot', holds: (text) => /^[\w.-]*$/.test(text) }

/**
 * Empty, or an absolute http or https URL (RFC 9110 §4.2) with a host and, if any, a numeric port. What browsers
 * forgive is not forgiven: a backslash, a missing slash, blanks at the ends, control characters.
 */
export const url: Rule = { word: 'Url', holds: (text) => text === '' || isWebUrl(text) }

/** Empty, or a name that git lets a branch have. */
export const gitRefName: Rule = { word: 'GitRefName', holds: (text) => text === '' || isRefName(text) }

/** Counts no further than one beyond `enough`, so that a long text costs no more than a short one. */
function codePoints(text: string, enough: number): number {
  let count = 0
  for (const _ of text) if (++count > enough) break
  return count
}

function isWebUrl(text: string): boolean {
  return (
    /^https?:\/\/[^\s\\/?#]/i.test(text) && !/[\u0000-\u001f\u007f]|^\s|\s$/.test(text) && URL.canParse(text)
  )
}

/**
 * The numbered rules of git-check-ref-format(1), for one branch name; a dash in front would look like an
 * option, and `HEAD` and `@` mean the current commit.
 */
function isRefName(text: string): boolean {
  return (
    text !== '@' &&
    text !== 'HEAD' &&
    !/^[-/]|[/.]$|\.\.|\/\/|@\{|[\u0000- \u007f~^:?*[\\]/.test(text) &&
    !text.split('/').some((part) => part.startsWith('.') || part.endsWith('.lock'))
  )
}
