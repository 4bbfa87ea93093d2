import type { Sql } from '../../db/sql.ts'
import { blocking } from '../../forge/users/removal.ts'
import { adminDeleteUser } from '../../forge/users/users.ts'
import { html } from '../html.ts'
import { route } from '../route.ts'
import { tick } from './fields.ts'
import { adminPage } from './frame.ts'
import { type AdministratorOn, perform } from './operation.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import { accountForm, accountReply, outcomeOf } from './reply.ts'

export const getUserDeletionPage = route('GET /-/admin/users/{username}/delete', {
  ...accountReply,
  summary: 'Confirmation of the deletion of a user, with what prevents it, as a page',
  fails: [404],
  handler: ({ caller, sql }) => questionPage(caller, sql),
})

export const deleteUserByPage = route('POST /-/admin/users/{username}/delete', {
  ...accountForm,
  summary: 'Delete a user, with what prevents it if that is asked for, too',
  fails: [404],
  handler: async ({ caller, body, sql }) => {
    const query = { purge: body.purge === 'on' ? 'true' : 'false' }
    const params = { username: caller.subject.name }
    const refusal = await refusalOf(perform(caller, adminDeleteUser, { params, query }))
    return outcomeOf(caller, refusal, 'users?done=deleted', (refused) => questionPage(caller, sql, refused))
  },
})

async function questionPage(caller: AdministratorOn, sql: Sql, refusal?: Refusal): Promise<string> {
  const { subject, request } = caller
  const { host } = request.from
  const found = await blocking(sql, subject.id)
  const prevented = html`<p>This prevents it:</p>
<ul>${found.map(({ what, names }) => html`<li>${what}: ${names}</li>`)}</ul>
${tick({ name: 'purge', label: 'Delete that, too', isOn: false, hint: 'Repositories, packages and comments of the user, and organizations that nobody else owns with all that they have. The user leaves other organizations.' })}`
  const main = html`<form class="card admin-form" method="post" action="${host}-/admin/users/${subject.name}/delete">
<p>Keys, tokens and sessions of ${subject.name} are deleted, too. Issues stay, in the name of Ghost. Nobody can undo this.</p>
${found.length > 0 ? prevented : undefined}
<div class="actions"><button class="admin-danger">Delete ${subject.name}</button> <a class="button quiet" href="${host}-/admin/users/${subject.name}">Keep it</a></div>
</form>`
  return adminPage({ caller, title: `Delete ${subject.name}?`, section: 'users', main, refusal })
}
