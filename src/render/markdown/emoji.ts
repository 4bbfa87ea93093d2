import { gemoji } from 'gemoji'
import { element } from '../html/tree.ts'
import type { Match, Matcher } from './inline.ts'
import { type Named, newerEmoji } from './newer-emoji.ts'

const known: readonly Named[] = [...gemoji, ...newerEmoji]
const byName = new Map(known.flatMap((entry) => entry.names.map((name) => [name, entry] as const)))
const byCharacter = new Map(known.map((entry) => [bare(entry.emoji), entry]))

/** Presentation selectors make no other picture. */
function bare(emoji: string): string {
  return emoji.replaceAll('\ufe0f', '')
}

/** Every sequence that Unicode recommends for interchange (UTS 51), as the engine's own table knows them. */
// The flag is newer than the language level the type check is set to, not than Node 20.
const everywhere: string = 'gv'
const alone: string = 'v'
const characters = new RegExp('\\p{RGI_Emoji}', everywhere)
const single = new RegExp('^\\p{RGI_Emoji}$', alone)
const alias = /(?<!`):([\w+-]{1,60}):(?![\p{L}\p{N}:])/gu

/** `:smile:` becomes its character. */
export const emojiAliases: Matcher = {
  hint: /:/,
  pattern: alias,
  build: ([, name = '']) => {
    const emoji = byName.get(name)?.emoji ?? withTone(name)
    const description = emoji && describe(emoji)
    return emoji && description ? show(emoji, description) : undefined
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

/** `wave_dark_skin_tone`, in any case: an emoji of people with the name of a tone behind its own. */
function withTone(name: string): string | undefined {
  const lower = name.toLowerCase()
  // The longer names first: `light` ends `medium-light`.
  for (const [mark, tone] of [...tones].sort(([, a], [, b]) => b.length - a.length)) {
    for (const suffix of [`_${tone}_skin_tone`, `_${tone.replace('-', '_')}_skin_tone`]) {
      const person = lower.endsWith(suffix) && byName.get(lower.slice(0, -suffix.length))
      if (!person) continue
      const toned = person.emoji.replace(/(\p{Emoji_Modifier_Base})\ufe0f?/gu, `$1${mark}`)
      return toned !== person.emoji && single.test(toned) ? toned : undefined
    }
  }
  return undefined
}

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
