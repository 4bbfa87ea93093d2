import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BenchContext } from './bench.ts'
import type { Child } from './child.ts'
import { type Amounts, fill, thousandPosts } from './fill.ts'
import { newDatabase, startProduct } from './servers.ts'

/** The product on a PostgreSQL server of its own, with a folder and an administrator who is called `bench`. */
export interface Forge {
  child: Child
  /** `http://127.0.0.1:port`. */
  url: string
  dataDir: string
  /** Address of its database. */
  database: string
  /** Header of that name. */
  authorization: string
  /** Calls the API as the administrator; gives the milliseconds. @throws Error at another status */
  call: (method: string, path: string, status: number, body?: unknown) => Promise<number>
}

const password = 'a password for benches'

/** Starts it; `settings` are variables of its environment, `amounts` the rows of the site. */
export async function startForge(
  context: BenchContext,
  name: string,
  settings: Readonly<Record<string, string>> = {},
  amounts: Amounts = thousandPosts,
): Promise<Forge> {
  const place = await newDatabase(context, name)
  await fill(place, amounts)
  const dataDir = join(context.folder, name)
  mkdirSync(dataDir)
  const child = await startProduct(context, place, {
    settings: { ...settings, DATA_DIR: dataDir, ADMIN_USERNAME: 'bench', ADMIN_PASSWORD: password },
  })
  const url = `http://127.0.0.1:${child.port}`
  const authorization = `Basic ${Buffer.from(`bench:${password}`).toString('base64')}`
  const call: Forge['call'] = async (method, path, status, body) => {
    const began = performance.now()
    const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(url + path, { method, headers, ...sent })
    const text = await answer.text()
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return performance.now() - began
  }
  return { child, url, dataDir, database: 'url' in place ? place.url : '', authorization, call }
}

/** The header `Authorization` of a new token of the administrator, which spares the server the password. */
export async function tokenOf({ url, authorization }: Forge): Promise<string> {
  const answer = await fetch(`${url}/api/v1/users/bench/tokens`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'load', scopes: ['all'] }),
  })
  const { sha1 } = (await answer.json()) as { sha1?: string }
  if (sha1 === undefined) throw new Error(`No token was made: ${answer.status}`)
  return `token ${sha1}`
}
