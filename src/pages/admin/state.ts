import * as v from 'valibot'
import { countRunners } from '../../actions/runner/runner-store.ts'
import { onlineFor } from '../../forge/actions/runner.shape.ts'
import { adminListMails } from '../../forge/admin/mails.ts'
import { countFailedDeliveries } from '../../forge/webhooks/delivery/delivery-history-store.ts'
import { int } from '../../http/route/values.ts'
import { counted, type Html, html } from '../html.ts'
import { card } from '../layout.ts'
import { read } from '../operations/perform.ts'
import { type Administrator, adminAddress } from './administrator.ts'

const day = 24 * 60 * 60 * 1000

/** What an administrator learns of one part: whether it is well, in a sentence, with the section that has more. */
interface Finding {
  isGood: boolean
  sentence: string
  path: string
}

/** The state of what works without anybody looking: runners, scheduled tasks, deliveries of webhooks, and mails. */
export async function stateSection(caller: Administrator): Promise<Html> {
  const findings = await Promise.all([runners(caller), tasks(caller), deliveries(caller), mails(caller)])
  return card('state', 'State')`<ul class="list">${findings.map(
    ({ isGood, sentence, path }) => html`
<li><span class="badge ${isGood ? 'good' : 'bad'}">${isGood ? 'well' : 'look'}</span> <a href="${adminAddress(caller, path)}">${sentence}</a></li>`,
  )}
</ul>`
}

async function runners({ request: { sql, now } }: Administrator): Promise<Finding> {
  const { total, silent } = await countRunners(sql, new Date(now.getTime() - onlineFor))
  const sentence =
    silent > 0
      ? `${silent} of ${counted(total, 'runner')} offline`
      : total === 0
        ? 'There are no runners'
        : 'All runners are online'
  return { isGood: silent === 0, sentence, path: 'runners' }
}

async function tasks({ request: { sql, tools } }: Administrator): Promise<Finding> {
  const states = await tools.schedule.states(sql)
  const failed = [...states].filter(([, { outcome }]) => outcome === 'failed').map(([name]) => name)
  const sentence = failed.length === 0 ? 'No scheduled task has failed' : `Failed: ${failed.join(', ')}`
  return { isGood: failed.length === 0, sentence, path: 'tasks' }
}

async function deliveries({ request: { sql, now } }: Administrator): Promise<Finding> {
  const { count } = await countFailedDeliveries(sql, new Date(now.getTime() - day))
  const sentence =
    count === 0
      ? 'No delivery of a webhook was given up in the last day'
      : `${counted(count, 'delivery', 'deliveries')} of webhooks given up in the last day`
  return { isGood: count === 0, sentence, path: 'webhooks' }
}

async function mails(caller: Administrator): Promise<Finding> {
  const query = { state: 'failed', limit: '1' }
  const { total } = await read(caller, adminListMails, v.object({ total: int }), { query })
  const sentence = total === 0 ? 'No mail was given up' : `${counted(total, 'mail')} given up`
  return { isGood: total === 0, sentence, path: 'mails?state=failed' }
}
