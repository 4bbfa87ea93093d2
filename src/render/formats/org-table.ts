import type { Element, ElementContent } from 'hast'
import type { Table, TableCell, TableRow } from 'orga'
import { element, elementOf } from '../html/tree.ts'

type ShowAll = (cell: TableCell) => ElementContent[]

/** An Org table: its rules separate groups of rows; the first group is the head if there is another one. */
export function orgTable(node: Table, showChildren: ShowAll): Element {
  const groups = groupsOf(node).map((rows, index, { length }) => {
    const [group, cell] = index === 0 && length > 1 ? ['thead', 'th'] : ['tbody', 'td']
    return elementOf(
      group,
      {},
      rows.map((row) => showRow(cell, row, showChildren)),
    )
  })
  const caption = node.attributes.caption
  return elementOf('table', {}, caption ? [element('caption', {}, `${caption}`), ...groups] : groups)
}

function groupsOf({ children }: Table): TableRow[][] {
  const groups: TableRow[][] = [[]]
  for (const row of children) {
    if (row.type === 'table.row') groups.at(-1)?.push(row)
    else groups.push([])
  }
  return groups.filter((rows) => rows.length > 0)
}

function showRow(tagName: string, { children }: TableRow, showChildren: ShowAll): Element {
  const cells = children.filter(({ type }) => type === 'table.cell')
  return elementOf(
    'tr',
    {},
    cells.map((cell) => elementOf(tagName, {}, trimmed(showChildren(cell)))),
  )
}

/** Removes the spaces that align a cell. */
function trimmed(content: ElementContent[]): ElementContent[] {
  const [first, last] = [content[0], content.at(-1)]
  if (first?.type === 'text') first.value = first.value.trimStart()
  if (last?.type === 'text') last.value = last.value.trimEnd()
  return content
}
