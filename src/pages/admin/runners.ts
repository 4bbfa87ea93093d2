import { RegistrationToken, Runner } from '../../forge/actions/runner.shape.ts'
import {
  adminCreateRunnerRegistrationToken,
  adminReplaceRunnerRegistrationToken,
  deleteAdminRunner,
  getAdminRunner,
  getAdminRunners,
  updateAdminRunner,
} from '../../forge/actions/runners.ts'
import { queryChoice } from '../../forge/protocol/query.ts'
import { textAs } from '../../http/route/sends.ts'
import { askedForm, buttonForm, choice } from '../form.ts'
import { type Html, html, withoutEmpty } from '../html.ts'
import { card } from '../layout.ts'
import { listQuery, listSection, pageAt, rowOf } from '../list.ts'
import { perform, read, readPage } from '../operations/perform.ts'
import { htmlType } from '../profile.ts'
import { programLines } from '../program-lines.ts'
import { route } from '../route.ts'
import { type Administrator, adminAddress, administrator } from './administrator.ts'
import { deletionForm, filterForm } from './fields.ts'
import { adminPage, type Shown } from './frame.ts'
import { adminForm, adminReply, leadTo, replyTo } from './reply.ts'

const states = { '': 'All', false: 'In use', true: 'Switched off' } as const

export const getAdminRunnersPage = route('GET /-/admin/runners', {
  ...adminReply,
  summary: 'Runners of the whole site, last seen first, as a page',
  query: { ...listQuery, disabled: queryChoice(...Object.keys(states)) },
  handler: ({ caller, query }) => runnersPage(caller, { ...query, done: notices[query.done] }),
})

const notices: Readonly<Record<string, string>> = {
  changed: 'The runner was changed.',
  deleted: 'The runner was deleted.',
  replaced: 'The registration token was replaced. The former one is worth nothing.',
}

export const showRegistrationToken = route('POST /-/admin/runners/token', {
  access: administrator,
  summary: 'Show the token with which runners for all repositories register',
  returns: textAs(200, htmlType),
  handler: async ({ caller }) => {
    const { token } = await read(caller, adminCreateRunnerRegistrationToken, RegistrationToken)
    return runnersPage(caller, { token })
  },
})

export const replaceRegistrationToken = route('POST /-/admin/runners/token/replace', {
  ...adminForm,
  summary: 'Replace the registration token for all repositories',
  also: [],
  handler: async ({ caller }) => {
    await perform(caller, adminReplaceRunnerRegistrationToken)
    return leadTo(caller, 'runners?done=replaced')
  },
})

export const switchRunner = route('POST /-/admin/runners/{runner_id}/edit', {
  ...adminForm,
  summary: 'Switch a runner off or on',
  handler: ({ caller, params, body }) => {
    const disabled = body.disabled === 'true'
    return replyTo(caller, perform(caller, updateAdminRunner, { params, body: { disabled } }), {
      path: 'runners?done=changed',
      again: (refusal) => runnersPage(caller, { refusal }),
    })
  },
})

export const getRunnerDeletionPage = route('GET /-/admin/runners/{runner_id}/delete', {
  ...adminReply,
  summary: 'The form that asks whether to delete a runner',
  fails: [404],
  handler: async ({ caller, params }) => {
    const { name, busy } = await read(caller, getAdminRunner, Runner, { params })
    const list = adminAddress(caller, 'runners')
    const consequences = html`<p>${busy ? 'It works on a job now, which will fail. ' : undefined}It can register again with a registration token.</p>`
    const main = deletionForm(`${list}/${params.runner_id}`, name, consequences, list)
    return adminPage({ caller, title: `Delete ${name}?`, section: 'runners', main })
  },
})

export const deleteRunnerByPage = route('POST /-/admin/runners/{runner_id}/delete', {
  ...adminForm,
  summary: 'Delete a runner; its running jobs fail',
  handler: ({ caller, params }) =>
    replyTo(caller, perform(caller, deleteAdminRunner, { params }), {
      path: 'runners?done=deleted',
      again: (refusal) => runnersPage(caller, { refusal }),
    }),
})

interface RunnersShown extends Shown {
  disabled?: string
  token?: string
}

async function runnersPage(caller: Administrator, shown: RunnersShown): Promise<string> {
  const { host } = caller.request.from
  const { page = 1, disabled = '', token, ...outcome } = shown
  const selection = withoutEmpty({ disabled })
  const query = { ...selection, ...pageAt(page) }
  const runners = await readPage(caller, getAdminRunners, Runner, { query })
  const address = `${host}-/admin/runners`
  const main = html`${tokenSection(host, token)}
${filterForm(address, choice({ name: 'disabled', label: 'State', value: disabled, options: states }))}
${listSection({
  address,
  selection,
  page: runners,
  noun: ['runner'],
  rowOf: (runner) => runnerRow(host, runner),
  empty: 'No runners yet. One registers with the token above.',
})}`
  return adminPage({ caller, title: 'Runners', section: 'runners', main, ...outcome })
}

function tokenSection(host: string, token: string | undefined): Html {
  const shown = html`<p>A runner that has it takes jobs of all repositories.</p>
<pre tabindex="0" role="region" aria-label="Registration token"><code>${token ?? ''}</code></pre>
${programLines('add a runner', 'On the machine of the runner:', { host, token: token ?? '' })}`
  return card(
    'token',
    'Registration token',
  )`${token === undefined ? html`<p>Runners register themselves with it. It stays the same until you replace it.</p>` : shown}
<div class="actions">${token === undefined ? html`<form class="inline" method="post" action="${host}-/admin/runners/token"><button>Show the token</button></form>` : undefined}
${askedForm({
  address: `${host}-/admin/runners/token/replace`,
  text: 'Replace the token',
  question: 'No runner can register with the present token any more. Runners that have registered stay.',
  answer: 'Replace it',
})}</div>`
}

function runnerRow(host: string, { id, name, status, busy, disabled, ephemeral, labels }: Runner): Html {
  const badges = [busy && 'busy', disabled && 'switched off', ephemeral && 'for one job']
  const address = `${host}-/admin/runners/${id}`
  const [text, value] = disabled ? ['Switch on', 'false'] : ['Switch off', 'true']
  return rowOf(
    html`<bdi>${name}</bdi> <span class="badge${status === 'online' ? ' good' : ''}">${status}</span> ${badges.map((word) => (word === false ? undefined : html`<span class="badge">${word}</span> `))}`,
    labels.length === 0 ? 'without labels' : html`Labels: ${labels.map((label) => label.name).join(', ')}`,
    html`${buttonForm(`${address}/edit`, text, `${text}: ${name}`, { disabled: value })}
<a href="${address}/delete" aria-label="Delete ${name}">Delete</a>`,
  )
}
