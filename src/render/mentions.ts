import type { Matcher } from './inline.ts'
import { withoutCode } from './prose.ts'
import { generatedLink } from './references.ts'

/** Names may hold dots inside, but a dot at the end ends the sentence. */
const name = String.raw`[\w-]+(?:\.[\w-]+)*`
const mention = new RegExp(String.raw`(?<=^|[\s(\[])@(${name})(?=$|[\s)\]'?!]|[:,;.](?:$|\s|[)\]]))`, 'g')

/** More names than this are not looked up for one text. */
const maxNames = 500

/**
 * The names a text may mention, in lower case and each once: those to look up before rendering. It may hold more than
 * the rendered text links (a name inside code, say), never fewer, up to 500.
 */
export function mentionedNames(source: string): string[] {
  const names = new Set<string>()
  // Markdown may escape the punctuation of a name.
  for (let at = source.indexOf('@'); at >= 0 && names.size < maxNames; at = source.indexOf('@', at + 1)) {
    const [found] = /^[\w.\\-]{1,200}/.exec(source.slice(at + 1, at + 201)) ?? []
    const clean = found?.replaceAll('\\', '').replace(/\.+$/, '').toLowerCase()
    if (clean !== undefined && clean !== '') addName(names, clean)
  }
  return [...names]
}

/** The names that a text addresses, in lower case and each once, up to 500: those it would link, outside of code. */
export function addressedNames(source: string): string[] {
  const names = new Set<string>()
  if (!source.includes('@')) return []
  for (const [, found = ''] of withoutCode(source).matchAll(mention)) {
    if (names.size === maxNames) break
    names.add(found.toLowerCase())
  }
  return [...names]
}

/** `@name_` may be a name in emphasis as well as one with an underscore at its end. */
function addName(names: Set<string>, clean: string): void {
  names.add(clean)
  const inner = clean.replace(/_+$/, '')
  if (inner !== clean && inner !== '') names.add(inner)
}

/** Links `@name` for the accounts that exist and are public. */
export function mentions(host: string, knownAccounts: readonly string[]): Matcher {
  const known = new Set(knownAccounts.map((account) => account.toLowerCase()))
  return {
    hint: '@',
    pattern: mention,
    build: ([found, account = '']) =>
      known.has(account.toLowerCase()) ? [generatedLink(`${host}${account}`, found)] : undefined,
  }
}
