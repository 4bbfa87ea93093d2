import type * as v from 'valibot'
import { adminGetHookDelivery, adminRedeliverHook } from '../../forge/hooks/deliveries.ts'
import { HookDeliveryDetails } from '../../forge/hooks/hook.shape.ts'
import { id } from '../../http/route/values.ts'
import { type Html, html, timeOf } from '../html.ts'
import { card } from '../layout.ts'
import { perform, read } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { route } from '../route.ts'
import { type Administrator, adminAddress } from './administrator.ts'
import { adminPage } from './frame.ts'
import { adminForm, adminReply, replyTo } from './reply.ts'

const onDelivery = { params: { id, delivery: id }, fails: [404] } as const

export const getAdminDeliveryPage = route('GET /-/admin/webhooks/{id}/deliveries/{delivery}', {
  ...adminReply,
  ...onDelivery,
  summary: 'A delivery of a webhook of the site: its payload and the result of each attempt, as a page',
  handler: ({ caller, params }) => deliveryPage(caller, params),
})

export const redeliverByPage = route('POST /-/admin/webhooks/{id}/deliveries/{delivery}/redeliver', {
  ...adminForm,
  ...onDelivery,
  summary: 'Send the payload of a delivery again, as a new delivery',
  handler: ({ caller, params }) =>
    replyTo(caller, perform(caller, adminRedeliverHook, { params }), {
      path: `webhooks/${params.id}?done=repeated`,
      again: (refusal) => deliveryPage(caller, params, refusal),
    }),
})

type Attempt = v.InferOutput<typeof HookDeliveryDetails>['history'][number]

function attemptSection({ number, started_at, duration_ms, request, response, error }: Attempt): Html {
  return html`<h3>${number}. ${error ?? `answered ${response?.status ?? ''}`}</h3>
<p class="meta">${timeOf(started_at)} · ${duration_ms} ms · ${request.method} ${request.url}</p>
<details><summary>Headers and answer</summary>
<pre class="wrapped">${headersOf(request.headers)}</pre>
${
  response === null
    ? undefined
    : html`<pre class="wrapped">${headersOf(response.headers)}

${response.body}</pre>`
}
</details>`
}

const headersOf = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')

async function deliveryPage(
  caller: Administrator,
  params: { id: number; delivery: number },
  refusal?: Refusal,
): Promise<string> {
  const delivery = await read(caller, adminGetHookDelivery, HookDeliveryDetails, { params })
  const address = adminAddress(caller, `webhooks/${params.id}`)
  const main = html`<div class="panel">
${card('attempts', 'Attempts')`${delivery.history.length === 0 ? html`<p class="empty">None yet.</p>` : delivery.history.map(attemptSection)}`}
<div class="column">
${card('about', 'About')`<dl class="facts">
<dt>Webhook</dt><dd><a href="${address}">${params.id}</a></dd>
<dt>State</dt><dd>${delivery.state}</dd>
<dt>Event</dt><dd>${delivery.event_type}</dd>
<dt>Made</dt><dd>${timeOf(delivery.created_at)}</dd>
${delivery.redelivery_of === null ? undefined : html`<dt>Repeats</dt><dd><a href="${address}/deliveries/${delivery.redelivery_of}">${delivery.redelivery_of}</a></dd>`}
${delivery.next_attempt_at === null ? undefined : html`<dt>Next</dt><dd>${timeOf(delivery.next_attempt_at)}</dd>`}
</dl>
<form class="admin-links" method="post" action="${address}/deliveries/${delivery.id}/redeliver"><button>Deliver once more</button></form>`}
${card('payload', 'What is sent')`<pre class="wrapped admin-text" tabindex="0" role="region" aria-label="Text">${delivery.payload}</pre>`}
</div>
</div>`
  const title = `Delivery ${delivery.id}`
  return adminPage({ caller, title, section: 'webhooks', main, refusal })
}
