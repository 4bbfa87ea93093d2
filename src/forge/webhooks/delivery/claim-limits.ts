import type { ClaimedDelivery, ClaimLimits } from './delivery-store.ts'

/**
 * What a process may claim beside its running attempts. An owner gets at most half of the slots, and a hook half of
 * those, so that receivers that hang delay neither other owners nor all hooks of their own. The last quarter of the
 * slots goes to owners who have none, so that several owners with such receivers do not share all slots among them.
 */
export function claimLimits(
  running: readonly Pick<ClaimedDelivery, 'hook_id' | 'owner_id'>[],
  slots: number,
): ClaimLimits {
  const ofOwner = Math.ceil(slots / 2)
  const ofHook = Math.ceil(slots / 4)
  const hooks = countBy(running, ({ hook_id }) => hook_id)
  const passOver = [...hooks].filter(([, count]) => count >= ofHook).map(([hook]) => hook)
  const busy = [...countBy(running, ({ owner_id }) => owner_id)].map(([owner, count]) => {
    const attemptsByHook = running
      .filter(({ owner_id }) => owner_id === owner)
      .map(({ hook_id }) => hooks.get(hook_id) ?? 0)
    // All claimed deliveries may belong to the hook with the most attempts that is not passed over.
    const busiest = Math.max(0, ...attemptsByHook.filter((attempts) => attempts < ofHook))
    return { owner, running: count, room: Math.max(0, Math.min(ofOwner - count, ofHook - busiest)) }
  })
  return { free: slots - running.length, reserved: Math.floor(slots / 4), each: ofHook, busy, passOver }
}

function countBy<Item>(items: readonly Item[], keyOf: (item: Item) => number): Map<number, number> {
  const counts = new Map<number, number>()
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1)
  return counts
}
