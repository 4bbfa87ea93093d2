import type { Element, ElementContent, Root, Text } from 'hast'
import { isElement, text } from '../html/tree.ts'

/** The replacement of matched text. */
export type Match = readonly ElementContent[]

/** A pattern to replace in running text. */
export interface Matcher {
  /** A cheap test that is true for every match; saves most searches. */
  readonly hint: RegExp
  /** Global, and linear: it starts only at a delimiter, and repetitions are bounded. */
  readonly pattern: RegExp
  /** The replacement for a match; undefined leaves the text unchanged. */
  readonly build: (match: RegExpExecArray) => Match | undefined
}

/** Elements whose text is not changed. */
const literal = ['code', 'pre', 'textarea', 'svg', 'math']

/** Applies matchers to all running text below `parent`. Inside links only `inLinks` apply: links cannot be nested. */
export function replaceText(
  parent: Root | Element,
  matchers: readonly Matcher[],
  inLinks: readonly Matcher[],
): void {
  const children: ElementContent[] = []
  for (const child of parent.children) {
    if (child.type === 'text') {
      for (const part of replaceIn(child, matchers)) children.push(part)
      continue
    }
    if (child.type !== 'doctype') children.push(child)
    if (!isElement(child) || literal.includes(child.tagName)) continue
    replaceText(child, child.tagName === 'a' ? inLinks : matchers, inLinks)
  }
  parent.children = children
}

interface Replacement {
  readonly start: number
  readonly end: number
  readonly match: Match
}

function replaceIn(node: Text, matchers: readonly Matcher[]): readonly ElementContent[] {
  const replacements = matchers.flatMap((matcher) => search(node.value, matcher))
  if (replacements.length === 0) return [node]
  // The sort is stable: of two matches at the same position, the earlier matcher wins.
  replacements.sort((a, b) => a.start - b.start)
  const parts: ElementContent[] = []
  let end = 0
  for (const next of replacements) {
    if (next.start < end) continue
    if (next.start > end) parts.push(text(node.value.slice(end, next.start)))
    for (const part of next.match) parts.push(part)
    end = next.end
  }
  if (end < node.value.length) parts.push(text(node.value.slice(end)))
  return parts
}

function search(value: string, { hint, pattern, build }: Matcher): Replacement[] {
  if (!hint.test(value)) return []
  const replacements: Replacement[] = []
  for (const result of value.matchAll(pattern)) {
    const match = build(result)
    if (match !== undefined)
      replacements.push({ start: result.index, end: result.index + result[0].length, match })
  }
  return replacements
}
