import type { Nodes, Root, Text } from 'hast'
import { trimEnd } from '../../common/trim.ts'
import { text } from '../html/tree.ts'
import type { Matcher } from './inline.ts'
import { generatedLink } from './references.ts'

declare module 'hast' {
  interface TextData {
    /** `name` or `organization/team` in lower case. The sanitizer keeps data of nodes, and no author can write any. */
    mention?: string
  }
}

/** Names may contain dots; a trailing dot ends the sentence instead. */
const name = String.raw`[\w-]+(?:\.[\w-]+)*`
const before = String.raw`(?<=^|[\s(\[])`
const after = String.raw`(?=$|[\s)\]'?!]|[:,;.](?:$|\s|[)\]]))`
const mention = new RegExp(`${before}@(${name})${after}`, 'g')
const teamMention = new RegExp(`${before}@(${name}/${name})${after}`, 'g')

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
    const [written] = /^[\w.\\-]{1,200}/.exec(source.slice(index + 1, index + 201)) ?? []
    // Markdown may escape the punctuation of a name.
    const clean = written && trimEnd(written.replaceAll('\\', ''), '.').toLowerCase()
    if (clean) addName(names, clean)
    index = source.indexOf('@', index + 1)
  }
  return [...names]
}

/** Adds `name_` with and without the trailing underscore: `@name_` may be a name in emphasis. */
function addName(names: Set<string>, clean: string): void {
  names.add(clean)
  const inner = trimEnd(clean, '_')
  if (inner !== '') names.add(inner)
}

/** Links `@name` for the accounts in `knownAccounts`. */
export function mentions(host: string, knownAccounts: readonly string[]): Matcher {
  const known = new Set(knownAccounts.map((account) => account.toLowerCase()))
  return {
    hint: /@/,
    pattern: mention,
    build: ([whole, account = '']) => {
      const key = account.toLowerCase()
      if (!known.has(key)) return undefined
      return [generatedLink(`${host}${account}`, marked(whole, key))]
    },
  }
}

/** Marks `@organization/team`. It stays text: a team has no page, and its name may be private. */
export const teamMentions: Matcher = {
  hint: /@/,
  pattern: teamMention,
  build: ([whole, team = '']) => [marked(whole, team.toLowerCase())],
}

const marked = (value: string, mention: string): Text => ({ ...text(value), data: { mention } })

/** The linked accounts and marked teams of a tree, unique, up to 500: whoever reads the text sees these mentions. */
export function mentionsIn(root: Root): string[] {
  const names = new Set<string>()
  const visit = (node: Nodes) => {
    if (names.size === maxNames) return
    if (node.type === 'text' && node.data?.mention !== undefined) names.add(node.data.mention)
    if ('children' in node) for (const child of node.children) visit(child)
  }
  visit(root)
  return [...names]
}
