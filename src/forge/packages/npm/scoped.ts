import type { Literal, Route } from '../../../http/route/route.ts'

/** The same operation for a scope that a client does not escape: its path has `{scope}/{name}` in place of `{name}`. */
export function withScope<Tools>(literal: Literal, route: Route<Tools>): Route<Tools> {
  if (literal !== route.literal.replace('{name}', '{scope}/{name}'))
    throw new Error(`${literal} is not ${route.literal} with a scope`)
  return {
    ...route,
    path: literal.slice(literal.indexOf('/')),
    literal,
    bind: (tools) => {
      const authorize = route.bind(tools)
      return (head) => {
        const { scope, name } = head.params
        return authorize({ ...head, params: { ...head.params, name: `${scope}/${name}` } })
      }
    },
  }
}
