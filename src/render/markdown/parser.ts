import { parse } from 'micromark'
import type {
  Construct,
  ConstructRecord,
  Extension,
  FullNormalizedExtension,
  ParseContext,
} from 'micromark-util-types'
import { boundedAddress, boundedContainer, boundedImage, boundedLabel, boundedNote } from './brackets.ts'
import { resolveSpans } from './spans.ts'
import { once, thrifty } from './thrift.ts'

/** Makes parsers of one dialect, each for one text, that take time in proportion to it, whatever it holds. */
export function createDialect(extensions: Extension[]): () => ParseContext {
  let constructs: FullNormalizedExtension | undefined
  return () => {
    const parser = parse({ extensions })
    constructs ??= bound(parser.constructs)
    return Object.assign(parser, { constructs, defined: new Names(), gfmFootnotes: new Names() })
  }
}

type Wrap = (construct: Construct) => Construct

/** What constructs inside paragraphs need beside thrift, by their names. */
const bounds: Readonly<Record<string, Wrap>> = {
  attention: paired,
  strikethrough: paired,
  labelStartImage: boundedImage,
  labelEnd: boundedLabel,
  gfmPotentialFootnoteCall: boundedNote,
  protocolAutolink: boundedAddress,
}

function bound(constructs: FullNormalizedExtension): FullNormalizedExtension {
  const special: Wrap = (construct) => bounds[construct.name ?? '']?.(construct) ?? construct
  return {
    ...constructs,
    document: each(constructs.document, boundedContainer),
    text: each(constructs.text, (construct) => thrifty(special(construct))),
    insideSpan: { null: constructs.insideSpan.null?.map(pairedInSpan) },
  }
}

/** The construct, with its runs paired by `spans.ts`. */
function paired(construct: Construct): Construct {
  return { ...construct, resolveAll: resolveSpans }
}

/** What is done to the content of a link is listed beside the constructs, some of which do nothing else. */
function pairedInSpan(part: Pick<Construct, 'resolveAll'>): Pick<Construct, 'resolveAll'> {
  const pairs = 'name' in part && (part.name === 'attention' || part.name === 'strikethrough')
  return pairs ? { resolveAll: resolveSpans } : part
}

/** Wraps every construct once, wherever it is listed. */
function each(record: ConstructRecord, wrap: Wrap): ConstructRecord {
  const wrapped = once(wrap)
  return Object.fromEntries(
    Object.entries(record).map(([code, list]) => [code, [list ?? []].flat().map(wrapped)]),
  )
}

/** Names of definitions. The libraries keep them in a list and ask it for each reference. */
class Names extends Array<string> {
  readonly #known = new Set<string>()

  override push(...names: string[]): number {
    for (const name of names) this.#known.add(name)
    return super.push(...names)
  }

  override includes(name: string): boolean {
    return this.#known.has(name)
  }
}
