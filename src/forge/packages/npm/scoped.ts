import type { Route } from '../../../http/route/route.ts'

/** The route itself and, if its path contains `{name}`, a copy for unescaped scopes with `{scope}/{name}`. */
export function withScopedPath<Tools>(route: Route<Tools>): Route<Tools>[] {
  if (!route.path.includes('/{name}')) return [route]
  const path = route.path.replace('{name}', '{scope}/{name}')
  const scoped: Route<Tools> = {
    ...route,
    path,
    operationId: `${route.operationId}Scoped`,
    literal: `${route.method} /${path.slice(1)}`,
    bind: (tools) => {
      const authorize = route.bind(tools)
      return (head) => {
        const { scope, name } = head.params
        return authorize({ ...head, params: { ...head.params, name: `${scope}/${name}` } })
      }
    },
  }
  return [route, scoped]
}
