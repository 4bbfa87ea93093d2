/** Maximum lines of the part of a difference that a comment shows. */
const maxLines = 4

/** A line of a difference, and the numbers that the next line before and after the change has. */
interface DiffLine {
  text: string
  old: number
  new: number
}

/**
 * The part of a hunk that ends in a line, with a header of its own; undefined: no hunk has the line. `diff`: the lines that
 * git prints for one file, from its first hunk.
 */
export function hunkEndingAt(
  diff: readonly string[],
  { line, isOld }: { line: number; isOld: boolean },
): string | undefined {
  let hunk: DiffLine[] = []
  let next = { old: 0, new: 0 }
  for (const text of diff) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text)
    if (head) {
      hunk = []
      next = { old: Number(head[1]), new: Number(head[2]) }
      continue
    }
    const [isInOld, isInNew] = [/^[ -]/.test(text), /^[ +]/.test(text)]
    if (!isInOld && !isInNew) continue
    hunk.push({ text, ...next })
    if (isOld ? isInOld && next.old === line : isInNew && next.new === line)
      return printed(hunk.slice(-maxLines))
    next = { old: next.old + Number(isInOld), new: next.new + Number(isInNew) }
  }
  return undefined
}

function printed(lines: readonly DiffLine[]): string {
  const range = (side: 'old' | 'new', signs: RegExp) => {
    const count = lines.filter(({ text }) => signs.test(text)).length
    const first = lines[0]?.[side] ?? 0
    // Git names the line before a range that is empty.
    return `${count === 0 ? Math.max(0, first - 1) : first},${count}`
  }
  const header = `@@ -${range('old', /^[ -]/)} +${range('new', /^[ +]/)} @@`
  return [header, ...lines.map(({ text }) => text)].join('\n')
}
