/**
 * QR codes (ISO/IEC 18004) in byte mode with error correction of level M, versions 1 to 9: for texts of up to 180 bytes.
 */

/** By version: codewords in all, codewords for error correction in each block, blocks, and centres of alignment. */
const versions = [
  { total: 26, check: 10, blocks: 1, centres: [] },
  { total: 44, check: 16, blocks: 1, centres: [6, 18] },
  { total: 70, check: 26, blocks: 1, centres: [6, 22] },
  { total: 100, check: 18, blocks: 2, centres: [6, 26] },
  { total: 134, check: 24, blocks: 2, centres: [6, 30] },
  { total: 172, check: 16, blocks: 4, centres: [6, 34] },
  { total: 196, check: 18, blocks: 4, centres: [6, 22, 38] },
  { total: 242, check: 22, blocks: 4, centres: [6, 24, 42] },
  { total: 292, check: 22, blocks: 5, centres: [6, 26, 46] },
] as const satisfies readonly Version[]

interface Version {
  total: number
  check: number
  blocks: number
  centres: readonly number[]
}

/** Whether each module is dark, row by row; `undefined` where none is set yet. */
type Modules = (boolean | undefined)[][]

/** The modules of the code of a text, without its quiet zone; undefined: the text is too long. */
export function qrCodeOf(text: string): boolean[][] | undefined {
  const bytes = [...Buffer.from(text)]
  const at = versions.findIndex(({ total, check, blocks }) => bytes.length + 2 <= total - check * blocks)
  const version: Version | undefined = versions[at]
  if (!version) return undefined
  const patterns = patternsOf(at + 1, version)
  const bits = codewordsOf(bytes, version).flatMap((word) => bitsOf(word, 8))
  const codes = masks.map((mask, number) => filled(patterns, { bits, mask, number }))
  const costs = codes.map(costOf)
  return codes[costs.indexOf(Math.min(...costs))]
}

/** Bits of a number, the highest first. */
const bitsOf = (value: number, count: number) =>
  Array.from({ length: count }, (_, at) => (value >> (count - 1 - at)) % 2 === 1)

/** Data and error correction, in the order in which they are placed. */
function codewordsOf(bytes: readonly number[], { total, check, blocks }: Version): number[] {
  const size = total - check * blocks
  // The mode, the length, the text and the end are whole numbers of half bytes.
  const halves = [
    4,
    bytes.length >> 4,
    bytes.length & 15,
    ...bytes.flatMap((byte) => [byte >> 4, byte & 15]),
    0,
  ]
  const data = Array.from({ length: size }, (_, at) => {
    const [high, low] = halves.slice(2 * at)
    const filler = (at - halves.length / 2) % 2 === 0 ? 0xec : 0x11
    return high === undefined || low === undefined ? filler : high * 16 + low
  })
  const short = Math.floor(size / blocks)
  const firstLong = blocks - (size % blocks)
  const parts = Array.from({ length: blocks }, (_, block) => {
    const start = block * short + Math.max(0, block - firstLong)
    return data.slice(start, start + short + (block >= firstLong ? 1 : 0))
  })
  return [...interleaved(parts), ...interleaved(parts.map((part) => checkOf(part, check)))]
}

function interleaved(parts: readonly number[][]): number[] {
  const longest = Math.max(...parts.map(({ length }) => length))
  return Array.from({ length: longest }, (_, at) => parts.flatMap((part) => part.slice(at, at + 1))).flat()
}

/** Multiplication in the field of 256 elements. */
function times(one: number, other: number): number {
  let product = 0
  for (let bit = 7; bit >= 0; bit--) {
    product = (product << 1) ^ (product > 127 ? 0x11d : 0)
    if ((other >> bit) % 2 === 1) product ^= one
  }
  return product
}

/** The remainder of a block, divided by the polynomial whose zeros are the first powers of 2 (Reed and Solomon). */
function checkOf(data: readonly number[], count: number): number[] {
  let divisor = [1]
  for (let at = 0, power = 1; at < count; at++, power = times(power, 2))
    divisor = [...divisor, 0].map((value, place) => value ^ times(divisor[place - 1] ?? 0, power))
  let rest = data.slice(0, count)
  for (let at = 0; at < data.length; at++) {
    const [first = 0, ...others] = rest
    rest = [...others, data[at + count] ?? 0].map(
      (value, place) => value ^ times(first, divisor[place + 1] ?? 0),
    )
  }
  return rest
}

