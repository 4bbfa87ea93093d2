import type { Root } from 'hast'
import { compile, postprocess, preprocess } from 'micromark'
import { defList, defListHtml } from 'micromark-extension-definition-list'
import { gfmAutolinkLiteral } from 'micromark-extension-gfm-autolink-literal'
import { gfmFootnote } from 'micromark-extension-gfm-footnote'
import { gfmStrikethrough, gfmStrikethroughHtml } from 'micromark-extension-gfm-strikethrough'
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table'
import { gfmTaskListItem } from 'micromark-extension-gfm-task-list-item'
import { sanitizeUri } from 'micromark-util-sanitize-uri'
import type { Extension, HtmlExtension } from 'micromark-util-types'
import { bareAddress, parseHtml } from '../html/tree.ts'
import { codeHtml, taskHtml } from './blocks.ts'
import { breakHtml } from './breaks.ts'
import { footnoteHtml } from './footnotes.ts'
import { mathHtml, mathSyntax } from './math.ts'
import { createDialect } from './parser.ts'
import { fileNameSyntax } from './underscore.ts'

/** How to parse one text. */
interface MarkdownOptions {
  /** Post-processed modes: bare addresses become links, and tags that hide text become visible. */
  readonly rich: boolean
  /** Line ends are line breaks. */
  readonly breaks: boolean
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
const plain = createDialect(extensions)
const linking = createDialect([...extensions, bareAddresses()])

/**
 * Parses CommonMark with extensions to a tree of untrusted HTML: raw HTML is passed through to the sanitiser. `source`
 * has only line feeds.
 */
export function parseMarkdown(source: string, options: MarkdownOptions): Root {
  const parser = options.rich ? linking() : plain()
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
      addressHtml,
      ...(options.breaks ? [breakHtml()] : []),
    ],
  })
  const html = toHtml(postprocess(parser.document().write(chunks)))
  return parseHtml(options.rich ? showTags(html) : html)
}

/** The library's bare links, only `http://` and `https://`: no `www.`; mail addresses are handled later. */
function bareAddresses(): Extension {
  const text: NonNullable<Extension['text']> = {}
  for (const code of ['H', 'h'].map((letter) => letter.charCodeAt(0))) {
    const constructs = [gfmAutolinkLiteral().text?.[code] ?? []].flat()
    text[code] = constructs.filter((construct) => construct.name === 'protocolAutolink')
    if (text[code].length === 0) throw new Error('The construct for bare addresses has another name')
  }
  return { text }
}

const addressHtml: HtmlExtension = {
  exit: {
    literalAutolinkHttp(token) {
      const url = this.sliceSerialize(token)
      this.tag(`<${bareAddress} href="${sanitizeUri(url)}">`)
      this.raw(this.encode(url))
      this.tag(`</${bareAddress}>`)
    },
  },
}

/** Escapes tags that would hide the text after them. */
function showTags(html: string): string {
  return html.replace(/<(?=\/?(?:script|style|html|head)\b|[?%])/gi, '&lt;')
}
