import type { Element, Root } from 'hast'
import { showColor } from '../formats/colors.ts'
import { showCode } from '../formats/highlight.ts'
import { isElement, walk } from '../html/tree.ts'
import { showAlert } from './alerts.ts'
import { readHeadingAttributes } from './headings.ts'

/** Shapes Markdown's output in every mode: alerts, code blocks, colours, task items, heading attributes. */
export function shapeMarkdown(root: Root): void {
  walk(root, (node, ancestors) => {
    const parent = ancestors.at(-1)
    if (parent === undefined) return
    if (node.tagName === 'blockquote') showAlert(node)
    else if (node.tagName === 'code' && !isElement(parent, 'pre')) showColor(node)
    else if (node.tagName === 'pre') showCode(node)
    else if (node.tagName === 'input') shapeTask(node, ancestors)
    else readHeadingAttributes(node)
  })
}

/** Marks a task item and removes the space after its box, which the style sheet adds. */
function shapeTask(box: Element, ancestors: readonly (Root | Element)[]): void {
  const parent = ancestors.at(-1)
  const item = ancestors.findLast((node) => isElement(node, 'li'))
  if (box.properties.dataSourcePosition === undefined || parent === undefined || !isElement(item)) return
  item.properties.className = ['task-list-item']
  const next = parent.children[parent.children.indexOf(box) + 1]
  if (next?.type === 'text') next.value = next.value.replace(/^ /, '')
}

/** Delays loading images until they are about to be visible. */
export function loadLazily(root: Root): void {
  walk(root, (node) => {
    if (node.tagName === 'img') node.properties.loading = 'lazy'
  })
}

/** Removes the mark of generated links where decoration is off. */
export function undecorate(root: Root): void {
  walk(root, (node) => {
    delete node.properties.dataMarkdownGeneratedContent
  })
}
