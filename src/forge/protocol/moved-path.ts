/** Path parameters and their new values; `root` is the public URL, which may have a path. */
interface Replacement {
  root: string
  names: Readonly<Record<string, string>>
}

/**
 * The same path and query with new values of parameters. The route's path is the end of the whole path, or all of it
 * where its last parameter takes the rest.
 */
export function movedPath(
  { url, route }: { url: string; route: { path: string } },
  { root, names }: Replacement,
): string {
  const mark = url.indexOf('?')
  const [path, query] = mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark)]
  const parts = path.split('/').filter(Boolean)
  const declared = route.path.split('/').filter(Boolean)
  const start = declared.at(-1)?.endsWith('...}') ? 0 : parts.length - declared.length
  for (const [param, name] of Object.entries(names)) parts[start + declared.indexOf(`{${param}}`)] = name
  return `${new URL(root).pathname}${parts.join('/')}${query}`
}
