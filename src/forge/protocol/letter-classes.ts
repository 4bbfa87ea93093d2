/** The last letter that has another case, of the alphabets that `forge.text_like` compares without rules of Unicode. */
const lastLetter = 0xff3a

/** For each letter in lower case all letters that fold to it, itself among them. */
let alike: ReadonlyMap<string, string> | undefined

function lettersAlike(): ReadonlyMap<string, string> {
  const letters = new Map<string, string>()
  for (let code = 0x61; code <= lastLetter; code++) {
    const letter = String.fromCodePoint(code)
    const lower = letter.toLowerCase().replace('ς', 'σ')
    if (lower !== letter && lower.length === 1) letters.set(lower, (letters.get(lower) ?? lower) + letter)
  }
  for (const lower of 'abcdefghijklmnopqrstuvwxyz') letters.set(lower, `${lower}${lower.toUpperCase()}`)
  return letters
}

/**
 * A regular expression of PostgreSQL for texts as they were written, which matches what a pattern in the form of
 * `forge.fold` matches in folded texts; for letters whose only forms are their cases.
 */
export function letterClasses(pattern: string): string {
  alike ??= lettersAlike()
  const letters = alike
  const inside = Array.from(pattern.replace(/^%/, '').replace(/%$/, ''), (letter) => {
    if (letter === '%') return '.*'
    if (letter === '_') return '.'
    const all = letters.get(letter)
    return all === undefined ? escaped(letter) : `[${all}]`
  })
  return `${pattern.startsWith('%') ? '' : '^'}${inside.join('')}${pattern.endsWith('%') ? '' : '$'}`
}

/** Escapes a character that may have a meaning in a regular expression. */
const escaped = (character: string) => (/[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character)
