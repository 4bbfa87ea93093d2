import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { messageOf } from './common/errors.ts'
import { done, failed, type Outcome } from './common/outcome.ts'
import { parseDuration } from './common/units.ts'
import type { Rate } from './limiter/rate-limiter.ts'

// Schemas for the values of environment variables. Their messages follow the name of the variable.

/** An integer within bounds. */
export function integer(from: number, to: number) {
  return v.pipe(
    v.string(),
    v.regex(/^\d{1,9}$/, 'must be an integer'),
    v.transform(Number),
    v.minValue(from, `must be at least ${from}`),
    v.maxValue(to, `must be at most ${to}`),
  )
}

/** A quantity with a unit, read by `parse`, which returns undefined for invalid text. */
export function quantity(parse: (text: string) => number | undefined, message: string) {
  return v.pipe(
    v.string(),
    v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
      const amount = parse(dataset.value)
      if (amount !== undefined && amount > 0) return amount
      addIssue({ message })
      return NEVER
    }),
  )
}

/** Whether a text is a URL with one of these protocols. Blanks around it would stay in what is made of the text. */
export const isAddress = (text: string, protocols: readonly string[]) =>
  text === text.trim() && URL.canParse(text) && protocols.includes(new URL(text).protocol)

/** A URL with one of these protocols. */
const address = (protocols: readonly string[], message: string) =>
  v.pipe(
    v.string(),
    v.check((text) => isAddress(text, protocols), message),
  )

/** Whether every percent sign of a text begins a valid escape. */
function decodes(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The base of all paths; every client can see it. */
export const publicAddress = v.pipe(
  address(['http:', 'https:'], 'must be an http or https address'),
  v.check((text) => !/[?#]|\/\/[^/]*@/.test(text), 'must have neither a user nor anything from ? or # on'),
)

/** The address of git over SSH, with a user and without a path. */
export const sshAddress = v.pipe(
  v.string(),
  v.check(
    (text) => URL.canParse(text) && /^ssh:\/\/[\w.-]+@[^/?#@:]+(?::\d+)?\/?$/.test(text),
    'must be a user and a host, such as ssh://git@forge.example.org or ssh://git@forge.example.org:2222',
  ),
)

/** What libpq knows; the empty one: it is not set. */
const sslModes = new Set(['', 'disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'])

const modeIn = (text: string) => (URL.canParse(text) ? (new URL(text).searchParams.get('sslmode') ?? '') : '')

/** An unescaped percent sign, most likely in a password, makes the address unreadable. */
export const databaseAddress = v.pipe(
  address(['postgres:', 'postgresql:'], 'must be a postgres address'),
  v.check(decodes, 'must be a postgres address, in which % is written %25'),
  // postgres.js never gives up on a list of hosts, and uses the port of the last one for the others.
  v.check((text) => !(URL.canParse(text) && new URL(text).hostname.includes(',')), 'must name one host'),
  v.check((text) => sslModes.has(modeIn(text)), 'has an unknown sslmode'),
)

/** A value read by `parse`, which returns the value, or a fault that follows the name of the variable. */
export function read<Value>(parse: (text: string) => Outcome<Value, string>) {
  return v.pipe(
    v.string(),
    v.rawTransform<string, Value>(({ dataset, addIssue, NEVER }) => {
      const outcome = parse(dataset.value)
      if (outcome.ok) return outcome.value
      addIssue({ message: outcome.fault })
      return NEVER
    }),
  )
}

/** The first line of the file that the text names. */
export const firstLine = read((path) => {
  try {
    const [line = ''] = readFileSync(path, 'utf8').split(/\r?\n/)
    return line === '' ? failed('names a file whose first line is empty') : done(line)
  } catch (error) {
    return failed(`names a file that cannot be read: ${messageOf(error)}`)
  }
})

/** A duration of at most an hour: timers, and the limits of PostgreSQL, end at 2³¹ milliseconds. */
export const timeout = (example: string) =>
  v.pipe(
    quantity(parseDuration, `must be a duration such as ${example}`),
    v.maxValue(3_600_000, 'must be at most 1h'),
  )

export const yesOrNo = v.pipe(
  v.picklist(['true', 'false', '1', '0', 'yes', 'no'], 'must be true or false'),
  v.transform((text) => text === 'true' || text === '1' || text === 'yes'),
)

/** How much a client may do in which time, or `off`. */
export const rate = read((text): Outcome<Rate | undefined, string> => {
  if (text === 'off') return done(undefined)
  const [, amount, time = ''] = /^(\d{1,9})\/(.+)$/.exec(text) ?? []
  const milliseconds = parseDuration(time)
  return Number(amount) > 0 && milliseconds
    ? done({ amount: Number(amount), milliseconds })
    : failed('must be a number in a time such as 600/1m, or off')
})
