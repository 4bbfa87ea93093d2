import { adminListHookDeliveries, adminTestHook } from '../../forge/hooks/deliveries.ts'
import { Hook, HookDelivery } from '../../forge/hooks/hook.shape.ts'
import { adminDeleteHook, adminEditHook, adminGetHook } from '../../forge/hooks/hooks.ts'
import { id } from '../../http/route/values.ts'
import { field } from '../form.ts'
import { type Html, html } from '../html.ts'
import { listQuery, listSection, pageAt } from '../list.ts'
import { fieldsOf } from '../operations/fields.ts'
import { perform, read, readPage } from '../operations/perform.ts'
import { deliveryRow } from '../owned/hook-deliveries.ts'
import { blame, hookChangeIn, secretFields, storedHook, webhookFields } from '../owned/hook-form.ts'
import { route } from '../route.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { deletionForm } from './fields.ts'
import { adminPage, type Shown } from './frame.ts'
import { adminForm, adminReply, leadTo, replyTo } from './reply.ts'

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
    const edit = async () => perform(caller, adminEditHook, { params, body: hookChangeIn(body) })
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
${webhookFields(values ?? storedHook(hook), outcome.refusal, hook.type)}
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
  empty: 'No deliveries yet: no event has happened since.',
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
