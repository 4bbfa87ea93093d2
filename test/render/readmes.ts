import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { HtmlRenderer, Parser } from 'commonmark'
import type { Element, Root } from 'hast'
import { attribute, isElement, parseHtml, textOf, walk } from '../../src/render/html/tree.ts'
import { allowed, ours } from './standard.ts'

/**
 * Compares how this server and the standard's own parser read files of Markdown:
 *
 *     BUILD=tests npx tsup && node .build/render/readmes.js folder
 *
 * It prints each code block, list, heading and link that only one of them sees, and ends with 1 if there is one. The
 * standard has no tables, so those are left out. A difference that comes from another extension (footnotes,
 * definitions, task items, formulas, alerts, front matter) is to be read by a person.
 */
async function compare(folder: string): Promise<number> {
  const names = (await readdir(folder, { recursive: true })).filter((name) =>
    /\.(?:md|markdown)$/i.test(name),
  )
  let differing = 0
  for (const name of names.sort()) {
    const source = (await readFile(join(folder, name), 'utf8')).replace(/\r\n?/g, '\n').replace(/^\ufeff/, '')
    const standard = new HtmlRenderer().render(new Parser().parse(source))
    const [mine, theirs] = [partsOf(ours(source, 'markdown')), partsOf(allowed(standard, 'markdown'))]
    const lines = [...without(mine, theirs, 'only here'), ...without(theirs, mine, 'only there')]
    if (lines.length > 0) differing++
    console.log([`${name}: ${mine.length} parts, ${lines.length} differ`, ...lines].join('\n  '))
  }
  console.log(`${names.length} files, ${differing} differ`)
  return differing
}

/** Every code block, list, heading and link of a text, with what it holds. */
function partsOf(html: string): string[] {
  const parts: string[] = []
  walk(parseHtml(html), (node, ancestors) => {
    const part = partOf(node, ancestors)
    if (part !== undefined) parts.push(part)
  })
  return parts
}

function partOf(node: Element, ancestors: readonly (Root | Element)[]): string | undefined {
  const { tagName } = node
  const text = () => JSON.stringify(textOf(node).trim())
  if (tagName === 'pre') return `pre ${JSON.stringify(textOf(node))}`
  if (/^h[1-6]$/.test(tagName)) return `${tagName} ${text()}`
  // Names of a text have a prefix, and so do links to them.
  if (tagName === 'a') return `a ${attribute(node, 'href')?.replace(/^#user-content-/, '#')} ${text()}`
  if (tagName === 'img') return `img ${attribute(node, 'src')}`
  if (tagName !== 'ul' && tagName !== 'ol') return undefined
  const items = node.children.filter((child) => isElement(child, 'li'))
  const depth = ancestors.filter((each) => isElement(each, 'ul', 'ol')).length
  const loose = items.some((item) => item.children.some((child) => isElement(child, 'p')))
  return `${tagName} of ${items.length}, ${loose ? 'loose' : 'tight'}, at depth ${depth}, ${text().slice(0, 60)}`
}

/** The parts that the other side lacks, each as often as it lacks them. */
function without(parts: readonly string[], others: readonly string[], label: string): string[] {
  const count = new Map<string, number>()
  for (const other of others) count.set(other, (count.get(other) ?? 0) + 1)
  return parts.flatMap((part) => {
    const left = count.get(part) ?? 0
    count.set(part, left - 1)
    return left > 0 ? [] : [`${label}: ${part.slice(0, 300)}`]
  })
}

process.exitCode = (await compare(process.argv[2] ?? '.')) > 0 ? 1 : 0
