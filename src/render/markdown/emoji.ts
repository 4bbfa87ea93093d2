import { gemoji } from 'gemoji'
import { element } from '../html/tree.ts'
import type { Match, Matcher } from './inline.ts'
import { type Named, newerEmoji } from './newer-emoji.ts'

const emojis: readonly Named[] = [...gemoji, ...newerEmoji]
const byName = new Map(emojis.flatMap((entry) => entry.names.map((name) => [name, entry] as const)))
const byCharacter = new Map(emojis.map((entry) => [bare(entry.emoji), entry]))

/** Removes presentation selectors, which do not change the emoji. */
function bare(emoji: string): string {
  return emoji.replaceAll('\ufe0f', '')
}

/** Every sequence that Unicode recommends for interchange (UTS 51), from the engine's own table. */
// The `v` flag is newer than the language level of the type check, but Node 20 supports it.
const globalFlags: string = 'gv'
const flags: string = 'v'
const characters = new RegExp('\\p{RGI_Emoji}', globalFlags)
const single = new RegExp('^\\p{RGI_Emoji}$', flags)
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

/** Gives emoji characters a description for screen readers. */
export const emojiCharacters: Matcher = {
  // Keycaps, old symbols, and the high surrogates of the planes above.
  hint: /[\xa9\xae\u203c-\u3299\ud83c-\ud83e]/,
  pattern: characters,
  build: ([emoji]) => {
    const description = describe(emoji)
    return description === undefined ? undefined : show(emoji, description)
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

/** `wave_dark_skin_tone`, in any case: an emoji of a person with the name of a skin tone appended. */
function withTone(name: string): string | undefined {
  const lower = name.toLowerCase()
  // Longer names first: `medium-light` ends with `light`.
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

/** The description of an emoji; those of people may have one or more skin tones. */
function describe(emoji: string): string | undefined {
  const plain = bare(emoji)
  const entry = byCharacter.get(plain)
  if (entry !== undefined) return entry.description
  const person = byCharacter.get(plain.replace(modifier, ''))
  if (person === undefined) return undefined
  const colors = [...new Set(plain.match(modifier))].map((mark) => `${tones.get(mark)} skin tone`)
  return `${person.description}: ${colors.join(', ')}`
}

function show(emoji: string, description: string): Match {
  return [element('span', { className: ['emoji'], ariaLabel: description }, emoji)]
}
