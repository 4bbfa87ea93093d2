import * as v from 'valibot'
import type { ListedRunner } from '../../actions/runner/runner-store.ts'
import { shape } from '../../http/route/validate.ts'
import { described, int } from '../../http/route/values.ts'

/** A runner as the API prints it: without its credentials and its owner. */
export const Runner = shape('Runner', {
  id: int,
  name: v.string(),
  status: described(v.picklist(['online', 'offline']), '`online` for a minute after each call of the runner'),
  busy: described(v.boolean(), 'Whether it works on a job'),
  disabled: described(v.boolean(), 'Whether it gets no new jobs'),
  ephemeral: described(v.boolean(), 'Whether the server deletes it after one job'),
  labels: described(
    v.array(v.object({ id: int, name: v.string(), type: v.literal('custom') })),
    'In the order that the runner declares; `id` is the place in that order',
  ),
})
export type Runner = v.InferOutput<typeof Runner>

export const RunnerList = shape('RunnerList', { runners: v.array(Runner), total_count: int })
export type RunnerList = v.InferOutput<typeof RunnerList>

/** The token to register runners with; it stays the same until it is replaced. */
export const RegistrationToken = shape('RegistrationToken', { token: v.string() })

/** How long a runner counts as online after a call, in milliseconds. */
export const onlineFor = 60_000

export function printRunner(runner: ListedRunner, now: Date): Runner {
  const { last_online } = runner
  const online = last_online !== null && now.getTime() - Date.parse(last_online) <= onlineFor
  return {
    id: runner.id,
    name: runner.name,
    status: online ? 'online' : 'offline',
    busy: runner.is_busy,
    disabled: runner.disabled,
    ephemeral: runner.ephemeral,
    labels: runner.labels.map((name, id) => ({ id, name, type: 'custom' })),
  }
}
