/** The parameter of a path whose place another name takes; `root` is the public address, which may have a path. */
interface Moving {
  root: string
  param: string
  name: string
}

/** The same path and query with another name in the place of a parameter; a route's path is the end of the whole one. */
export function movedPath(
  { url, route }: { url: string; route: { path: string } },
  { root, param, name }: Moving,
): string {
  const [path = '', query] = url.split('?', 2)
  const parts = path.split('/').filter(Boolean)
  const declared = route.path.split('/').filter(Boolean)
  parts[parts.length - declared.length + declared.indexOf(`{${param}}`)] = name
  return `${new URL(root).pathname}${parts.join('/')}${query === undefined ? '' : `?${query}`}`
}
