import type { ElementContent, Root } from 'hast'
import * as v from 'valibot'
import { trimEnd, trimStart } from '../../common/trim.ts'
import { contentOf, element, elementOf, parseHtml } from '../html/tree.ts'
import { highlight, languageName } from './highlight.ts'
import { renderTerminal } from './terminal.ts'

/** A text is a string or a list of lines (nbformat 4, section "Top-level structure"). */
const lines = v.fallback(
  v.union([
    v.string(),
    v.pipe(
      v.array(v.string()),
      v.transform((parts) => parts.join('')),
    ),
  ]),
  '',
)
const bundle = v.fallback(v.record(v.string(), v.unknown()), {})
const output = v.fallback(
  v.object({
    output_type: v.fallback(v.string(), ''),
    text: lines,
    data: bundle,
    traceback: v.fallback(v.array(v.string()), []),
    evalue: v.fallback(v.string(), ''),
  }),
  { output_type: '', text: '', data: {}, traceback: [], evalue: '' },
)
const cell = v.fallback(
  v.object({
    cell_type: v.fallback(v.string(), ''),
    source: lines,
    outputs: v.fallback(v.array(output), []),
  }),
  { cell_type: '', source: '', outputs: [] },
)
const Notebook = v.object({
  cells: v.array(cell),
  metadata: v.fallback(
    v.object({
      kernelspec: v.fallback(v.object({ language: v.fallback(v.string(), '') }), { language: '' }),
      language_info: v.fallback(v.object({ name: v.fallback(v.string(), '') }), { name: '' }),
    }),
    { kernelspec: { language: '' }, language_info: { name: '' } },
  ),
})

type Cell = v.InferOutput<typeof cell>
type Output = v.InferOutput<typeof output>

/** The cells of a Jupyter notebook; undefined when the text is not a notebook. `markdown` renders Markdown cells. */
export function renderNotebook(source: string, markdown: (text: string) => Root): Root | undefined {
  const read = v.safeParse(Notebook, parseJson(source))
  if (!read.success) return undefined
  const { cells, metadata } = read.output
  const language = metadata.language_info.name || metadata.kernelspec.language || 'python'
  const shown = cells.map((each) =>
    elementOf('div', { className: ['notebook-cell'] }, showCell(each, language, markdown)),
  )
  return { type: 'root', children: [elementOf('div', { className: ['notebook'] }, shown)] }
}

function parseJson(source: string): unknown {
  try {
    return JSON.parse(source)
  } catch {
    return undefined
  }
}

function showCell(each: Cell, language: string, markdown: (text: string) => Root): ElementContent[] {
  if (each.cell_type === 'markdown') return contentOf(markdown(each.source))
  if (each.cell_type !== 'code') return [element('pre', { className: ['notebook-raw'] }, each.source)]
  const name = languageName(language)
  const tokens = highlight(each.source, name.toLowerCase())
  const code = elementOf('code', { className: ['chroma', `language-${name}`, 'display'] }, tokens)
  const input = element('pre', { className: ['code-block'] }, code)
  const outputs = each.outputs.flatMap(showOutput)
  return [
    input,
    ...(outputs.length === 0 ? [] : [elementOf('div', { className: ['notebook-output'] }, outputs)]),
  ]
}

function showOutput(each: Output): ElementContent[] {
  if (each.output_type === 'stream') return [console(each.text)]
  if (each.output_type === 'error') return [console(each.traceback.join('\n') || each.evalue)]
  return showData(each.data)
}

function console(source: string): ElementContent {
  return elementOf('pre', { className: ['notebook-text'] }, contentOf(renderTerminal(source)))
}

const bitmaps = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** The richest form of a result that can be shown without running code. */
function showData(data: Record<string, unknown>): ElementContent[] {
  const textOf = (type: string) => v.parse(lines, data[type])
  const type = bitmaps.find((each) => textOf(each) !== '')
  if (type !== undefined) {
    const src = `data:${type};base64,${textOf(type).replace(/\s/g, '')}`
    return [element('img', { src, alt: textOf('text/plain') })]
  }
  if (textOf('text/html') !== '') return contentOf(parseHtml(textOf('text/html')))
  if (textOf('text/latex') !== '') {
    const formula = trimStart(trimEnd(textOf('text/latex'), '$'), '$')
    return [element('code', { className: ['language-math', 'display'] }, formula)]
  }
  return textOf('text/plain') === '' ? [] : [console(textOf('text/plain'))]
}
