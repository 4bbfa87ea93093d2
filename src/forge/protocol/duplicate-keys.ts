/** An object that is being read: its names so far, and whether the next string is a name. */
interface Open {
  names: Set<string> | undefined
  atName: boolean
}

/**
 * Whether an object of a valid JSON text has a duplicate name (RFC 8259 §4: names should be unique). The parser would
 * silently keep the last one, another program the first, so a check of one would say nothing about the other.
 */
export function hasDuplicateKey(json: string): boolean {
  const open: Open[] = []
  for (const token of tokensOf(json)) {
    const current = open[open.length - 1]
    if (token === '{') open.push({ names: new Set(), atName: true })
    else if (token === '[') open.push({ names: undefined, atName: false })
    else if (token === '}' || token === ']') open.pop()
    else if (!current?.names) continue
    else if (token === ',') current.atName = true
    else if (token === ':') current.atName = false
    else if (current.atName && isDuplicate(current.names, token)) return true
  }
  return false
}

function isDuplicate(names: Set<string>, token: string): boolean {
  const name: unknown = JSON.parse(token)
  const sizeBefore = names.size
  names.add(String(name))
  return names.size === sizeBefore
}

/**
 * Yields strings and structural characters. A regular expression for whole strings would put each character on the
 * engine's stack, which overflows after some eight million.
 */
function* tokensOf(json: string): Generator<string> {
  const signs = /["{}[\],:]/g
  for (let found = signs.exec(json); found; found = signs.exec(json)) {
    if (found[0] === '"') signs.lastIndex = endOfString(json, signs.lastIndex)
    yield json.slice(found.index, signs.lastIndex)
  }
}

/** The position after the quotation mark that ends the string whose content begins at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end < 0 ? json.length : end + 1
}

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(json: string, position: number): boolean {
  let first = position
  while (json[first - 1] === '\\') first--
  return (position - first) % 2 === 1
}
