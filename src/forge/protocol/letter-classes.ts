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
 * A regular expression of PostgreSQL that says the same as a pattern in the form of `forge.fold`, about texts as they
 * were written: of letters that have no other form than those of their cases.
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

/** Signs may mean something in an expression. */
const escaped = (sign: string) => (/[!-/:-@[-`{-~]/.test(sign) ? `\\${sign}` : sign)
