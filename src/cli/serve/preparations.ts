import { presetToken } from '../../actions/runner/registration-store.ts'
import { siteScope } from '../../actions/secrets/scope-store.ts'
import { bringTriggersForward, releaseTriggers } from '../../actions/trigger/trigger-store.ts'
import { settleRestore } from '../../backup/restore.ts'
import type { Config } from '../../config.ts'
import { beginOn } from '../../db/begin.ts'
import { bringEventsForward } from '../../db/outbox-events.ts'
import { requireKeptStatements } from '../../db/pooler.ts'
import { ensureAdministrator } from '../../forge/users/first-admin.ts'
import { bringDeliveriesForward, releaseAllDeliveries } from '../../forge/webhooks/delivery/delivery-store.ts'
import { checkKeys } from '../keys.ts'
import { checkStore } from '../store.ts'
import type { Parts } from './assemble.ts'
import { watchSchema } from './schema-watch.ts'

/** Work before the first request, once the schema is up to date. */
export async function beforeRequests(parts: Parts): Promise<void> {
  const { pool, config, app, log, clock, keys } = parts
  if (config.databaseUrl !== undefined) await requireKeptStatements(config.databaseUrl)
  await settleRestore(pool, config.dataDir)
  await checkStore(pool, app.tools.blobs, log)
  await checkKeys({ pool, config, clock, report: log.warn }, keys)
  await makeFirstAdministrator(parts)
  await presetRunnerToken(parts)
}

/** Work for which no request waits. */
export async function besidesRequests(parts: Parts): Promise<void> {
  const { pool, config, app, log, clock, lifetime, background } = parts
  const alone = isAlone(config)
  if (alone) await repairAfterCrash(parts)
  await app.tools.schedule.start({ alone })
  background.start()
  if (lifetime.isStopping()) return
  lifetime.add(
    app.recoverPushes(clock()),
    app.clockWatch.start(log, () => bringForward(parts)),
  )
  if (!alone) lifetime.add(watchSchema({ pool, log, giveUp: lifetime.giveUp }))
}

/** Whether no other process uses the database (the embedded one): leftovers of others come from a crash. */
export const isAlone = ({ databaseUrl }: Config) => databaseUrl === undefined

/**
 * Creates the first administrator. Prints a generated password once on standard error, and never logs it. Takes the port
 * before: a start that fails because of the port prints and creates nothing. Requests get 503 meanwhile.
 */
async function makeFirstAdministrator(parts: Parts): Promise<void> {
  const { pool, passwords, config, clock, log, printError, listen } = parts
  const { admin: input, root, passwordRules } = config
  const begin = beginOn(pool, clock, { log })
  const made = await ensureAdministrator({
    pool,
    begin,
    passwords,
    input,
    root,
    passwordRules,
    beforeMaking: listen,
  })
  if (!made) return
  log.info('created the first administrator', { name: made.name })
  if (made.password === undefined) return
  printError(`the first administrator is "${made.name}" with the password ${made.password}`)
  printError('it is shown only now; the command "admin password" sets another one')
  printError(`open ${root} in a browser to begin`)
}

/** Creates the registration token from `RUNNER_TOKEN`, unless there is one: for setting up site and runners together. */
async function presetRunnerToken({ pool, config, clock, keys, log }: Parts): Promise<void> {
  const { runnerToken } = config
  if (runnerToken === undefined) return
  const made = await beginOn(pool, clock)((tx) => presetToken(tx, keys.secrets, siteScope, runnerToken))
  if (made) log.info('runners may register with RUNNER_TOKEN')
}

/** Repairs leftovers of a crash before this process started. With other processes around, tasks do that later. */
async function repairAfterCrash({ pool, app, clock, log, startedAt }: Parts): Promise<void> {
  await app.tools.gitService.repositories.tidy(startedAt)
  const count = await app.repairRepositories(startedAt)
  if (count > 0) log.info('repaired repositories', { count })
  await releaseTriggers(pool, clock())
  await releaseAllDeliveries(pool, clock())
}

/** Makes work due that was scheduled before the clock was set back: its times are now far in the future. */
async function bringForward({ pool, app, background, clock }: Parts): Promise<void> {
  const now = clock()
  await bringEventsForward(pool, now)
  await bringDeliveriesForward(pool, now)
  await bringTriggersForward(pool, now)
  await app.tools.schedule.bringForward()
  background.wake()
}
