import { constants } from 'node:fs'
import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fault, type GitFault } from './outcome.ts'

/**
 * The hook that git runs when it has checked the pack of a push and is about to move the refs (githooks(5),
 * "pre-receive"). It asks this server over a descriptor that it inherits, so that rights, name and state of the
 * repository are checked at that moment. What git has received is in a quarantine until then.
 */

/** Decides whether the refs may move now; a sentence refuses the push, and the client prints it as `remote: …`. */
export type MayMove = () => Promise<string | undefined>

/** The descriptor of the hook's connection to this server. */
export const hookDescriptor = 3

/** Git writes what the hook writes on standard error to the client. */
const script = `#!/bin/sh
# Asks the server that started this push whether the refs may move now: "ok", or the reason why not.
echo ask >&${hookDescriptor} || exit 1
IFS= read -r answer <&${hookDescriptor} || exit 1
[ "$answer" = ok ] && exit 0
echo "$answer" >&2
exit 1
`

/** The folder for `core.hooksPath` of a push. */
export const hooksFolder = (home: string) => join(home, 'hooks')

const scriptPath = (home: string) => join(hooksFolder(home), 'pre-receive')

/** Writes the hook into git's home. */
export async function writeHook(home: string): Promise<void> {
  await mkdir(hooksFolder(home), { recursive: true })
  await writeFile(scriptPath(home), script, { mode: 0o755 })
}

/** Why the hook cannot run: git would ignore it on a file system that is mounted `noexec`, and move the refs. */
export async function hookFault(home: string): Promise<GitFault | undefined> {
  try {
    await access(scriptPath(home), constants.X_OK)
    return undefined
  } catch (error) {
    return fault('failed', `the hook of pushes cannot be executed: ${String(error)}`).fault
  }
}

/** Answers the question of the hook. If the answer cannot be determined, the connection ends, which refuses the push. */
export function answerHook(channel: Readable & Writable, mayMove: MayMove): void {
  channel.on('error', () => {})
  channel.once('data', () => {
    mayMove().then(
      (sentence) => channel.end(`${sentence === undefined ? 'ok' : sentence.replace(/\s+/g, ' ')}\n`),
      () => channel.destroy(),
    )
  })
}
