import { gemoji } from 'gemoji'
import { element } from '../html/tree.ts'
import type { Match, Matcher } from './inline.ts'

const byName = new Map(gemoji.flatMap((entry) => entry.names.map((name) => [name, entry] as const)))
const byCharacter = new Map(gemoji.map((entry) => [bare(entry.emoji), entry]))

/** Presentation selectors make no other picture. */
function bare(emoji: string): string {
  return emoji.replaceAll('\ufe0f', '')
}

/** Every sequence that Unicode recommends for interchange (UTS 51), as the engine's own table knows them. */
// The flag is newer than the language level the type check is set to, not than Node 20.
const flags: string = 'gv'
const characters = new RegExp('\\p{RGI_Emoji}', flags)
const alias = /(?<!`):([\w+-]{1,60}):(?![\p{L}\p{N}:])/gu

/** `:smile:` becomes its character. */
export const emojiAliases: Matcher = {
  hint: /:/,
  pattern: alias,
  build: ([, name = '']) => {
    const entry = byName.get(name)
    return entry === undefined ? undefined : show(entry.emoji, entry.description)
  },
}

/** Emoji characters get a description for those who cannot see them. */
export const emojiCharacters: Matcher = {
  // Keycaps, the old symbols, and all of the planes above, whose halves these are.
  hint: /[\xa9\xae\u203c-\u3299\ud83c-\ud83e]/,
  pattern: characters,
  build: ([found]) => {
    const description = describe(found)
    return description === undefined ? undefined : show(found, description)
  },
}

/** The modifiers of Fitzpatrick's scale (UTS 51, 2.4). */
const tones = new Map([
  ['\u{1f3fb}', 'light'],
  ['\u{1f3fc}', 'medium-light'],
  ['\u{1f3fd}', 'medium'],
  ['\u{1f3fe}', 'medium-dark'],
  ['\u{1f3ff}', 'dark'],
])
const modifier = /[\u{1f3fb}-\u{1f3ff}]/gu

/** What an emoji shows; those of people may have a colour of skin, or several. */
function describe(found: string): string | undefined {
  const plain = bare(found)
  const known = byCharacter.get(plain)
  if (known !== undefined) return known.description
  const person = byCharacter.get(plain.replace(modifier, ''))
  if (person === undefined) return undefined
  const colors = [...new Set(plain.match(modifier))].map((mark) => `${tones.get(mark)} skin tone`)
  return `${person.description}: ${colors.join(', ')}`
}

function show(emoji: string, description: string): Match {
  return [element('span', { className: ['emoji'], ariaLabel: description }, emoji)]
}
