import source from 'worker:../ssh/program.ts'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { App } from '../../app.ts'
import { listenIn } from '../../common/socket-path.ts'
import type { Config } from '../../config.ts'
import { malformedReporter } from '../../http/listener/malformed.ts'
import { createHttpServer } from '../../http/listener/server.ts'
import { sshFolder } from '../ssh/folder.ts'
import type { Parts } from './assemble.ts'

/** The parts of a server that serve SSH. */
interface SshParts extends Pick<Parts, 'log'> {
  config: Pick<Config, 'dataDir'>
  app: Pick<App, 'handleSsh' | 'profile'>
}

/**
 * Listens for the SSH program, on a socket in `DATA_DIR` that only the server's user can open, and writes that program
 * beside it. Each process has its own socket; the program takes any that is open.
 */
export async function openSshSocket(
  { config: { dataDir }, app, log }: SshParts,
  port: number,
): Promise<Server> {
  const folder = join(dataDir, sshFolder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeProgram(folder)
  const name = `${hostname()}-${port}.sock`
  // This process listens on the port, so an existing socket is stale.
  await rm(join(folder, name), { force: true })
  const server = createHttpServer(app.handleSsh, app.profile, malformedReporter(log))
  await listenIn(folder, name, server)
  return server
}

/** Another process may be starting the program. */
async function writeProgram(folder: string): Promise<void> {
  const draft = join(folder, `program-${process.pid}`)
  await writeFile(draft, source(), { mode: 0o600 })
  await rename(draft, join(folder, 'program.cjs'))
}
