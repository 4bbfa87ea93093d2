/** An emoji, its names (written between colons), and its short name (CLDR). */
export interface Named {
  readonly emoji: string
  readonly names: readonly string[]
  readonly description: string
}

const entry = (emoji: string, name: string, description = name.replaceAll('_', ' ')): Named => ({
  emoji,
  names: [name],
  description,
})

const joiner = '\u200d'
const right = `${joiner}\u27a1\ufe0f`

/** A person, a woman and a man facing right (Emoji 15.1). */
function facingRight(noun: string, [person, woman, man]: readonly [string, string, string]): Named[] {
  return [
    entry(person + right, `person_${noun}_facing_right`),
    entry(woman + right, `woman_${noun}_facing_right`),
    entry(man + right, `man_${noun}_facing_right`),
  ]
}

/** Person, woman and man, for an activity (`doing`) and with an object (`having`). */
const doing = (emoji: string) =>
  [emoji, `${emoji}${joiner}\u2640\ufe0f`, `${emoji}${joiner}\u2642\ufe0f`] as const
const having = (emoji: string) =>
  [`🧑${joiner}${emoji}`, `👩${joiner}${emoji}`, `👨${joiner}${emoji}`] as const

/** Additions of Emoji 15.1 and 16.0; the library ends at 15.0. */
export const newerEmoji: readonly Named[] = [
  entry('🙂\u200d↔️', 'head_shaking_horizontally'),
  entry('🙂\u200d↕️', 'head_shaking_vertically'),
  ...facingRight('walking', doing('🚶')),
  ...facingRight('kneeling', doing('🧎')),
  ...facingRight('running', doing('🏃')),
  ...facingRight('with_white_cane', having('🦯')),
  ...facingRight('in_motorized_wheelchair', having('🦼')),
  ...facingRight('in_manual_wheelchair', having('🦽')),
  entry('🧑\u200d🧑\u200d🧒', 'family_adult_adult_child', 'family: adult, adult, child'),
  entry('🧑\u200d🧑\u200d🧒\u200d🧒', 'family_adult_adult_child_child', 'family: adult, adult, child, child'),
  entry('🧑\u200d🧒', 'family_adult_child', 'family: adult, child'),
  entry('🧑\u200d🧒\u200d🧒', 'family_adult_child_child', 'family: adult, child, child'),
  entry('🐦\u200d🔥', 'phoenix'),
  entry('🍋\u200d🟩', 'lime'),
  entry('🍄\u200d🟫', 'brown_mushroom'),
  entry('⛓️\u200d💥', 'broken_chain'),
  entry('🫩', 'face_with_bags_under_eyes'),
  entry('🫆', 'fingerprint'),
  entry('🪾', 'leafless_tree'),
  entry('🫜', 'root_vegetable'),
  entry('🪉', 'harp'),
  entry('🪏', 'shovel'),
  entry('🫟', 'splatter'),
  entry('🇨🇶', 'flag_sark', 'flag: Sark'),
]
