import type { Element, ElementContent } from 'hast'
import type { Table, TableCell, TableRow } from 'orga'
import { element } from '../html/tree.ts'

type ShowAll = (cell: TableCell) => ElementContent[]

/** A table of Org: its rules part groups of rows, of which the first is the head when there is another. */
export function orgTable(node: Table, all: ShowAll): Element {
  const groups = groupsOf(node).map((rows, at, { length }) => {
    const [group, cell] = at === 0 && length > 1 ? ['thead', 'th'] : ['tbody', 'td']
    return holding(
      group,
      rows.map((row) => showRow(cell, row, all)),
    )
  })
  const caption = node.attributes.caption
  return holding('table', caption ? [element('caption', {}, `${caption}`), ...groups] : groups)
}

function groupsOf({ children }: Table): TableRow[][] {
  const groups: TableRow[][] = [[]]
  for (const row of children) {
    if (row.type === 'table.row') groups.at(-1)?.push(row)
    else groups.push([])
  }
  return groups.filter((rows) => rows.length > 0)
}

function showRow(tagName: string, { children }: TableRow, all: ShowAll): Element {
  const cells = children.filter(({ type }) => type === 'table.cell')
  return holding(
    'tr',
    cells.map((cell) => holding(tagName, trimmed(all(cell)))),
  )
}

const holding = (tagName: string, children: ElementContent[]): Element => ({
  ...element(tagName),
  children,
})

/** The blanks that align a cell are not part of it. */
function trimmed(content: ElementContent[]): ElementContent[] {
  const [first, last] = [content[0], content.at(-1)]
  if (first?.type === 'text') first.value = first.value.trimStart()
  if (last?.type === 'text') last.value = last.value.trimEnd()
  return content
}
