/** Path parameters and their new values; `root` is the public URL, which may have a path. */
interface Replacement {
  root: string
  names: Readonly<Record<string, string>>
}

/** The same path and query with new values of parameters; the route's path is the end of the whole path. */
export function movedPath(
  { url, route }: { url: string; route: { path: string } },
  { root, names }: Replacement,
): string {
  const start = url.indexOf('?')
  const [path, query] = start === -1 ? [url, ''] : [url.slice(0, start), url.slice(start)]
  const parts = path.split('/').filter(Boolean)
  const declared = route.path.split('/').filter(Boolean)
  for (const [param, name] of Object.entries(names))
    parts[parts.length - declared.length + declared.indexOf(`{${param}}`)] = name
  return `${new URL(root).pathname}${parts.join('/')}${query}`
}
