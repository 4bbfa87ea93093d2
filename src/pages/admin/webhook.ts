import { adminListHookDeliveries, adminTestHook } from '../../forge/hooks/deliveries.ts'
import { Hook, HookDelivery } from '../../forge/hooks/hook.shape.ts'
import { adminDeleteHook, adminEditHook, adminGetHook } from '../../forge/hooks/hooks.ts'
import { id } from '../../http/route/values.ts'
import { type Fields, field } from '../form.ts'
import { counted, type Html, html, timeOf } from '../html.ts'
import { fieldsOf } from '../operations/fields.ts'
import { perform, read, readPage } from '../operations/perform.ts'
import { route } from '../route.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { deletionForm } from './fields.ts'
import { adminPage, type Shown } from './frame.ts'
import { listQuery, listSection, pageAt, rowOf } from './list.ts'
import { adminForm, adminReply, leadTo, replyTo } from './reply.ts'
import { blame, secretFields, secretsIn, webhookFields, webhookIn } from './webhook-form.ts'

const onHook = { params: { id }, fails: [404] } as const

const notices: Readonly<Record<string, string>> = {
  edited: 'The webhook was changed.',
  repeated: 'The delivery was queued once more.',
  tried: 'A push of the newest commit was queued, if there is one.',
}

export const getAdminWebhookPage = route('GET /-/admin/webhooks/{id}', {
  ...adminReply,
  ...onHook,
  summary: 'A webhook of the site with its deliveries, and the forms that change it, as a page',
  query: listQuery,
  handler: ({ caller, params, query }) =>
    webhookPage(caller, params.id, { page: query.page, done: notices[query.done] }),
})

export const editWebhookByPage = route('POST /-/admin/webhooks/{id}/edit', {
  ...adminForm,
  ...onHook,
  summary: 'Change a webhook of the site',
  handler: ({ caller, params, body }) => {
    const edit = async () => {
      const { config, ...change } = webhookIn(body)
      const { secret, ...secrets } = secretsIn(body)
      const edited = { ...change, ...secrets, config: { ...config, ...(secret !== undefined && { secret }) } }
      return await perform(caller, adminEditHook, { params, body: edited })
    }
    return replyTo(caller, edit(), {
      path: `webhooks/${params.id}?done=edited`,
      blame,
      again: (refusal) => webhookPage(caller, params.id, { values: body, refusal }),
    })
  },
})

export const tryWebhookByPage = route('POST /-/admin/webhooks/{id}/test', {
  ...adminForm,
  ...onHook,
  summary: 'Send the newest commit of a repository to a webhook of the site',
  handler: ({ caller, params, body: { repository = '' } }) =>
    replyTo(caller, perform(caller, adminTestHook, { params, query: { repository } }), {
      path: `webhooks/${params.id}?done=tried`,
      blame: { repository: /repository/ },
      again: (refusal) => webhookPage(caller, params.id, { repository, refusal }),
    }),
})

export const getWebhookDeletionPage = route('GET /-/admin/webhooks/{id}/delete', {
  ...adminReply,
  ...onHook,
  summary: 'The form that asks whether to delete a webhook of the site',
  handler: async ({ caller, params }) => {
    const hook = await read(caller, adminGetHook, Hook, { params })
    const address = adminAddress(caller, `webhooks/${hook.id}`)
    const consequences = html`<p>Its deliveries are deleted, too, and those that wait are not sent. Copies in repositories stay. Nobody can undo this.</p>`
    const main = deletionForm(address, 'the webhook', consequences, address)
    return adminPage({ caller, title: `Delete ${titleOf(hook)}?`, section: 'webhooks', main })
  },
})

export const deleteWebhookByPage = route('POST /-/admin/webhooks/{id}/delete', {
  ...adminForm,
  ...onHook,
  summary: 'Delete a webhook of the site and its deliveries',
  also: [],
  handler: async ({ caller, params }) => {
    await perform(caller, adminDeleteHook, { params })
    return leadTo(caller, 'webhooks?done=deleted')
  },
})

const titleOf = ({ id, name }: Hook) => name || `Webhook ${id}`

/** The form before anybody has changed it. */
const stored = ({ name, config, branch_filter, active, events }: Hook): Fields => ({
  name,
  url: config.url ?? '',
  content_type: config.content_type ?? '',
  channel: config.channel ?? '',
  branch_filter,
  ...(active && { active: 'on' }),
  ...Object.fromEntries(events.map((event) => [`event-${event}`, 'on'])),
})

interface WebhookShown extends Shown {
  /** The repository of the test as it was sent. */
  repository?: string | undefined
}

async function webhookPage(
  caller: Administrator,
  hookId: number,
  { page: at = 1, values, repository, ...outcome }: WebhookShown,
): Promise<string> {
  const params = { id: hookId }
  const [hook, page] = await Promise.all([
    read(caller, adminGetHook, Hook, { params }),
    readPage(caller, adminListHookDeliveries, HookDelivery, { params, query: pageAt(at) }),
  ])
  const address = adminAddress(caller, `webhooks/${hookId}`)
  const main = html`<div class="panel">
<form class="card admin-form" method="post" action="${address}/edit">
${webhookFields(values ?? stored(hook), outcome.refusal)}
${secretFields(outcome.refusal)}
<div class="actions"><button>Save</button> <a class="button quiet" href="${address}/delete">Delete &hellip;</a></div>
</form>
<div class="column">
${testForm(address, hook, { repository, refusal: outcome.refusal })}
${listSection({
  address,
  page,
  noun: ['delivery', 'deliveries'],
  rowOf: (delivery) => deliveryRow(address, delivery),
  empty: 'Nothing has been sent yet.',
})}</div>
</div>`
  return adminPage({ caller, title: titleOf(hook), section: 'webhooks', main, ...outcome })
}

/** Absent for a hook that is not active: nothing is sent to it. */
function testForm(
  address: string,
  { active }: Hook,
  { repository, refusal }: WebhookShown,
): Html | undefined {
  if (!active) return undefined
  const repositoryField = fieldsOf({ repository }, refusal)('repository')
  return html`<form class="card" method="post" action="${address}/test" aria-labelledby="test">
<h2 id="test">Test</h2>
${field({ ...repositoryField, label: 'Repository', hint: 'As owner/name; its newest commit is sent as a push' })}
<button class="quiet">Send a test</button>
</form>`
}

const tones = { waiting: '', succeeded: ' good', failed: ' bad' } as const

function deliveryRow(address: string, delivery: HookDelivery): Html {
  const { id, event_type, state, status, attempts, created_at } = delivery
  return rowOf(
    html`<a href="${address}/deliveries/${id}">${event_type} ${id}</a> <span class="badge${tones[state]}">${state}${status === null ? undefined : html` ${status}`}</span>`,
    html`${timeOf(created_at)} · ${counted(attempts, 'attempt')}`,
  )
}