/** What is the same in all codes of a version; modules for the format hold their place. */
function patternsOf(number: number, { centres }: Version): Modules {
  const size = 17 + 4 * number
  const modules: Modules = Array.from({ length: size }, () => Array.from({ length: size }, () => undefined))
  const square = (row: number, column: number, radius: number) => {
    for (let down = -radius; down <= radius; down++)
      for (let right = -radius; right <= radius; right++) {
        const distance = Math.max(Math.abs(down), Math.abs(right))
        // Finders end in a light ring; both have a light ring round their middle.
        put(modules, row + down, column + right, distance !== 4 && distance !== (radius === 4 ? 2 : 1))
      }
  }
  for (let at = 0; at < size; at++) {
    put(modules, 6, at, at % 2 === 0)
    put(modules, at, 6, at % 2 === 0)
  }
  const corners = [3, size - 4]
  for (const row of corners) for (const column of corners) if (row + column < size + 4) square(row, column, 4)
  const last = centres.at(-1)
  const isFinder = (row: number, column: number) =>
    (row === 6 && (column === 6 || column === last)) || (row === last && column === 6)
  for (const row of centres) for (const column of centres) if (!isFinder(row, column)) square(row, column, 2)
  putFormat(modules, 0)
  if (number >= 7)
    for (const [at, bit] of bitsOf((number << 12) | remainderOf(number, 12, 0x1f25), 18)
      .toReversed()
      .entries()) {
      const [row, column] = [Math.floor(at / 3), size - 11 + (at % 3)]
      put(modules, row, column, bit)
      put(modules, column, row, bit)
    }
  return modules
}

function put(modules: Modules, row: number, column: number, isDark: boolean): void {
  const line = modules[row]
  if (line && column >= 0 && column < line.length) line[column] = isDark
}

/** The remainder of a code that corrects errors in a few bits (Bose, Chaudhuri and Hocquenghem). */
function remainderOf(value: number, count: number, divisor: number): number {
  let rest = value
  for (let at = 0; at < count; at++) rest = (rest << 1) ^ (rest >> (count - 1) === 0 ? 0 : divisor)
  return rest & ((1 << count) - 1)
}

/** The number of the mask, twice, and the module that is always dark. */
function putFormat(modules: Modules, mask: number): void {
  const size = modules.length
  // Level M is 0.
  const bits = bitsOf(((mask << 10) | remainderOf(mask, 10, 0x537)) ^ 0x5412, 15).toReversed()
  for (const [at, bit] of bits.entries()) {
    const near = at < 6 ? at : at < 8 ? at + 1 : at === 8 ? 7 : 14 - at
    if (at < 8) put(modules, near, 8, bit)
    else put(modules, 8, near, bit)
    if (at < 8) put(modules, 8, size - 1 - at, bit)
    else put(modules, size - 15 + at, 8, bit)
  }
  put(modules, size - 8, 8, true)
}

type Mask = (row: number, column: number) => boolean

const masks: readonly Mask[] = [
  (row, column) => (row + column) % 2 === 0,
  (row) => row % 2 === 0,
  (_, column) => column % 3 === 0,
  (row, column) => (row + column) % 3 === 0,
  (row, column) => (Math.floor(row / 2) + Math.floor(column / 3)) % 2 === 0,
  (row, column) => ((row * column) % 2) + ((row * column) % 3) === 0,
  (row, column) => (((row * column) % 2) + ((row * column) % 3)) % 2 === 0,
  (row, column) => (((row + column) % 2) + ((row * column) % 3)) % 2 === 0,
]

/** A code with its bits, in pairs of columns from right to left, upwards and downwards in turn. */
function filled(
  patterns: Modules,
  { bits, mask, number }: { bits: readonly boolean[]; mask: Mask; number: number },
): boolean[][] {
  const modules = patterns.map((line) => [...line])
  const size = modules.length
  const rest = bits.values()
  for (let pair = 0; pair < (size - 1) / 2; pair++) {
    const right = size - 1 - 2 * pair
    // The column of the timing pattern belongs to no pair.
    const columns = right > 6 ? [right, right - 1] : [right - 1, right - 2]
    for (let step = 0; step < size; step++) {
      const row = pair % 2 === 0 ? size - 1 - step : step
      for (const column of columns)
        if (modules[row]?.[column] === undefined)
          put(modules, row, column, (rest.next().value ?? false) !== mask(row, column))
    }
  }
  putFormat(modules, number)
  return modules.map((line) => line.map((isDark) => isDark === true))
}

/** How hard a code is to read: runs of one colour, blocks of it, what looks like a finder, and too much of a colour. */
function costOf(code: readonly boolean[][]): number {
  const lines = code.map((line) => line.map((isDark) => (isDark ? '1' : '0')).join(''))
  const columns = code.map((_, at) => lines.map((line) => line[at]).join(''))
  let cost = 0
  for (const line of [...lines, ...columns]) {
    for (const [run] of line.matchAll(/0{5,}|1{5,}/g)) cost += run.length - 2
    cost += 40 * [...line.matchAll(/(?=10111010000|00001011101)/g)].length
  }
  for (const [row, line] of lines.entries())
    for (let at = 1; at < line.length; at++) {
      const next = lines[row + 1]
      if (next && /^(?:0000|1111)$/.test(line.slice(at - 1, at + 1) + next.slice(at - 1, at + 1))) cost += 3
    }
  const dark = lines.join('').replaceAll('0', '').length / code.length ** 2
  return cost + 10 * Math.floor(Math.abs(dark - 0.5) * 20)
}
