import { join } from 'node:path'
import { clientOk } from '../../support/git.ts'
import { made, type Operation, ofSite, once } from './operation.ts'
import { deliveryOf, hookBody } from './settings.ts'

/** What administrators do with the whole server; all scenes share it. */

const site = ofSite('site')
const newHook = site('POST /hooks', { body: hookBody })
const trial = ({ guild, repo }: { guild: string; repo: string }) => ({ repository: `${guild}/${repo}` })

/** A directory that no repository has. */
const stray = once(async ({ dataDir, bob, number }) => {
  const name = `stray${number}`
  const folder = join(dataDir, 'repositories')
  await clientOk(folder, 'init', '-q', '--bare', '-b', 'main', join(folder, bob.name, `${name}.git`))
  return { owner: bob.name, repo: name }
})
/** To a recipient of its own: the same mail waits only once for one. */
const failedMail = once(async ({ pool, bob }) => {
  const [mail] = await pool<[{ id: number }]>`
    insert into forgehall.mail (kind, recipient, state, attempts, error, created_at, due_at, finished_at)
    values ('account_made', ${bob.email}, 'failed', 1, '550 no such user', '2026-01-31', '2026-01-31', '2026-01-31')
    returning id`
  return { id: mail.id }
})

/** Tasks that look at repositories, pushes and runs, beside whatever ends these. */
const tasks = [
  'repair_repos',
  'repair_pushes',
  'stop_zombie_tasks',
  'cancel_abandoned_jobs',
  'delete_missing_repos',
]

export const siteOperations: readonly Operation[] = [
  newHook,
  site('PATCH /hooks/{id}', { before: made(newHook), body: () => ({ active: false }) }),
  site('DELETE /hooks/{id}', { before: made(newHook) }),
  site('POST /hooks/{id}/tests', { before: made(newHook), query: trial }),
  site('POST /hooks/{id}/deliveries/{delivery}/redeliver', { before: deliveryOf(newHook) }),
  site('POST /unadopted/{owner}/{repo}', { before: stray }),
  site('DELETE /unadopted/{owner}/{repo}', { before: stray }),
  site('POST /mails/{id}/retry', { before: failedMail }),
  site('DELETE /mails/{id}', { before: failedMail }),
  ...tasks.map((task) => site('POST /cron/{task}', { params: () => ({ task }) })),
]
