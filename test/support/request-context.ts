import assert from 'node:assert/strict'
import type { Sql } from '../../src/db/sql.ts'
import { Authenticator } from '../../src/forge/auth/authenticator.ts'
import type { Passwords } from '../../src/forge/auth/password.ts'
import { PasswordCache } from '../../src/forge/auth/password-cache.ts'
import type { ForgeTools } from '../../src/forge/route.ts'
import { DatabaseLimiter } from '../../src/http/reads/database-limiter.ts'
import { CoalescedReads } from '../../src/http/reads/reads.ts'
import { ValidatedCache } from '../../src/http/reads/validated-cache.ts'
import type { RequestContext } from '../../src/http/route/route.ts'
import type { Method } from '../../src/http/route/router.ts'
import { Origin } from '../../src/http/server/origin.ts'
import { createLog } from '../../src/log.ts'
import type { TestApp } from './app.ts'
import { cheapPasswords, testSecrets } from './forge/make.ts'

/** What a request to a made-up route shows of itself before its body. */
export interface RequestFacts {
  as?: { authorization: string } | undefined
  method?: Method
  /** With parameters in braces, without the prefix. */
  path?: string
  params?: Record<string, string>
  query?: Record<string, string>
  sql?: Sql
}

/** Knocks at a door without a server: what permission is given, for tests of permission itself. */
export function requestContexts({ app, pool, clock }: TestApp, passwords: Passwords = cheapPasswords) {
  const root = 'https://forgehall.example/'
  const authenticator = new Authenticator({
    secrets: testSecrets,
    verified: new PasswordCache(passwords),
    reads: new CoalescedReads(
      new DatabaseLimiter(1000, 1000),
      new ValidatedCache({ local: () => undefined }, () => 0),
    ),
    log: createLog('silent'),
    queryTokens: false,
    requireSignIn: false,
  })
  const tools: ForgeTools = { ...app.tools, root, authenticator }
  const some = app.routes[0]
  assert.ok(some)
  const from = new Origin(undefined, 'test', { root, isRootSet: true, proxies: { trusts: () => false } })

  return ({
    as,
    method = 'GET',
    path = '/',
    params = {},
    query = {},
    sql = pool,
  }: RequestFacts): RequestContext<ForgeTools> => {
    const headers = as ? { authorization: as.authorization } : {}
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '')
    const search = new URLSearchParams(query).toString()
    const url = `/api/v1${filled}${search && `?${search}`}`
    const begin = () => Promise.reject(new Error('permission writes nothing'))
    const route = { ...some.route, method, path }
    return { route, headers, url, params, query, clock: clock.now, now: clock.now(), sql, begin, from, tools }
  }
}
