import type { RequestListener } from 'node:http'
import * as v from 'valibot'
import type { Api } from '../../http/route/api.ts'
import { found, notFound } from '../../http/route/problem.ts'
import { textAs } from '../../http/route/sends.ts'
import { keyIn, withKeys } from '../auth/ssh/with-keys.ts'
import { type ForgeTools, route } from '../route.ts'
import { isKeyKnown, keyOfUser } from '../ssh-keys/key-store.ts'
import { parseSshKey } from '../ssh-keys/ssh-key.ts'
import { gitProfile, gitRoutes } from './git-api.ts'
import { sshClient } from './git-clients.ts'

/**
 * What the SSH program asks (`cli/ssh`), over a socket that only the user of this server can open: git over SSH is git
 * over HTTP whose requests name a key.
 */

/** Requests of the SSH program that this process serves now, and all so far, for `src/metrics`. */
export const sshCounts = { running: 0, all: 0 }

/** The same, counted. */
export const countedSsh =
  (handle: RequestListener): RequestListener =>
  (req, res) => {
    sshCounts.all += 1
    sshCounts.running += 1
    res.once('close', () => {
      sshCounts.running -= 1
    })
    handle(req, res)
  }

/** The user of this server has started the program; the key is that of its client. */
const sshProgram = { name: 'sshProgram', refusals: [], admit: keyIn }

const sshKnownKey = route('GET /-/ssh/key', {
  extension: true,
  summary: 'The fingerprint of an SSH key, if a user or a repository has it',
  access: sshProgram,
  query: { type: v.string(), key: v.string() },
  fails: [404],
  returns: textAs(200, 'text/plain'),
  handler: async ({ query, sql }) => {
    const parsed = parseSshKey(`${query.type} ${query.key}`)
    if (!parsed.ok || !(await isKeyKnown(sql, parsed.value.fingerprint))) throw notFound()
    return parsed.value.fingerprint
  },
})

const sshGreeting = route('GET /-/ssh/greeting', {
  extension: true,
  summary: 'What a connection without a command gets',
  access: sshProgram,
  fails: [404],
  returns: textAs(200, 'text/plain'),
  handler: async ({ caller: fingerprint, sql }) => {
    const key = await keyOfUser(sql, fingerprint)
    if (key)
      return `you are ${key.user}, by the key "${key.title}"; this server runs git for you, but no shell`
    found((await isKeyKnown(sql, fingerprint)) || undefined)
    return 'this is a deploy key; this server runs git for it, but no shell'
  },
})

/** The routes on the socket of the SSH program. */
export const sshApi = (tools: ForgeTools): Api<ForgeTools> => ({
  prefix: '',
  tools: { ...tools, authenticator: withKeys(tools.authenticator) },
  routes: { ...gitRoutes({ clients: sshClient, overSsh: true }), sshKnownKey, sshGreeting },
  profile: gitProfile,
})
