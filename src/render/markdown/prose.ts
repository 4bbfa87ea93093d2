/** A run of backticks, and where it stands. */
interface Run {
  at: number
  length: number
}

/**
 * A Markdown text without its fenced blocks and code spans (CommonMark 0.31, sections 4.5 and 6.1): what is said, and
 * not what is quoted from a program. Code that is only indented stays, since inside lists it is none. Takes time in
 * proportion to the text, whatever it holds.
 */
export function withoutCode(source: string): string {
  const kept: string[] = []
  let fence: string | undefined
  for (const line of source.split('\n')) {
    const mark = fenceOf(line)
    if (fence !== undefined) {
      if (mark.startsWith(fence) && line.trim() === mark) fence = undefined
    } else if (mark !== '') {
      fence = mark
      kept.push('')
    } else kept.push(line)
  }
  return kept
    .join('\n')
    .split(/\n[ \t]*\n/)
    .map(withoutSpans)
    .join('\n\n')
}

/** The run that opens or closes a fenced block; "" where the line does neither. After backticks there are no others. */
function fenceOf(line: string): string {
  const [all = '', mark = ''] = /^ {0,3}(`{3,}(?!`)|~{3,})/.exec(line) ?? []
  return mark.startsWith('`') && line.includes('`', all.length) ? '' : mark
}

/** A span reaches from a run of backticks to the next one of the same length; a run without one is text. */
function withoutSpans(paragraph: string): string {
  const runs: Run[] = [...paragraph.matchAll(/`+/g)].map(({ 0: mark, index }) => ({
    at: index,
    length: mark.length,
  }))
  const closing = closingRuns(runs)
  const kept: string[] = []
  let from = 0
  for (let run = 0; run < runs.length; run++) {
    const [opens, end] = [runs[run], closing[run]]
    const closes = end === undefined ? undefined : runs[end]
    if (!opens || !closes || end === undefined) continue
    kept.push(paragraph.slice(from, opens.at), ' ')
    from = closes.at + closes.length
    run = end
  }
  kept.push(paragraph.slice(from))
  return kept.join('')
}

/** For each run the place of the next one of the same length. */
function closingRuns(runs: readonly Run[]): (number | undefined)[] {
  const next = new Map<number, number>()
  const closing: (number | undefined)[] = []
  for (let run = runs.length - 1; run >= 0; run--) {
    const length = runs[run]?.length ?? 0
    closing[run] = next.get(length)
    next.set(length, run)
  }
  return closing
}
