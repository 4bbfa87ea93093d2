import * as v from 'valibot'
import { pageQuery } from '../../http/route/page.ts'
import { Hook, HookDelivery, HookDeliveryDetails } from './hook.shape.ts'
import { CreateHookOption, EditHookOption } from './options.ts'

/** The parts of the route declarations that hook operations share at all scopes: body, query, errors and replies. */

export const lists = {
  query: pageQuery(),
  returns: [200, v.array(Hook)],
  sends: 'page',
  shared: 'until written',
} as const

export const creates = { body: CreateHookOption, fails: [400], returns: [201, Hook] } as const

export const shows = { fails: [404], returns: [200, Hook] } as const

export const edits = { body: EditHookOption, fails: [400, 404], returns: [200, Hook] } as const

export const removes = { fails: [404], returns: [204] } as const

export const listsDeliveries = {
  query: pageQuery(),
  fails: [404],
  returns: [200, v.array(HookDelivery)],
  sends: 'page',
  shared: 'until written',
} as const

export const showsDelivery = { fails: [404], returns: [200, HookDeliveryDetails] } as const

export const repeats = {
  fails: [404, 422],
  returns: [202, HookDelivery],
} as const
