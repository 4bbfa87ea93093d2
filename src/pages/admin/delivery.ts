import { adminGetHookDelivery, adminRedeliverHook } from '../../forge/hooks/deliveries.ts'
import { HookDeliveryDetails } from '../../forge/hooks/hook.shape.ts'
import { id } from '../../http/route/values.ts'
import { perform, read } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { deliverySections } from '../owned/hook-deliveries.ts'
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

async function deliveryPage(
  caller: Administrator,
  params: { id: number; delivery: number },
  refusal?: Refusal,
): Promise<string> {
  const delivery = await read(caller, adminGetHookDelivery, HookDeliveryDetails, { params })
  const address = adminAddress(caller, `webhooks/${params.id}`)
  const main = deliverySections(address, params.id, delivery)
  const title = `Delivery ${delivery.id}`
  return adminPage({ caller, title, section: 'webhooks', main, refusal })
}
