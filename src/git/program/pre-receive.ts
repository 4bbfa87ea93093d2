import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fault, type GitFault } from './outcome.ts'

/**
 * The hook that git runs when it has checked the pack of a push and is about to move the refs (githooks(5),
 * "pre-receive"). It asks this server over a descriptor that it inherits, so that rights, name and state of the
 * repository are checked at that moment. Until then, the received objects are in a quarantine.
 */

/**
 * Decides whether the refs may move now; a sentence refuses the push, and the client prints it as `remote: …`.
 * `received`: the environment in which git finds the objects of the push too; empty if they are in the repository.
 */
export type MayMove = (received: Readonly<Record<string, string>>) => Promise<string | undefined>

/** The descriptor of the hook's connection to this server. */
export const hookDescriptor = 3

/** Git sends the standard error of the hook to the client. */
const script = `#!/bin/sh
# Asks the server that started this push whether the refs may move now: "ok", or the reason why not. Says where the objects
# of the push are until then.
echo "ask \${GIT_QUARANTINE_PATH##*/}" >&${hookDescriptor} || exit 1
IFS= read -r answer <&${hookDescriptor} || exit 1
[ "$answer" = ok ] && exit 0
echo "$answer" >&2
exit 1
`

/** The folder for `core.hooksPath` of a push. */
export const hooksFolder = (home: string) => join(home, 'hooks')

const scriptPath = (home: string) => join(hooksFolder(home), 'pre-receive')

/**
 * Writes the hook into git's home, unless it exists. Another process may be running it: a file that is written in place is
 * empty for a moment, and an empty hook allows every push.
 */
export async function writeHook(home: string): Promise<void> {
  const path = scriptPath(home)
  if ((await readFile(path, 'utf8').catch(() => '')) === script) return await chmod(path, 0o755)
  await mkdir(hooksFolder(home), { recursive: true })
  const draft = join(home, `pre-receive-${randomUUID()}`)
  await writeFile(draft, script, { mode: 0o755 })
  await rename(draft, path)
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

/** Maximum length of the question. */
const maxQuestion = 200

/** Answers the question of a hook with one line; undefined ends the connection, which refuses the push. */
export type Answer = (question: string) => Promise<string | undefined>

/** Reads one line from the connection of a hook and answers it; without an answer the connection ends. */
export function answerQuestion(channel: Readable & Writable, answer: Answer): void {
  channel.on('error', () => {})
  let question = ''
  const read = (chunk: Buffer) => {
    question += chunk.toString('latin1')
    if (!question.includes('\n') && question.length < maxQuestion) return
    channel.off('data', read)
    answer(question).then(
      (line) => (line === undefined ? channel.destroy() : channel.end(`${line}\n`)),
      () => channel.destroy(),
    )
  }
  channel.on('data', read)
}

/** Answers the hook of a push to the repository in `folder`. If that fails, the push is refused. */
export function hookAnswer(folder: string, mayMove: MayMove): Answer {
  return async (question) => {
    const received = receivedIn(folder, question)
    if (!received) return undefined
    const sentence = await mayMove(received)
    return sentence === undefined ? 'ok' : sentence.replace(/\s+/g, ' ')
  }
}

/** The environment with which git finds the received objects (git-receive-pack(1), "Quarantine Environment"); empty without any. */
function receivedIn(folder: string, question: string): Record<string, string> | undefined {
  const name = /^ask ?([\w-]*)\n$/.exec(question)?.[1]
  if (name === undefined) return undefined
  const objects = join(folder, 'objects')
  if (name === '') return {}
  return { GIT_OBJECT_DIRECTORY: join(objects, name), GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }
}
