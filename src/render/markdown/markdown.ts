import type { Root } from 'hast'
import { compile, postprocess, preprocess } from 'micromark'
import { defList, defListHtml } from 'micromark-extension-definition-list'
import { gfmFootnote } from 'micromark-extension-gfm-footnote'
import { gfmStrikethrough, gfmStrikethroughHtml } from 'micromark-extension-gfm-strikethrough'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item'
import type { Extension } from 'micromark-util-types'
import { parseHtml } from '../html/tree.ts'
import { codeHtml, taskHtml } from './blocks.ts'
import { breakHtml } from './breaks.ts'
import { directionHtml, paragraphWithDirection } from './direction.ts'
import { footnoteHtml } from './footnotes.ts'
import { mathHtml, mathSyntax } from './math.ts'
import { createDialect } from './parser.ts'
import { fileNameSyntax } from './underscore.ts'

/** How to parse one text. */
interface MarkdownOptions {
  /** Post-processed modes: tags that hide text become visible. */
  readonly rich: boolean
  /** Line ends are line breaks. */
  readonly breaks: boolean
  /** Blocks choose their direction by their text. */
  readonly directions: boolean
  /** Added to footnote anchors. */
  readonly footnoteSuffix: string
  /** Bytes of the source before this text (front matter), for source positions. */
  readonly bytesBefore: number
}

const extensions: Extension[] = [
  gfmTable(),
  gfmStrikethrough(),
  gfmTaskListItem(),
  gfmFootnote(),
  defList,
  mathSyntax(),
  fileNameSyntax(),
]
const dialect = createDialect(extensions)

/**
 * Parses CommonMark with extensions to a tree of untrusted HTML: raw HTML is passed through to the sanitiser. `source`
 * has only line feeds.
 */
export function parseMarkdown(source: string, options: MarkdownOptions): Root {
  const parser = dialect()
  const chunks = preprocess()(source, 'utf8', true)
  const toHtml = compile({
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    defaultLineEnding: '\n',
    htmlExtensions: [
      gfmTableHtml(),
      gfmStrikethroughHtml(),
      defListHtml,
      mathHtml(),
      codeHtml(),
      taskHtml(source, options.bytesBefore),
      footnoteHtml(options.footnoteSuffix),
      ...(options.directions ? [directionHtml()] : []),
      ...(options.breaks ? [breakHtml(options.directions ? paragraphWithDirection : '<p>')] : []),
    ],
  })
  const html = toHtml(postprocess(parser.document().write(chunks)))
  return parseHtml(options.rich ? showTags(html) : html)
}

/** Escapes tags that would hide the text after them. */
function showTags(html: string): string {
  return html.replace(/<(?=\/?(?:script|style|html|head)\b|[?%])/gi, '&lt;')
}
