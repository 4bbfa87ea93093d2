import type { Route } from '../../http/route.ts'

/** A route about `{name}`, and the same one for names whose scope came unescaped, as `{scope}/{name}`. */
export function bothWays<Tools>(route: Route<Tools>): Route<Tools>[] {
  if (!route.path.includes('/{name}')) return [route]
  const path = route.path.replace('{name}', '{scope}/{name}')
  const scoped: Route<Tools> = {
    ...route,
    path,
    literal: `${route.method} /${path.slice(1)}`,
    admit: (knock) => {
      const { scope, name } = knock.params
      return route.admit({ ...knock, params: { ...knock.params, name: `${scope}/${name}` } })
    },
  }
  return [route, scoped]
}
