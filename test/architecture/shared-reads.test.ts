import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forgeRoutes } from '../../src/forge/routes.ts'
import { pageRoutes } from '../../src/pages/routes.ts'
import { siteApi } from '../site/specified.ts'
import { routesOfApp } from '../support/routes.ts'

/** The rule for `shared`, which `docs/CONTRIBUTING.md` states. */

const reads = routesOfApp().filter(({ method }) => method === 'GET')
const literalsOf = (of: typeof reads) => of.map(({ method, path }) => `${method} ${path}`)

/** Lists that are not shared, and why. */
const ownLists: Readonly<Record<string, string>> = {
  'GET /api/v1/repos/{owner}/{repo}/releases':
    'drafts depend on the scopes of the token, which are not in the key',
}

/** What the answers of reads that are not kept until something is written depend on besides rows and commits. */
const notOnlyWritten: readonly (readonly [of: RegExp, what: string])[] = [
  [/\/actions\/runners(?:\/\{runner_id\})?$/, 'the clock: which runners are online'],
  [/\/admin\/cron(?:\/\{task\})?$/, 'the schedule in the memory of this process'],
  [/\/actions\/(?:runs\/\{run\}\/)?artifacts$/, 'the clock: which artifacts have expired'],
  [/\/admin\/unadopted$/, 'the folders on the disk'],
  [/\/(?:gitignore\/templates|licenses|label\/templates)(?:\/\{name\})?$/, 'constants of this version'],
]

/** Reads until something is written that look at the clock, and why they may. */
const withClock: Readonly<Record<string, string>> = {
  'GET /': 'shows samples of presence up to now, and each new one is written',
  'GET /overview': 'shows samples of presence up to now, and each new one is written',
}

test('every list is shared, except for those with a reason', () => {
  const alone = reads.filter(({ route }) => route.returns.page && !route.shared)
  assert.deepEqual(literalsOf(alone).toSorted(), Object.keys(ownLists).toSorted())
})

/** Reads that send files, whose one function serves several requests, each with its own range and tags. */
const sharedFiles = [
  'GET /api/v1/repos/{owner}/{repo}/media/{filepath...}',
  'GET /api/v1/repos/{owner}/{repo}/raw/{filepath...}',
]

test('only reads that send a value, and a few that send files, are shared', () => {
  const shared = routesOfApp().filter(({ route }) => route.shared)
  const others = shared.filter(
    ({ method, route: { returns } }) =>
      method !== 'GET' || returns.kind === 'stream' || returns.kind === 'static',
  )
  assert.deepEqual(literalsOf(others).toSorted(), sharedFiles)
})

test('a shared read is kept until something is written, unless its answer depends on something else', () => {
  const notKept = reads.filter(({ route }) => route.shared === true)
  const unexplained = notKept.filter(({ path }) => !notOnlyWritten.some(([of]) => of.test(path)))
  assert.deepEqual(literalsOf(unexplained), [])
  const unused = notOnlyWritten.filter(([of]) => !notKept.some(({ path }) => of.test(path)))
  assert.deepEqual(unused, [])
})

test('a read that is kept until something is written does not ask for the time', () => {
  const declared = Object.values({ ...forgeRoutes, ...pageRoutes, ...siteApi.routes })
  const asking = declared.filter(
    ({ shared, steps }) => shared === 'until written' && /\bnow\b/.test(String(steps.handler)),
  )
  assert.deepEqual(asking.map(({ literal }) => literal).toSorted(), Object.keys(withClock).toSorted())
})

test('a shared page shows nothing of a visitor without a session', () => {
  const pages = reads.filter(({ route, profile }) => route.shared && profile.errorPage)
  const personal = pages.filter(({ route }) => !route.access.isAnonymous({ rawHeaders: [] }))
  assert.deepEqual(literalsOf(personal), [])
  assert.ok(pages.length > 0)
})
