/** Strings, and the signs that open, close and part. */
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

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
  for (const [token] of json.matchAll(tokens)) {
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
