import { setTimeout as pause } from 'node:timers/promises'
import { main } from '../../../src/cli/main.ts'
import { isHealthy } from '../support/child.ts'

// One process with two servers on the same database: the one on `PORT` has no metrics, the one on `METERED_PORT` has
// them on `METRICS_PORT`. Both run the same compiled code, so that what differs between them is only the metrics.
const { PORT = '', METERED_PORT = '', METRICS_PORT = '', ...common } = process.env

const stopped = new Promise<NodeJS.Signals>((resolve) => process.once('SIGTERM', resolve))

const servers = [serve({ PORT: METERED_PORT, METRICS_PORT })]
// The parent waits for `PORT`, so that server starts last.
while (!(await isHealthy(`http://127.0.0.1:${METERED_PORT}/api/health`))) await pause(20)
servers.push(serve({ PORT }))
process.exitCode = Math.max(...(await Promise.all(servers)))
process.exit()

/** Serves until SIGTERM; gives the exit code of the command. */
function serve(settings: Readonly<Record<string, string>>): Promise<number> {
  return main({
    args: [],
    environment: { ...common, ...settings },
    print: () => {},
    printError: (line) => console.error(line),
    stopped,
  })
}
