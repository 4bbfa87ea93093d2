import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { client, clientOk } from '../git.ts'

/** A repository on servers that may be killed, as one client uses it: through the API, and through git in a clone of its own. */

/** An answer; without a status there was none, and nobody knows what happened. */
interface Fate {
  status: number | undefined
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects
  body: any
}

export interface Caller {
  authorization: string
}

/** Sends a request to the API of a server; an answer that took it too long (503) says as little as none. */
export async function send(url: string, literal: string, as: Caller, body?: object): Promise<Fate> {
  const [method = '', path] = literal.split(' ')
  const headers = { ...as, 'content-type': 'application/json' }
  const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
  try {
    const response = await fetch(`${url}/api/v1${path}`, init)
    const text = await response.text()
    const status = response.status === 503 ? undefined : response.status
    return { status, body: text === '' ? undefined : JSON.parse(text) }
  } catch {
    return { status: undefined, body: undefined }
  }
}

export interface KilledRemote {
  /** Folder of the clone. */
  clone: string
  /** Sends a request once; the status must be one of these if there is one. `GET /pulls` is about the repository. */
  once: (literal: string, body: object | undefined, ...allowed: number[]) => Promise<number | undefined>
  /** What is there, once a server answers; undefined: nothing. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says by its assertions what it expects
  read: (literal: string) => Promise<any>
  isThere: (branch: string) => Promise<boolean>
  /** Checks a branch out, without a name; false: it is not there. */
  checkedOut: (branch: string) => Promise<boolean>
  /** Pushes what is checked out, until the branch has it. */
  push: (branch: string) => Promise<void>
}

/** Opens a repository; `address` gives a server that runs. */
export async function openKilledRemote(
  { repository, clone, as }: { repository: string; clone: string; as: Caller },
  address: () => Promise<string>,
): Promise<KilledRemote> {
  await mkdir(clone)
  await clientOk(clone, 'init', '-q')

  const ask = async (literal: string, body?: object) =>
    send(await address(), literal.replace(' ', ` /repos/${repository}`), as, body)
  const once: KilledRemote['once'] = async (literal, sent, ...allowed) => {
    const { status, body } = await ask(literal, sent)
    const isAllowed = status === undefined || allowed.includes(status)
    assert.ok(isAllowed, `${repository} ${literal}: ${status} ${JSON.stringify(body)}`)
    return status
  }
  const read: KilledRemote['read'] = async (literal) => {
    for (;;) {
      const { status, body } = await ask(literal)
      if (status === 200) return body
      if (status === 404) return undefined
      assert.equal(status, undefined, `${repository} ${literal}: ${status} ${JSON.stringify(body)}`)
    }
  }
  const git = async (command: string, ref: string) => {
    const header = `http.extraHeader=Authorization: ${as.authorization}`
    const url = `${await address()}/${repository}.git`
    return (await client(clone, '-c', header, command, '-q', url, ref)).code === 0
  }
  const tipOf = async (branch: string) => (await read(`GET /branches/${branch}`))?.commit.id
  const isThere = async (branch: string) => (await tipOf(branch)) !== undefined
  async function checkedOut(branch: string) {
    while (!(await git('fetch', `refs/heads/${branch}`))) if (!(await isThere(branch))) return false
    await clientOk(clone, 'checkout', '-q', '--detach', 'FETCH_HEAD')
    return true
  }
  async function push(branch: string) {
    const tip = await clientOk(clone, 'rev-parse', 'HEAD')
    do await git('push', `HEAD:refs/heads/${branch}`)
    while ((await tipOf(branch)) !== tip)
  }
  return { clone, once, read, isThere, checkedOut, push }
}
