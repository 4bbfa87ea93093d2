import type { Sql } from '../db/sql.ts'
import { json } from '../http/route/sends.ts'
import { type ChangeContext, makeChange } from './change.ts'
import { anyone, type Publishers, route } from './route.ts'
import { deleteName, storedName, upsertName } from './setting-store.ts'
import { maxNameLength, SiteChange } from './site.option.ts'
import { defaultName, Site } from './site.shape.ts'

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
    summary: 'Set the name of the site; an empty name restores the default',
    access: administrators,
    body: SiteChange,
    invalid: `name is required: one line of at most ${maxNameLength} characters`,
    returns: json(200, Site),
    handler: async ({ body, ...context }) => ({ name: await setName(context, body.name) }),
  })

export async function nameOf(sql: Sql): Promise<string> {
  return (await storedName(sql))?.value ?? defaultName
}

/** Sets the name of the site; "" restores the default. Returns the new name. */
export const setName = (context: ChangeContext, name: string): Promise<string> =>
  makeChange(
    context,
    async (sql) => {
      await (name === '' ? deleteName(sql) : upsertName(sql, name))
      return name || defaultName
    },
    (newName) => ({ action: 'site.named', target: { kind: 'site', name: newName } }),
  )
