import type { Construct, ConstructRecord, Effects, TokenizeContext } from 'micromark-util-types'
import { budgeted, once } from './backtracking-budget.ts'

/** The construct, restricted to where `allowed` is true. */
function where(construct: Construct, allowed: (context: TokenizeContext) => boolean): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      return allowed(this) ? construct.tokenize.call(this, effects, ok, nok) : nok
    },
  }
}

/** Each container takes at least one column: deeper lists and quotes are text. */
const maxColumn = 100

export const boundedContainer = (construct: Construct) =>
  where(construct, (context) => context.now().column <= maxColumn)

/** Maximum open brackets where an image begins: each one around another buffers its whole content again. */
const maxOpen = 100

export const boundedImage = (construct: Construct) =>
  where(construct, ({ _labelStarts = [] }) => _labelStarts.length < maxOpen)

/** Checks for `![^a]` only after a `![` that is not an image: the library searches the whole preceding text for it. */
export const boundedNote = (construct: Construct) =>
  where(construct, ({ _labelStarts = [] }) => {
    const label = _labelStarts.at(-1)
    return label?.type === 'labelImage' && label._balanced === true
  })

/** Maximum length of a reference label (CommonMark 0.31, "Link reference definitions"). */
const maxLabel = 999

/**
 * The end of a link or image. Does not look up texts that no definition can have, and limits the search through titles
 * and addresses without an end.
 */
export function boundedLabel(construct: Construct): Construct {
  const limited = withContext(construct, (context) => ({
    sliceSerialize: {
      value: (span: Parameters<TokenizeContext['sliceSerialize']>[0], expandTabs?: boolean) => {
        const hasDefinitions = context.parser.defined.length > 0
        if (!hasDefinitions || span.end.offset - span.start.offset > maxLabel + 2) return ''
        return context.sliceSerialize(span, expandTabs)
      },
    },
  }))
  return withParts(limited, budgeted)
}

const isConstruct = (part: Construct | Construct[] | ConstructRecord): part is Construct =>
  'tokenize' in part && typeof part.tokenize === 'function'

/** The construct, with `bound` applied to the constructs that it attempts as its parts. */
function withParts(construct: Construct, bound: (part: Construct) => Construct): Construct {
  const boundedPart = once(bound)
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      const attempt: Effects['attempt'] = (part, ...states) =>
        effects.attempt(isConstruct(part) ? boundedPart(part) : part, ...states)
      return construct.tokenize.call(this, { ...effects, attempt }, ok, nok)
    },
  }
}

/** The construct, with some properties of its context replaced. */
function withContext(
  construct: Construct,
  properties: (context: TokenizeContext) => PropertyDescriptorMap,
): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      const context: TokenizeContext = Object.create(this, properties(this))
      return construct.tokenize.call(context, effects, ok, nok)
    },
  }
}
