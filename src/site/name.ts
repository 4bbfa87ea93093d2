import type { Sql } from '../db/sql.ts'
import { json } from '../http/route/sends.ts'
import { type ChangeContext, makeChange } from './change.ts'
import { anyone, type Publishers, route } from './route.ts'
import { deleteName, storedName, upsertName } from './setting-store.ts'
import { defaultName, longestName, Site, SiteChange } from './site.shape.ts'

export const getSite = route('GET /api/site', {
  extension: true,
  summary: 'The name of the site',
  access: anyone,
  returns: json(200, Site),
  shared: 'until written',
  handler: async ({ sql }) => ({ name: await nameOf(sql) }),
})

export const nameSite = (administrators: Publishers) =>
  route('PUT /api/site', {
    extension: true,
    summary: 'Name the site; an empty name takes the name back',
    access: administrators,
    body: SiteChange,
    invalid: `name is required: one line of at most ${longestName} characters`,
    returns: json(200, Site),
    handler: async ({ body, ...context }) => ({ name: await setName(context, body.name) }),
  })

export async function nameOf(sql: Sql): Promise<string> {
  return (await storedName(sql))?.value ?? defaultName
}

/** Names the site, or takes its name back (""); gives the name that it has then. */
export const setName = (context: ChangeContext, name: string): Promise<string> =>
  makeChange(
    context,
    async (sql) => {
      await (name === '' ? deleteName(sql) : upsertName(sql, name))
      return name || defaultName
    },
    (given) => ({ action: 'site.named', target: { kind: 'site', name: given } }),
  )
