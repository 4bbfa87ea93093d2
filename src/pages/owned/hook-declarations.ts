import type { SignedIn } from '../../forge/auth/access.ts'
import { textAs } from '../../http/route/sends.ts'
import { id } from '../../http/route/values.ts'
import { type Fields, unknownAction } from '../form.ts'
import { listQuery } from '../list.ts'
import { type Asked, operationForm, replyToForm } from '../operations/form.ts'
import { forPages, type OnRequest } from '../operations/perform.ts'
import type { Refusal } from '../operations/refusal.ts'
import { htmlType } from '../profile.ts'
import { orSignIn } from '../session/session.ts'
import type { Sender } from '../sign-in/sender.ts'
import { blame, hookChangeIn, newHookIn, refusalOfEvents } from './hook-form.ts'
import { deliveryPage, type HookPlace, hookPage, idOfHook, newHookPage } from './hooks.ts'

// The declarations of the pages and forms about webhooks, for each kind of owner.

const notices: Readonly<Record<string, string>> = {
  created: 'The webhook was added.',
  edited: 'The webhook was changed.',
  tested: 'A push of the newest commit was queued, if there is one.',
  repeated: 'The delivery was queued once more.',
}

type Sent<Who> = { caller: Sender<Who & OnRequest>; body: Fields }

/** A page that needs no look-up. */
const shownTo = <Who extends SignedIn>({ owner }: HookPlace<Who>) =>
  ({ access: orSignIn(forPages(owner.rule)), returns: textAs(200, htmlType) }) as const

/** The page and the form that add one. */
export const newHookOf = <Who extends SignedIn>(place: HookPlace<Who>) => ({
  page: {
    ...shownTo(place),
    handler: ({ caller }: { caller: Who & OnRequest }) => newHookPage(place, caller, {}),
  },
  form: {
    ...operationForm(place.owner.rule),
    handler: ({ caller: sender, body }: Sent<Who>) =>
      replyToForm(sender, body, {
        ask: (who) => refusalOfEvents(body) ?? creationOf(place, who, body),
        again: async (who, refusal) => newHookPage(place, who, { values: body, refusal }),
      }),
  },
})

function creationOf<Who extends SignedIn>(
  { owner, operations }: HookPlace<Who>,
  who: Who & OnRequest,
  fields: Fields,
): Asked {
  return {
    calls: [[operations.create, { params: owner.params(who), body: newHookIn(fields) }]],
    isAtomic: true,
    leadsTo: ([made]) => `${owner.path(who)}/hooks/${idOfHook(made)}?done=created`,
    blame,
  }
}

const onHook = { params: { id }, fails: [404] } as const

/** The page of one and its forms. */
export const hookOf = <Who extends SignedIn>(place: HookPlace<Who>) => ({
  page: {
    ...shownTo(place),
    ...onHook,
    query: listQuery,
    handler: ({
      caller,
      params,
      query,
    }: {
      caller: Who & OnRequest
      params: { id: number }
      query: { page: number; done: string }
    }) => hookPage(place, caller, params.id, { page: query.page, done: notices[query.done] }),
  },
  form: {
    ...operationForm(place.owner.rule),
    ...onHook,
    fails: [400, 404],
    handler: ({ caller: sender, body, params }: Sent<Who> & { params: { id: number } }) =>
      replyToForm(sender, body, {
        ask: (who) => askedOf(place, who, params.id, body),
        again: (who, refusal) => hookPage(place, who, params.id, { values: body, refusal }),
      }),
  },
})

/** @throws Problem 400 an unknown action */
function askedOf<Who extends SignedIn>(
  { owner, operations }: HookPlace<Who>,
  who: Who & OnRequest,
  hook: number,
  fields: Fields,
): Asked | Refusal {
  const params = { ...owner.params(who), id: hook }
  const path = `${owner.path(who)}/hooks/${hook}`
  if (fields.action === 'edit') {
    const edit = () => [[operations.edit, { params, body: hookChangeIn(fields) }]] as const
    return refusalOfEvents(fields) ?? { calls: edit(), leadsTo: `${path}?done=edited`, blame }
  }
  if (fields.action === 'test' && operations.test)
    return { calls: [[operations.test, { params }]], isAtomic: true, leadsTo: `${path}?done=tested` }
  throw unknownAction()
}

const onDelivery = { params: { id, delivery: id }, fails: [404] } as const
type DeliveryParams = { params: { id: number; delivery: number } }

/** The page of a delivery, and the form that repeats it. */
export const deliveryOf = <Who extends SignedIn>(place: HookPlace<Who>) => ({
  page: {
    ...shownTo(place),
    ...onDelivery,
    handler: ({ caller, params }: { caller: Who & OnRequest } & DeliveryParams) =>
      deliveryPage(place, caller, params),
  },
  form: {
    ...operationForm(place.owner.rule),
    ...onDelivery,
    handler: ({ caller: sender, body, params }: Sent<Who> & DeliveryParams) =>
      replyToForm(sender, body, {
        ask: (who): Asked => ({
          calls: [[place.operations.redeliver, { params: { ...place.owner.params(who), ...params } }]],
          isAtomic: true,
          leadsTo: `${place.owner.path(who)}/hooks/${params.id}?done=repeated`,
        }),
        again: (who, refusal) => deliveryPage(place, who, params, refusal),
      }),
  },
})
