import * as v from 'valibot'
import type { StoredRunner } from '../../actions/runner/runner-store.ts'
import { int } from '../../http/route/values.ts'
import { option, someFlag } from '../protocol/fields.ts'

/** A runner as it is sent: nothing that it proves itself with, and not whose it is. */
export const Runner = v.object({
  id: int,
  name: v.string(),
  status: v.picklist(['online', 'offline']),
  busy: v.boolean(),
  disabled: v.boolean(),
  ephemeral: v.boolean(),
  /** In the order in which the runner names them; `id` is the place, from 0. */
  labels: v.array(v.object({ id: int, name: v.string(), type: v.literal('custom') })),
})
export type Runner = v.InferOutput<typeof Runner>

export const RunnerList = v.object({ runners: v.array(Runner), total_count: int })
export type RunnerList = v.InferOutput<typeof RunnerList>

/** What programs register themselves with as runners; it is the same until it is replaced. */
export const RegistrationToken = v.object({ token: v.string() })

/** `disabled` must be given; that is checked last, since an unknown runner is told first. */
export const EditActionRunnerOption = option({ disabled: someFlag() })

/** Milliseconds for which a runner counts as online after a call, and as busy after one about a job. */
const fresh = { online: 60_000, busy: 10_000 }

export function printRunner(runner: StoredRunner, now: Date): Runner {
  const since = (moment: string | null) =>
    moment === null ? Number.POSITIVE_INFINITY : now.getTime() - Date.parse(moment)
  const online = since(runner.last_online) <= fresh.online
  return {
    id: runner.id,
    name: runner.name,
    status: online ? 'online' : 'offline',
    busy: online && since(runner.last_active) <= fresh.busy,
    disabled: runner.disabled,
    ephemeral: runner.ephemeral,
    labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
  }
}
