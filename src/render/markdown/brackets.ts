import type { Construct, ConstructRecord, Effects, TokenizeContext } from 'micromark-util-types'
import { once, thrifty } from './thrift.ts'

/** The construct where the rule allows it. */
function where(construct: Construct, allowed: (context: TokenizeContext) => boolean): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      return allowed(this) ? construct.tokenize.call(this, effects, ok, nok) : nok
    },
  }
}

/** Each container takes a column at least: lists and quotes deeper than anybody reads are text. */
const maxColumn = 100

export const boundedContainer = (construct: Construct) =>
  where(construct, (context) => context.now().column <= maxColumn)

/** So many brackets may be open where a picture begins: each one around another takes up its whole content again. */
const maxOpen = 100

export const boundedImage = (construct: Construct) =>
  where(construct, ({ _labelStarts = [] }) => _labelStarts.length < maxOpen)

/** `![^a]` is looked for only behind a `![` that is no picture: the library looks back through all the text for it. */
export const boundedNote = (construct: Construct) =>
  where(construct, ({ _labelStarts = [] }) => {
    const label = _labelStarts.at(-1)
    return label?.type === 'labelImage' && label._balanced === true
  })

/** A label that could be a reference's has at most so many characters (CommonMark 0.31, "Link reference definitions"). */
const maxLabel = 999

/**
 * The end of a link or picture, which does not look up texts that no definition can have, and gives up titles and addresses
 * without an end.
 */
export function boundedLabel(construct: Construct): Construct {
  const looking = withContext(construct, (context) => ({
    sliceSerialize: {
      value: (span: Parameters<TokenizeContext['sliceSerialize']>[0], expandTabs?: boolean) => {
        const known = context.parser.defined.length > 0
        if (!known || span.end.offset - span.start.offset > maxLabel + 2) return ''
        return context.sliceSerialize(span, expandTabs)
      },
    },
  }))
  const thriftyPart = once(thrifty)
  return {
    ...looking,
    tokenize(effects, ok, nok) {
      const attempt: Effects['attempt'] = (part, ...states) =>
        effects.attempt(isConstruct(part) ? thriftyPart(part) : part, ...states)
      return looking.tokenize.call(this, { ...effects, attempt }, ok, nok)
    },
  }
}

const isConstruct = (part: Construct | Construct[] | ConstructRecord): part is Construct =>
  'tokenize' in part && typeof part.tokenize === 'function'

/**
 * A bare address, which knows the open bracket around it without looking back through all the text, and looks only once
 * whether a run of punctuation is its end.
 */
export function boundedAddress(construct: Construct): Construct {
  const looking = withContext(construct, (context) => {
    const label = context._labelStarts?.findLast(({ _balanced }) => !_balanced)
    return { events: { value: label === undefined ? [] : [['enter', label, context]] } }
  })
  const part = once(boundedTrail)
  return {
    ...looking,
    tokenize(effects, ok, nok) {
      const attempt: Effects['attempt'] = (each, ...states) =>
        effects.attempt(isConstruct(each) ? part(each) : each, ...states)
      return looking.tokenize.call(this, { ...effects, attempt }, ok, nok)
    },
  }
}

/**
 * The domain or the path of a bare address. The library looks at each punctuation mark whether nothing but punctuation
 * follows up to the end. Where a look finds something else, so do those from the marks that it passed.
 */
function boundedTrail(construct: Construct): Construct {
  return {
    ...construct,
    tokenize(effects, ok, nok) {
      let continues = 0
      const noted: (trail: Construct) => Construct = once((trail) => ({
        ...trail,
        tokenize(inner, atEnd, inside) {
          return trail.tokenize.call(this, inner, atEnd, (code) => {
            continues = this.now().offset
            return inside(code)
          })
        },
      }))
      const check: Effects['check'] = (trail, atEnd, inside) => (code) => {
        if (inside && this.now().offset < continues) return inside(code)
        return effects.check(isConstruct(trail) ? noted(trail) : trail, atEnd, inside)(code)
      }
      return construct.tokenize.call(this, { ...effects, check }, ok, nok)
    },
  }
}

/** The construct, which sees some properties of its context otherwise. */
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
