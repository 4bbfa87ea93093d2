import type { TestApp } from '../app.ts'

type As = { authorization: string }

/** An organization with something in every member. */
export const whole = {
  username: 'Engines',
  full_name: 'Analytical <Engines>',
  email: 'hello@engines.example',
  description: 'Wheels\nand cards',
  website: 'https://engines.example/',
  location: 'London',
  visibility: 'limited',
  repo_admin_change_team_access: true,
}

/** The operations on organizations as short calls; `owner` calls where nobody else is named. */
export function orgCalls({ call, pool }: TestApp, owner: As) {
  /** The newest rows of the audit trail, in order. */
  async function trail(count: number) {
    const rows = await pool<{ action: string; target_name: string; actor_name: string; details: unknown }[]>`
      select action, target_name, actor_name, details
      from forge.audit
      order by id desc
      limit ${count}`
    return rows.reverse().map((row) => ({ ...row }))
  }
  return {
    trail,
    create: (body: unknown, as: As = owner) => call('POST /api/v1/orgs', { body, as }),
    edit: (org: string, body: unknown, as: As = owner) =>
      call('PATCH /api/v1/orgs/{org}', { params: { org }, body, as }),
    rename: (org: string, new_name: unknown, as: As = owner) =>
      call('POST /api/v1/orgs/{org}/rename', { params: { org }, body: { new_name }, as }),
    remove: (org: string, as: As = owner) => call('DELETE /api/v1/orgs/{org}', { params: { org }, as }),
    show: (org: string, as?: As) => call('GET /api/v1/orgs/{org}', { params: { org }, ...(as && { as }) }),
  }
}
