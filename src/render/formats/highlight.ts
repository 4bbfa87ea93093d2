import type { Element, ElementContent, Root } from 'hast'
import { createLowlight } from 'lowlight'
import { trimEnd } from '../../common/trim.ts'
import { attribute, classesOf, contentOf, element, isElement, textOf } from '../html/tree.ts'
import { languages } from './languages.ts'

const lowlight = createLowlight(languages)

/** Longer texts are not highlighted: they are rarely read, and highlighting them takes too long. */
const maxHighlighted = 256 * 1024

/** The code as highlighted tokens with the short class names that style sheets of forges use. */
export function highlight(code: string, language: string): ElementContent[] {
  if (code.length > maxHighlighted || !lowlight.registered(language)) return [{ type: 'text', value: code }]
  const tree: Root = lowlight.highlight(language, code)
  return shorten(contentOf(tree))
}

/** Turns a `<pre>` marked by the Markdown step into the container that the web client expects. */
export function showCode(pre: Element): void {
  const [, kind] = classesOf(pre)
  const [code] = pre.children
  if ((kind !== 'fenced' && kind !== 'indented') || !isElement(code, 'code') || pre.children.length !== 1)
    return
  const language = fenceLanguage(code)
  if (kind === 'fenced') {
    code.children = highlight(textOf(code), language.toLowerCase())
    code.properties = { className: ['chroma', `language-${language}`, 'display'] }
  } else code.children = [{ type: 'text', value: withoutBlankEnd(textOf(code)) }]
  const loading = kind === 'fenced' && (language === 'mermaid' || language === 'math') ? ['is-loading'] : []
  const inner = element('pre', { className: ['code-block', ...loading] }, code)
  // In place: finding the node among its siblings would be slow in long texts.
  pre.tagName = 'div'
  pre.properties = { className: ['code-block-container', 'code-overflow-scroll'] }
  pre.children = [inner]
}

/** Blank lines behind an indented block are not part of it (CommonMark 0.31, 4.4), however many blanks they have. */
function withoutBlankEnd(code: string): string {
  const lines = code.split('\n')
  while (lines.at(-1)?.trim() === '') lines.pop()
  return `${lines.join('\n')}\n`
}

function fenceLanguage(code: Element): string {
  const info = classesOf(code)[0] ?? attribute(code, 'className') ?? ''
  const [, name = ''] = /^language-\{?\.?([^\s,:{}]*)/.exec(info) ?? []
  return languageName(name)
}

/** A name that can be a part of a class, or `text`. */
export const languageName = (name: string) => (/^[\w+#.-]{1,50}$/.test(name) ? name : 'text')

function shorten(nodes: readonly ElementContent[]): ElementContent[] {
  return nodes.flatMap((node): ElementContent[] => {
    if (node.type !== 'element') return [node]
    const children = shorten(node.children)
    const short = shortClass(classesOf(node))
    return short === undefined ? children : [element('span', { className: [short] }, ...children)]
  })
}

function shortClass([scope = '', detail = '']: string[]): string | undefined {
  const name = scope.replace(/^hljs-/, '')
  return shortNames[`${name}.${trimEnd(detail, '_')}`] ?? shortNames[name]
}

/** Scopes of highlight.js and the class names that Pygments and Chroma use for them. */
const shortNames: Record<string, string> = {
  keyword: 'k',
  built_in: 'nb',
  type: 'kt',
  literal: 'kc',
  number: 'm',
  operator: 'o',
  punctuation: 'p',
  property: 'py',
  regexp: 'sr',
  string: 's',
  char: 'se',
  'char.escape': 'se',
  subst: 'si',
  symbol: 'ss',
  variable: 'nv',
  'variable.language': 'vi',
  'variable.constant': 'no',
  title: 'nf',
  'title.class': 'nc',
  'title.function': 'nf',
  params: 'nv',
  comment: 'c',
  doctag: 'cs',
  meta: 'cp',
  section: 'gh',
  tag: 'p',
  name: 'nt',
  attr: 'na',
  attribute: 'na',
  bullet: 'k',
  code: 's',
  emphasis: 'ge',
  strong: 'gs',
  formula: 's',
  link: 'nl',
  quote: 'c',
  'selector-tag': 'nt',
  'selector-id': 'nn',
  'selector-class': 'nc',
  'selector-attr': 'na',
  'selector-pseudo': 'nd',
  'template-tag': 'cp',
  'template-variable': 'nv',
  addition: 'gi',
  deletion: 'gd',
}
