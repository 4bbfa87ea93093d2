/** Milliseconds between two drawings. */
const interval = 100

const barWidth = 24

/** Draws how much is done. */
interface Progress {
  /** Bytes, of an amount that may be an estimate. */
  update: (done: number, total: number) => void
  /** Removes the drawing. */
  end: () => void
}

/** `draw` replaces the current line of a terminal; absent: the output is no terminal, and nothing is drawn. */
export function createProgress(draw: ((text: string) => void) | undefined): Progress {
  if (!draw) return { update: () => {}, end: () => {} }
  const start = Date.now()
  let last = 0
  return {
    update: (done, total) => {
      const now = Date.now()
      if (now - last < interval) return
      last = now
      draw(lineOf(done, total, (now - start) / 1000))
    },
    end: () => draw(''),
  }
}

function lineOf(done: number, total: number, seconds: number): string {
  const share = total > 0 ? Math.min(done / total, 1) : 0
  const filled = Math.round(share * barWidth)
  const bar = '#'.repeat(filled) + '.'.repeat(barWidth - filled)
  const rate = seconds > 0 ? done / seconds : 0
  return `[${bar}] ${Math.floor(share * 100)} %  ${sizeText(done)}  ${sizeText(rate)}/s`
}

/** Bytes for people, with decimal units. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const amount = bytes / 1000 ** power
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${units[power]}`
}
