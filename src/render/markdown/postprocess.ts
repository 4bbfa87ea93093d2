import type { Root } from 'hast'
import type { RenderRequest } from '../request.ts'
import { addresses } from './addresses.ts'
import { emojiAliases, emojiCharacters } from './emoji.ts'
import { type Matcher, replaceText } from './inline.ts'
import type { Links } from './links.ts'
import { mentions, teamMentions } from './mentions.ts'
import { crossReferences, mailAddresses, shortenOwnLinks, shortReferences } from './references.ts'
import { resolveLinks } from './resolve.ts'
import { shortLinks } from './shortlinks.ts'

/**
 * Adds what depends on the site: absolute links, and links to issues, commits and accounts. `short` says whether `#12`
 * means an issue of the current repository (comments and wikis; in files it may mean anything).
 */
export function postProcess(root: Root, links: Links, request: RenderRequest, short: boolean): void {
  resolveLinks(root, links)
  const emoji = [emojiAliases, emojiCharacters]
  const matchers: Matcher[] = [
    shortLinks(links),
    addresses,
    ...crossReferences(links.host),
    ...(short && links.repo !== undefined ? [shortReferences(links.repo)] : []),
    mentions(links.host, request.knownAccounts),
    teamMentions,
    mailAddresses,
    ...emoji,
  ]
  replaceText(root, matchers, emoji)
  shortenOwnLinks(root, links)
}
