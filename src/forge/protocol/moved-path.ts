/** Parameters of a path whose places other names take; `root` is the public address, which may have a path. */
interface Moving {
  root: string
  names: Readonly<Record<string, string>>
}

/** The same path and query with other names in the places of parameters; a route's path is the end of the whole one. */
export function movedPath(
  { url, route }: { url: string; route: { path: string } },
  { root, names }: Moving,
): string {
  const start = url.indexOf('?')
  const [path, query] = start === -1 ? [url, ''] : [url.slice(0, start), url.slice(start)]
  const parts = path.split('/').filter(Boolean)
  const declared = route.path.split('/').filter(Boolean)
  for (const [param, name] of Object.entries(names))
    parts[parts.length - declared.length + declared.indexOf(`{${param}}`)] = name
  return `${new URL(root).pathname}${parts.join('/')}${query}`
}
