/** Reads differences of one file: the lines that git prints, from the first hunk. */

/** Maximum lines of the part of a difference that a comment shows. */
const maxLines = 4

/** Maximum characters of lines that no difference has: a line may be as long as its file. */
const maxContext = 65_536

/** A line of a difference, with the numbers that it has or would have before and after the change. */
interface DiffLine {
  text: string
  old: number
  new: number
  isInOld: boolean
  isInNew: boolean
}

function* hunksOf(diff: readonly string[]): Generator<readonly DiffLine[]> {
  let hunk: DiffLine[] = []
  let next = { old: 0, new: 0 }
  for (const text of diff) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    const [isInOld, isInNew] = [/^[ -]/.test(text), /^[ +]/.test(text)]
    if (head) {
      yield hunk
      hunk = []
      next = { old: Number(head[1]), new: Number(head[2]) }
    } else if (isInOld || isInNew) {
      hunk.push({ text, ...next, isInOld, isInNew })
      next = { old: next.old + Number(isInOld), new: next.new + Number(isInNew) }
    }
  }
  yield hunk
}

/** The part of a hunk that ends in a line, with a header of its own; undefined: no hunk has the line. */
export function hunkEndingAt(
  diff: readonly string[],
  { line, isOld }: { line: number; isOld: boolean },
): string | undefined {
  const isIt = (each: DiffLine) =>
    isOld ? each.isInOld && each.old === line : each.isInNew && each.new === line
  for (const hunk of hunksOf(diff)) {
    const end = hunk.findIndex(isIt) + 1
    if (end > 0) return printed(hunk.slice(Math.max(0, end - maxLines), end))
  }
  return undefined
}

/**
 * The part of a file that ends in a line which no hunk has, as a hunk; it begins behind the hunk before. `text` are the lines of
 * the file on the side of the line; "" without them, or if they are too long.
 */
export function contextEndingAt(
  diff: readonly string[],
  { line, isOld }: { line: number; isOld: boolean },
  text: readonly string[],
): string {
  const side = isOld ? 'old' : 'new'
  const next = { old: 1, new: 1 }
  for (const each of [...hunksOf(diff)].flat()) {
    if (each[side] >= line) break
    next.old = each.old + Number(each.isInOld)
    next.new = each.new + Number(each.isInNew)
  }
  const first = Math.max(line - maxLines + 1, next[side])
  const chosen = text.slice(first - 1, line)
  if (chosen.length === 0 || chosen.join('').length > maxContext) return ''
  const lines = chosen.map((each, at) => {
    const after = first + at - next[side]
    return { text: ` ${each}`, old: next.old + after, new: next.new + after, isInOld: true, isInNew: true }
  })
  return printed(lines)
}

/** The number that a line has after the change; undefined: it is gone. */
export function lineAfter(diff: readonly string[], line: number): number | undefined {
  let moved = 0
  for (const each of [...hunksOf(diff)].flat()) {
    if (each.isInOld && each.old === line) return each.isInNew ? each.new : undefined
    if (each.old > line) break
    moved += Number(each.isInNew) - Number(each.isInOld)
  }
  return line + moved
}

/** The lines of the file before the change that it has no more. */
export function removedLines(diff: readonly string[]): Set<number> {
  const removed = [...hunksOf(diff)].flat().filter(({ isInNew }) => !isInNew)
  return new Set(removed.map(({ old }) => old))
}

function printed(lines: readonly DiffLine[]): string {
  const range = (side: 'old' | 'new', count: number) => {
    const first = lines[0]?.[side] ?? 0
    // Git names the line before a range that is empty.
    return `${count === 0 ? Math.max(0, first - 1) : first},${count}`
  }
  const old = range('old', lines.filter(({ isInOld }) => isInOld).length)
  const after = range('new', lines.filter(({ isInNew }) => isInNew).length)
  return [`@@ -${old} +${after} @@`, ...lines.map(({ text }) => text)].join('\n')
}
