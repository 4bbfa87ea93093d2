import type { ElementContent } from 'hast'
import { done } from '../../common/outcome.ts'
import { escapeHtml } from '../html/serialize.ts'
import { classesOf, isElement } from '../html/tree.ts'
import type { RenderOutcome, SourceRequest } from '../request.ts'
import { highlight } from './highlight.ts'
import { languageOf } from './language-of.ts'

/**
 * The source of a file in colours: lines as markup, separated by line feeds, each complete in itself. Never fails: what
 * cannot be highlighted is without colours.
 */
export function showSource({ text, sourcePath }: SourceRequest): RenderOutcome {
  return done({ html: linesOf(tokensOf(text, sourcePath)), mentions: [] })
}

function tokensOf(text: string, path: string): ElementContent[] {
  const language = languageOf(path)
  try {
    if (language !== undefined) return highlight(text, language)
  } catch (error) {
    // Tokens nest, and the highlighter recurses.
    if (!(error instanceof RangeError)) throw error
  }
  return [{ type: 'text', value: text }]
}

/** Tokens that are deeper inside others have no element: each line begins with those that are open. */
const maxDepth = 8

function linesOf(tokens: readonly ElementContent[]): string {
  const out: string[] = []
  write(tokens, [], out)
  return out.join('')
}

/** `open`: the tags of the tokens around. */
function write(tokens: readonly ElementContent[], open: readonly string[], out: string[]): void {
  for (const token of tokens) {
    if (token.type === 'text') {
      const end = `${'</span>'.repeat(open.length)}\n${open.join('')}`
      out.push(escapeHtml(token.value).replaceAll('\n', () => end))
    } else if (isElement(token)) {
      const [name] = classesOf(token)
      const tag = `<span class="${name}">`
      if (name === undefined || open.length >= maxDepth) write(token.children, open, out)
      else {
        out.push(tag)
        write(token.children, [...open, tag], out)
        out.push('</span>')
      }
    }
  }
}
