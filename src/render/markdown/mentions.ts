import type { Matcher } from './inline.ts'
import { withoutCode } from './prose.ts'
import { generatedLink } from './references.ts'

/** Names may hold dots inside, but a dot at the end ends the sentence. */
const name = String.raw`[\w-]+(?:\.[\w-]+)*`
const mention = new RegExp(String.raw`(?<=^|[\s(\[])@(${name})(?=$|[\s)\]'?!]|[:,;.](?:$|\s|[)\]]))`, 'g')

/** More names than this are not looked up for one text. */
const maxNames = 500
/** Of so many at signs the names are read: this runs in the thread that serves all requests. */
const maxSigns = 20_000

/**
 * The names a text may mention, in lower case and each once: those to look up before rendering. It may hold more than
 * the rendered text links (a name inside code, say), never fewer, up to 500 names of the first 20,000 at signs.
 */
export function mentionedNames(source: string): string[] {
  const names = new Set<string>()
  let at = source.indexOf('@')
  for (let signs = 0; at >= 0 && signs < maxSigns && names.size < maxNames; signs++) {
    const [found] = /^[\w.\\-]{1,200}/.exec(source.slice(at + 1, at + 201)) ?? []
    // Markdown may escape the punctuation of a name.
    const clean = found && withoutEnd(found.replaceAll('\\', ''), '.').toLowerCase()
    if (clean) addName(names, clean)
    at = source.indexOf('@', at + 1)
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
  const inner = withoutEnd(clean, '_')
  if (inner !== '') names.add(inner)
}

/** The text without the marks at its end. */
function withoutEnd(text: string, mark: string): string {
  let end = text.length
  while (text[end - 1] === mark) end--
  return text.slice(0, end)
}

/** Links `@name` for the accounts that exist and are public. */
export function mentions(host: string, knownAccounts: readonly string[]): Matcher {
  const known = new Set(knownAccounts.map((account) => account.toLowerCase()))
  return {
    hint: /@/,
    pattern: mention,
    build: ([found, account = '']) =>
      known.has(account.toLowerCase()) ? [generatedLink(`${host}${account}`, found)] : undefined,
  }
}
