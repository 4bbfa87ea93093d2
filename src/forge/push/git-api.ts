import type { IncomingMessage } from 'node:http'
import { type PushRules, refuseService, serviceOf } from '../../git/http/http.ts'
import { readJson } from '../../http/pipeline/body.ts'
import type { Api, ApiProfile, Routes } from '../../http/route/api.ts'
import { found, Problem } from '../../http/route/problem.ts'
import { first, readQuery } from '../../http/route/query.ts'
import { streamed } from '../../http/route/sends.ts'
import { networkOf } from '../../http/server/addresses.ts'
import type { Origin } from '../../http/server/origin.ts'
import type { Log } from '../../log.ts'
import type { ForgeAccess } from '../auth/access.ts'
import type { OnRepository } from '../repos/access.ts'
import { repositoryById } from '../repos/repo-store.ts'
import { type ForgeTools, route } from '../route.ts'
import { ARCHIVED, type GitRequest, pathOf, requireCurrent } from './current-repository.ts'
import { gitClient } from './git-clients.ts'
import { pushRules } from './rules.ts'

/** Git over HTTP (gitprotocol-http(5)): `{PUBLIC_URL}{owner}/{repo}.git`, outside the API, with its credentials. */

/** The operations of git clients, over a transport. */
interface GitTransport {
  /** Who may fetch (`read`) or push (`write`); `service`: as the query says. */
  clients: (mode: 'read' | 'write' | 'service') => ForgeAccess<OnRepository>
  overSsh: boolean
}

/** The operations of git clients. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: three declarations
export function gitRoutes({ clients, overSsh }: GitTransport): Routes<ForgeTools> {
  const exchangeOf = (git: GitRequest, from: Origin) => ({ ...exchangeFor(git, from), overSsh })

  const gitAdvertiseRefs = route('GET /{owner}/{repo}/info/refs', {
    summary: 'The refs of a repository, for a git client that fetches or pushes',
    access: clients('service'),
    query: {},
    fails: [403, 404],
    returns: streamed(200),
    runsGit: true,
    handler: async ({ sql, caller, tools, from, authorizeAgain }) => {
      const row = found(await repositoryById(sql, caller.repo.id))
      const git = { sql, tools, authorizeAgain, row }
      return async (req, res) => {
        const service = serviceIn(req)
        // The dumb protocol serves files; clients since git 1.6.6 do not need it.
        if (!service) throw new Problem(403, 'only the smart protocol is served', { form: 'text' })
        if (service === 'git-receive-pack' && row.is_archived) refuseService(res, service, ARCHIVED)
        else await tools.gitService.http.advertise({ ...exchangeOf(git, from), service, req, res })
      }
    },
  })

  const gitUploadPack = route('POST /{owner}/{repo}/git-upload-pack', {
    summary: 'Fetch from a repository',
    access: clients('read'),
    fails: [404],
    returns: streamed(200),
    runsGit: true,
    handler: async ({ sql, caller, tools, from, authorizeAgain }) => {
      const row = found(await repositoryById(sql, caller.repo.id))
      const git = { sql, tools, authorizeAgain, row }
      return async (req, res) => {
        const exchange = { ...exchangeOf(git, from), service: 'git-upload-pack' as const, req, res }
        await tools.gitService.http.serve(exchange)
      }
    },
  })

  const gitReceivePack = route('POST /{owner}/{repo}/git-receive-pack', {
    summary: 'Push to a repository',
    access: clients('write'),
    fails: [404],
    returns: streamed(200),
    runsGit: true,
    handler: async ({ sql, begin, caller, tools, from, now, authorizeAgain }) => {
      const row = found(await repositoryById(sql, caller.repo.id))
      const git = { sql, tools, authorizeAgain, row }
      const rules = sayingOutages(pushRules({ ...git, begin, caller, from, now }), tools.log)
      return async (req, res) => {
        const exchange = { ...exchangeOf(git, from), service: 'git-receive-pack' as const, req, res }
        await tools.gitService.http.serve(exchange, rules)
      }
    },
  })
  return { gitAdvertiseRefs, gitUploadPack, gitReceivePack }
}

/** The rules for a git client, which knows no status: an outage while refs are about to move is a sentence. */
function sayingOutages({ mayMove, ...rules }: PushRules, log: Log): PushRules {
  if (!mayMove) return rules
  return {
    ...rules,
    mayMove: (received) =>
      mayMove(received).catch((error: unknown) => {
        log.error('cannot check whether a push may move refs', { error: String(error) })
        return 'the server cannot check your rights now; try again'
      }),
  }
}

/** The routes of git clients over HTTP, outside of `/api/v1`. */
export const gitApi = (tools: ForgeTools): Api<ForgeTools> => ({
  prefix: '',
  tools,
  routes: gitRoutes({ clients: gitClient, overSsh: false }),
  profile: gitProfile,
})

/** What git clients get for errors: mostly a line of text. */
export const gitProfile: ApiProfile = {
  base: '',
  json: 'application/json;charset=utf-8',
  anyOrigin: false,
  headers: ['X-Content-Type-Options', 'nosniff'],
  readBody: readJson,
  problem: ({ message }) => ({ message }),
  refuse: () => new Problem(400, 'the request is not understood', { form: 'text' }),
  unknownPath: () => new Problem(404, 'not found', { form: 'text' }),
  wrongMethod: () => new Problem(405, 'method not allowed', { form: 'empty' }),
}

/** The members that all exchanges with git have. @throws Problem 404 */
const exchangeFor = (git: GitRequest, { id, address }: Origin) => ({
  repository: pathOf(git.tools, git.row),
  requestId: id,
  keys: [networkOf(address)],
  beforeGit: () => requireCurrent(git),
})

const serviceIn = (req: IncomingMessage) => serviceOf(first(readQuery(req.url ?? ''), 'service'))
