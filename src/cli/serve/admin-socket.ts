import type { Running } from '../../background/recurring.ts'
import { beginOn } from '../../db/begin.ts'
import { stop } from '../../http/listener/server.ts'
import { backupFrames } from '../archive/backup.ts'
import { UsageError } from '../command.ts'
import { commandOf, runCommand } from '../run.ts'
import { serveSocket } from '../socket.ts'
import type { Parts } from './assemble.ts'

/** Time limit of a stop for commands in progress, in milliseconds. */
const stopTimeout = 1_000

/** Runs commands for other processes of this user, which cannot open the embedded database while this one holds it. */
export async function openAdminSocket(parts: Parts): Promise<Running> {
  const { config, pool, database, clock, log, background, keys } = parts
  const begin = beginOn(pool, clock, { onEmitted: background.wake, log })
  const { versions } = database
  const deps = { pool, versions, begin, clock, secrets: async () => keys.secrets, config }
  const run = async (args: readonly string[], print: (line: string) => void) => {
    const command = commandOf(args)
    if (!command)
      throw new UsageError('the running server does not know this command; is it another version?')
    await runCommand(command, args, { ...deps, passwordRules: config.passwordRules, print })
  }
  const server = await serveSocket(config.dataDir, run, () => backupFrames(pool, config))
  return { stop: () => stop(server, stopTimeout) }
}
