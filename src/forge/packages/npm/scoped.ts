import type { Literal, Route } from '../../../http/route/route.ts'

/** The same operation for a scope that a client does not escape: its path has `{scope}/{name}` in place of `{name}`. */
export function withScope<Tools>(literal: Literal, route: Route<Tools>): Route<Tools> {
  if (literal !== route.literal.replace('{name}', '{scope}/{name}'))
    throw new Error(`${literal} is not ${route.literal} with a scope`)
  const { params } = route.steps.checks
  return {
    ...route,
    path: literal.slice(literal.indexOf('/')),
    literal,
    steps: {
      ...route.steps,
      checks: { ...route.steps.checks, params: (raw, refuse) => params(joined(raw), refuse) },
    },
  }
}

const joined = ({ scope, name, ...others }: Readonly<Record<string, string>>) => ({
  ...others,
  name: `${scope}/${name}`,
})
