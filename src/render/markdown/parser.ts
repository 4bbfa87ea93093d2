import { parse } from 'micromark'
import type {
  Construct,
  ConstructRecord,
  Extension,
  FullNormalizedExtension,
  ParseContext,
} from 'micromark-util-types'
import { budgeted, once } from './backtracking-budget.ts'
import { boundedContainer, boundedImage, boundedLabel, boundedNote } from './brackets.ts'
import { resolveSpans } from './spans.ts'

/** Creates parsers of one dialect, one per text, whose time is linear in the length of any text. */
export function createDialect(extensions: Extension[]): () => ParseContext {
  let constructs: FullNormalizedExtension | undefined
  return () => {
    const parser = parse({ extensions })
    constructs ??= bound(parser.constructs)
    return Object.assign(parser, { constructs, defined: new Names(), gfmFootnotes: new Names() })
  }
}

type Wrap = (construct: Construct) => Construct

/** What some inline constructs need besides the backtracking budget, by name. */
const bounds: Readonly<Record<string, Wrap>> = {
  attention: paired,
  strikethrough: paired,
  labelStartImage: boundedImage,
  labelEnd: boundedLabel,
  gfmPotentialFootnoteCall: boundedNote,
}

function bound(constructs: FullNormalizedExtension): FullNormalizedExtension {
  const special: Wrap = (construct) => bounds[construct.name ?? '']?.(construct) ?? construct
  return {
    ...constructs,
    document: each(constructs.document, boundedContainer),
    text: each(constructs.text, (construct) => budgeted(special(construct))),
    insideSpan: { null: constructs.insideSpan.null?.map(pairedInSpan) },
  }
}

/** The construct, with `spans.ts` pairing its runs. */
function paired(construct: Construct): Construct {
  return { ...construct, resolveAll: resolveSpans }
}

/** Resolvers of link content are listed with the constructs; some of them are not constructs at all. */
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

/** Names of definitions. The libraries keep them in an array and search it for each reference; this uses a set. */
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
