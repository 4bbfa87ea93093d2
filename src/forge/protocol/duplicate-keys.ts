/** An object that is being read: the names it has, and whether the next string is one. */
interface Open {
  names: Set<string> | undefined
  atName: boolean
}

/**
 * Whether a name stands twice in one object of a valid JSON text (RFC 8259, section 4: names should be unique). The
 * parser would silently keep the last, another program the first: a check made on one would say nothing of the other.
 */
export function hasTwin(json: string): boolean {
  const open: Open[] = []
  for (const token of tokensOf(json)) {
    const here = open[open.length - 1]
    if (token === '{') open.push({ names: new Set(), atName: true })
    else if (token === '[') open.push({ names: undefined, atName: false })
    else if (token === '}' || token === ']') open.pop()
    else if (!here?.names) continue
    else if (token === ',') here.atName = true
    else if (token === ':') here.atName = false
    else if (here.atName && isTwin(here.names, token)) return true
  }
  return false
}

function isTwin(names: Set<string>, token: string): boolean {
  const name: unknown = JSON.parse(token)
  const known = names.size
  names.add(String(name))
  return names.size === known
}

/**
 * Strings, and the signs that open, close and part. A pattern for whole strings would put each of their characters on
 * the stack of the engine, which is full after some eight million.
 */
function* tokensOf(json: string): Generator<string> {
  const signs = /["{}[\],:]/g
  for (let found = signs.exec(json); found; found = signs.exec(json)) {
    if (found[0] === '"') signs.lastIndex = endOfString(json, signs.lastIndex)
    yield json.slice(found.index, signs.lastIndex)
  }
}

/** The place behind the quotation mark that ends the string whose content begins at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end < 0 ? json.length : end + 1
}

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(json: string, place: number): boolean {
  let first = place
  while (json[first - 1] === '\\') first--
  return (place - first) % 2 === 1
}
