import { setImmediate } from 'node:timers/promises'
import { compileRegularExpression, type Matcher } from '../../../common/regular-expression.ts'

/** The syntax of `CODEOWNERS`: lines of a regular expression for paths, and of those who own what it matches. */

/** The owners of files. */
interface OwnersRule {
  /** Whether the rule is about the paths that the expression does not match. */
  negative: boolean
  matches: Matcher
  /** `name` or `organization/team`, in lower case. */
  owners: readonly string[]
}

/** Maximum rules of a file, and characters of an expression. */
const limits = { rules: 500, pattern: 500 }

/** Reads the rules; lines that are none are left out. */
export function ownersRules(text: string): OwnersRule[] {
  const rules: OwnersRule[] = []
  for (const line of text.split('\n')) {
    const [pattern = '', ...names] = wordsOf(line)
    if (names.length === 0 || pattern.length > limits.pattern) continue
    const negative = pattern.startsWith('!')
    // As the original: an alternative that is not in parentheses is bound to one end of the path.
    const matches = compileRegularExpression(`^${negative ? pattern.slice(1) : pattern}$`)
    if (matches) rules.push({ negative, matches, owners: names.map(ownerOf) })
    if (rules.length === limits.rules) break
  }
  return rules
}

const ownerOf = (name: string) => name.replace(/^@/, '').toLowerCase()

/** The words of a line before its comment; a backslash makes the next character an ordinary one. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  let word = ''
  let isEscaped = false
  for (const character of `${line.trim()} `) {
    if (isEscaped) word += character
    else if (character === '#') break
    else if (character !== '\\' && character !== ' ' && character !== '\t') word += character
    else if (character !== '\\' && word !== '') words.push(word)
    if (!isEscaped && (character === ' ' || character === '\t')) word = ''
    isEscaped = !isEscaped && character === '\\'
  }
  return word === '' ? words : [...words, word]
}

/** How long the rules of one file may be compared with paths, and how long without a pause for others, in milliseconds. */
const times = { all: 2000, turn: 20 }

/**
 * The owners of any of these paths, each once. Users write the rules, and a push may change a hundred thousand files: rules for
 * which the time does not suffice have no owners here.
 */
export async function ownersOf(rules: readonly OwnersRule[], paths: readonly string[]): Promise<string[]> {
  const owners = new Set<string>()
  const end = performance.now() + times.all
  let turn = performance.now() + times.turn
  for (const { negative, matches, owners: named } of rules) {
    for (const path of paths) {
      if (performance.now() > turn) {
        await setImmediate()
        turn = performance.now() + times.turn
      }
      if (turn > end) return [...owners]
      if (matches(path) === negative) continue
      for (const name of named) owners.add(name)
      break
    }
  }
  return [...owners]
}
