/** A run of backticks and its position. */
interface Run {
  start: number
  length: number
}

/**
 * A Markdown text without its fenced blocks and code spans (CommonMark 0.31, sections 4.5 and 6.1). Indented code
 * stays, since inside lists indentation does not make code. Linear in the length of any text.
 */
export function withoutCode(source: string): string {
  const parts: string[] = []
  let fence: string | undefined
  for (const line of source.split('\n')) {
    const mark = fenceOf(line)
    if (fence !== undefined) {
      if (mark.startsWith(fence) && line.trim() === mark) fence = undefined
    } else if (mark !== '') {
      fence = mark
      parts.push('')
    } else parts.push(line)
  }
  return parts
    .join('\n')
    .split(/\n[ \t]*\n/)
    .map(withoutSpans)
    .join('\n\n')
}

/** The run that opens or closes a fenced block; "" without one. No other backticks may follow opening backticks. */
function fenceOf(line: string): string {
  const [all = '', mark = ''] = /^ {0,3}(`{3,}(?!`)|~{3,})/.exec(line) ?? []
  return mark.startsWith('`') && line.includes('`', all.length) ? '' : mark
}

/** A span reaches from a run of backticks to the next one of the same length; a run without one is text. */
function withoutSpans(paragraph: string): string {
  const runs: Run[] = [...paragraph.matchAll(/`+/g)].map(({ 0: mark, index }) => ({
    start: index,
    length: mark.length,
  }))
  const closing = closingRuns(runs)
  const parts: string[] = []
  let from = 0
  for (let index = 0; index < runs.length; index++) {
    const [opens, end] = [runs[index], closing[index]]
    const closes = end === undefined ? undefined : runs[end]
    if (!opens || !closes || end === undefined) continue
    parts.push(paragraph.slice(from, opens.start), ' ')
    from = closes.start + closes.length
    index = end
  }
  parts.push(paragraph.slice(from))
  return parts.join('')
}

/** For each run, the index of the next one of the same length. */
function closingRuns(runs: readonly Run[]): (number | undefined)[] {
  const next = new Map<number, number>()
  const closing: (number | undefined)[] = []
  for (let index = runs.length - 1; index >= 0; index--) {
    const length = runs[index]?.length ?? 0
    closing[index] = next.get(length)
    next.set(length, index)
  }
  return closing
}
