import { trimEnd } from '../../trim.ts'
import type { Matcher } from './inline.ts'
import { withoutCode } from './prose.ts'
import { generatedLink } from './references.ts'

/** Names may contain dots; a trailing dot ends the sentence instead. */
const name = String.raw`[\w-]+(?:\.[\w-]+)*`
const mention = new RegExp(String.raw`(?<=^|[\s(\[])@(${name})(?=$|[\s)\]'?!]|[:,;.](?:$|\s|[)\]]))`, 'g')

/** Maximum number of names looked up for one text. */
const maxNames = 500
/** Maximum number of at signs checked for names: this runs on the main thread. */
const maxAtSigns = 20_000

/**
 * The names a text may mention, in lower case and unique, for the lookup before rendering. May contain more names than
 * the rendered text links (a name inside code, say), never fewer, up to 500 names of the first 20,000 at signs.
 */
export function mentionedNames(source: string): string[] {
  const names = new Set<string>()
  let index = source.indexOf('@')
  for (let count = 0; index >= 0 && count < maxAtSigns && names.size < maxNames; count++) {
    const [found] = /^[\w.\\-]{1,200}/.exec(source.slice(index + 1, index + 201)) ?? []
    // Markdown may escape the punctuation of a name.
    const clean = found && trimEnd(found.replaceAll('\\', ''), '.').toLowerCase()
    if (clean) addName(names, clean)
    index = source.indexOf('@', index + 1)
  }
  return [...names]
}

/** The names a text mentions outside of code, in lower case and unique, up to 500: those it would link. */
export function addressedNames(source: string): string[] {
  const names = new Set<string>()
  if (!source.includes('@')) return []
  for (const [, found = ''] of withoutCode(source).matchAll(mention)) {
    if (names.size === maxNames) break
    names.add(found.toLowerCase())
  }
  return [...names]
}

/** Adds `name_` with and without the trailing underscore: `@name_` may be a name in emphasis. */
function addName(names: Set<string>, clean: string): void {
  names.add(clean)
  const inner = trimEnd(clean, '_')
  if (inner !== '') names.add(inner)
}

/** Links `@name` for the existing public accounts. */
export function mentions(host: string, knownAccounts: readonly string[]): Matcher {
  const known = new Set(knownAccounts.map((account) => account.toLowerCase()))
  return {
    hint: /@/,
    pattern: mention,
    build: ([found, account = '']) =>
      known.has(account.toLowerCase()) ? [generatedLink(`${host}${account}`, found)] : undefined,
  }
}
