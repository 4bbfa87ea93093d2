import type { Sql } from '../../db/sql.ts'
import { blocking } from '../../forge/users/removal.ts'
import { adminDeleteUser } from '../../forge/users/users.ts'
import { tick } from '../form.ts'
import { html } from '../html.ts'
import { perform } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { route } from '../route.ts'
import { type AdministratorOn, adminAddress } from './administrator.ts'
import { deletionForm } from './fields.ts'
import { adminPage } from './frame.ts'
import { accountForm, accountReply, replyTo } from './reply.ts'

export const getUserDeletionPage = route('GET /-/admin/users/{username}/delete', {
  ...accountReply,
  summary: 'The form that asks whether to delete a user, with what prevents it, as a page',
  fails: [404],
  handler: ({ caller, sql }) => questionPage(caller, sql),
})

export const deleteUserByPage = route('POST /-/admin/users/{username}/delete', {
  ...accountForm,
  summary: 'Delete a user; with `purge` also what prevents the deletion',
  fails: [404],
  handler: ({ caller, body, sql }) => {
    const query = { purge: body.purge === 'on' ? 'true' : 'false' }
    const params = { username: caller.subject.name }
    return replyTo(caller, perform(caller, adminDeleteUser, { params, query }), {
      path: 'users?done=deleted',
      again: (refusal) => questionPage(caller, sql, refusal),
    })
  },
})

async function questionPage(caller: AdministratorOn, sql: Sql, refusal?: Refusal): Promise<string> {
  const { subject } = caller
  const obstacles = await blocking(sql, subject.id)
  const prevented = html`<p>This prevents it:</p>
<ul>${obstacles.map(({ what, names }) => html`<li>${what}: ${names}</li>`)}</ul>
${tick({ name: 'purge', label: 'Delete that, too', isOn: false, hint: 'Repositories, packages and comments of the user, and organizations that nobody else owns with all that they have. The user leaves other organizations.' })}`
  const consequences = html`<p>Keys, tokens and sessions of ${subject.name} are deleted, too. Issues stay, in the name of Ghost. Nobody can undo this.</p>
${obstacles.length > 0 ? prevented : undefined}`
  const address = adminAddress(caller, `users/${subject.name}`)
  const main = deletionForm(address, subject.name, consequences, address)
  return adminPage({ caller, title: `Delete ${subject.name}?`, section: 'users', main, refusal })
}
