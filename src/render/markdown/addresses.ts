import { normalizeUri } from 'micromark-util-sanitize-uri'
import type { Matcher } from './inline.ts'
import { generatedLink } from './references.ts'

/**
 * What an address may contain but not end with, what it may end with, and both. Quotation marks and brackets of any language
 * are around addresses, never in them.
 */
const inside = String.raw`(?:[!'*,.:;?@\\]|(?![\0-\xa0])\p{Po})`
const end = String.raw`(?:[\w~/#%$&+=-]|(?![\0-\xa0])[\p{L}\p{M}\p{N}\p{Sc}\p{So}])`
const any = `(?:${inside}|${end})`

// Brackets belong to an address if it closes all that it opens; once, brackets of the same kind may stand in them.
const round = String.raw`\((?:${any}|\(${any}*\))*\)`
const square = String.raw`\[(?:${any}|\[${any}*\])*\]`
const curly = String.raw`\{(?:${any}|\{${any}*\})*\}`

const address = new RegExp(`https?://(?:${inside}*(?:${end}|${round}|${square}|${curly}))+`, 'giu')

/** Bare addresses of the web, wherever they begin. A text that is cut off inside of an address has no link there. */
export const addresses: Matcher = {
  hint: /:\/\//,
  pattern: address,
  build: ({ 0: url, index, input }) =>
    /^(?:\.{3}|…)$/.test(input.slice(index + url.length)) ? undefined : [generatedLink(encode(url), url)],
}

/** Percent-encodes what is not allowed in an address. Square brackets stay: they are around the numbers of a host. */
const encode = (url: string) => url.replace(/[^[\]]+/g, (part) => normalizeUri(part))
