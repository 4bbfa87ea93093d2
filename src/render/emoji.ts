import { gemoji } from 'gemoji'
import type { Match, Matcher } from './inline.ts'
import { element } from './tree.ts'

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
  hint: ':',
  pattern: alias,
  build: ([, name = '']) => {
    const entry = byName.get(name)
    return entry === undefined ? undefined : show(entry.emoji, entry.description)
  },
}

/** Emoji characters get a description for those who cannot see them. */
export const emojiCharacters: Matcher = {
  pattern: characters,
  build: ([found]) => {
    const entry = byCharacter.get(bare(found))
    return entry === undefined ? undefined : show(found, entry.description)
  },
}

function show(emoji: string, description: string): Match {
  return [element('span', { className: ['emoji'], ariaLabel: description }, emoji)]
}
