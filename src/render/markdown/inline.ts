import type { Element, ElementContent, Root, Text } from 'hast'
import { isElement, text } from '../html/tree.ts'

/** What takes the place of the text that was found. */
export type Match = readonly ElementContent[]

/** Something to find in running text. */
export interface Matcher {
  /** What every match holds, quickly looked for; saves most searches. */
  readonly hint: RegExp
  /** Global, and linear: it starts at a delimiter only and repeats within bounds. */
  readonly pattern: RegExp
  /** The replacement for a match, or nothing to leave it as it is. */
  readonly build: (match: RegExpExecArray) => Match | undefined
}

/** Text inside these is shown as written. */
const literal = ['code', 'pre', 'textarea', 'svg', 'math']

/**
 * Applies matchers to all running text below `parent`. Inside links only `inLinks` apply, because a link cannot hold
 * another one.
 */
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

interface Found {
  readonly start: number
  readonly end: number
  readonly match: Match
}

function replaceIn(node: Text, matchers: readonly Matcher[]): readonly ElementContent[] {
  const found = matchers.flatMap((matcher) => search(node.value, matcher))
  if (found.length === 0) return [node]
  // The sort is stable: of two at the same place the matcher named first wins.
  found.sort((a, b) => a.start - b.start)
  const parts: ElementContent[] = []
  let end = 0
  for (const next of found) {
    if (next.start < end) continue
    if (next.start > end) parts.push(text(node.value.slice(end, next.start)))
    for (const part of next.match) parts.push(part)
    end = next.end
  }
  if (end < node.value.length) parts.push(text(node.value.slice(end)))
  return parts
}

function search(value: string, { hint, pattern, build }: Matcher): Found[] {
  if (!hint.test(value)) return []
  const found: Found[] = []
  for (const result of value.matchAll(pattern)) {
    const match = build(result)
    if (match !== undefined) found.push({ start: result.index, end: result.index + result[0].length, match })
  }
  return found
}
