import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mounted } from '../../src/http/route/api.ts'
import { startEverything } from '../support/forge/everything.ts'
import {
  inRepository,
  pathsOf,
  saysNone,
  storedIn,
  type Unit,
  unitOf,
} from '../support/forge/everything-routes.ts'
import type { As } from '../support/forge/make.ts'

/**
 * A unit of a repository that is turned off is not found, by any operation of the API, page or git client, nor by
 * those who may do everything else.
 */

const forge = await startEverything()
const { app, url, pool, call, ada, eve } = forge

/** First those that change nothing. */
const routes = app.routes
  .filter(({ path }) => inRepository.test(path))
  .sort((one, other) => one.method.localeCompare(other.method))

const pathOf = await pathsOf(forge)

/** The address of an operation about what is there. */
function addressOf(mounted: Mounted, service: string): string {
  return url + pathOf(mounted) + (mounted.path.endsWith('/info/refs') ? `?service=${service}` : '')
}

async function statusOf(mounted: Mounted, as: As, service = 'git-upload-pack'): Promise<number> {
  const { method } = mounted
  const answered = await fetch(addressOf(mounted, service), {
    method,
    headers: {
      Authorization: as.authorization,
      'Content-Type': 'application/json',
      'Sec-Fetch-Site': 'same-origin',
    },
    redirect: 'manual',
    // A merge without a way of merging is refused before anything is looked up.
    ...(method !== 'GET' && { body: '{"Do":"merge"}' }),
  })
  await answered.arrayBuffer()
  return answered.status
}

const turn = (unit: Unit, on: boolean) =>
  call('PATCH /api/v1/repos/{owner}/{repo}', {
    params: { owner: 'ada', repo: 'code' },
    // What issues and pull requests share is there as long as one of the two is.
    body: { [unit]: on, ...(unit === 'has_issues' && { has_pull_requests: on }) },
  })

test('every operation in a repository belongs to a unit, or is listed as one without', () => {
  assert.deepEqual(
    routes.filter((each) => unitOf(each) === undefined).map(({ path }) => path),
    [],
  )
})

for (const unit of ['has_code', 'has_issues', 'has_actions', 'has_releases'] as const) {
  const its = routes.filter((each) => unitOf(each) === unit)

  test(`a unit that is turned off is not found by any of its operations, and they change nothing: ${unit}`, async () => {
    assert.ok(its.length > 10, 'the operations were found')
    await turn(unit, false)
    const before = await storedIn(pool)
    const answers: string[] = []
    for (const mounted of its)
      for (const as of [ada, eve])
        for (const service of ['git-upload-pack', 'git-receive-pack']) {
          const status = await statusOf(mounted, as, service)
          if (status !== 404) answers.push(`${mounted.method} ${mounted.path} ${as.name} ${status}`)
        }
    assert.deepEqual(answers, [])
    assert.deepEqual(await storedIn(pool), before)
  })

  test(`the operations of a unit work again after it is turned on again: ${unit}`, async () => {
    await turn(unit, true)
    const answers: string[] = []
    // The fixture has no pull request.
    const present = its.filter(({ path }) => !/\/pulls\/(?:\{|comments)|\/commits\/\{sha\}\/pull$/.test(path))
    for (const mounted of present.filter(({ method }) => method !== 'DELETE'))
      if ((await statusOf(mounted, ada)) === 404) answers.push(`${mounted.method} ${mounted.path}`)
    assert.deepEqual(answers, [])
  })

  test(`operations of no unit are there without it: ${unit}`, async () => {
    await turn(unit, false)
    const others = routes.filter(
      (each) =>
        each.method === 'GET' && unitOf(each) === null && !each.path.replace(inRepository, '').includes('{'),
    )
    assert.ok(others.length > 10, 'the operations were found')
    const gone: string[] = []
    for (const mounted of others.filter(({ path }) => !saysNone.test(path)))
      if ((await statusOf(mounted, ada)) === 404) gone.push(mounted.path)
    assert.deepEqual(gone, [])
    await turn(unit, true)
  })
}

test('GET /api/v1/user/actions/runs and jobs list nothing of a repository without Actions', async () => {
  const [runs, jobs] = ['GET /api/v1/user/actions/runs', 'GET /api/v1/user/actions/jobs'] as const
  assert.notEqual((await call(runs)).body.total_count, 0)
  await turn('has_actions', false)
  for (const list of [runs, jobs]) assert.equal((await call(list)).body.total_count, 0)
  await turn('has_actions', true)
  for (const list of [runs, jobs]) assert.notEqual((await call(list)).body.total_count, 0)
})

test('GET /{owner}/{repo} shows no code of a repository without code', async () => {
  const page = async () => (await fetch(`${url}/ada/code`)).text()
  const code = /aria-label="(?:Files|README)"|<dt>(?:Clone|Branch)/
  assert.match(await page(), code)
  await turn('has_code', false)
  assert.doesNotMatch(await page(), code)
  await turn('has_code', true)
})
