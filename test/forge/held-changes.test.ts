import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { updateAccount } from '../../src/forge/accounts/account-store.ts'
import { lockRepository, updateOwner, updateRepository } from '../../src/forge/repos/repo-store.ts'
import type { Mounted } from '../../src/http/route/api.ts'
import { serveApp } from '../support/app.ts'
import { startEverything } from '../support/forge/everything.ts'
import { inRepository, pathsOf, storedIn, unitOf } from '../support/forge/everything-routes.ts'
import { gateBefore, waitsAt } from '../support/forge/gate.ts'
import { clientOk } from '../support/git.ts'

/**
 * Operations that change something by their path alone: each request is authorized and comes to its transaction, where
 * it waits, as for a lock, while rights are withdrawn. The answer must be that of a request that is sent afterwards, and
 * nothing may change.
 */

const forge = await startEverything()
const { pool, ada, make, repo } = forge
const gate = gateBefore(pool)
const app = await serveApp({ ...forge.database, pool: gate.pool }, { DATA_DIR: join(forge.folder, 'data') })
after(() => app.close())
const pathOf = await pathsOf(forge)
const directories = join(forge.folder, 'data', 'repositories')
await clientOk(directories, 'init', '-q', '--bare', join(directories, 'ada', 'stray.git'))
const vic = await make.person({ name: 'vic' })

const routes = app.app.routes.filter(
  ({ method, path, route }) =>
    method !== 'GET' &&
    !route.body &&
    route.returns.kind !== 'stream' &&
    /^\/api\/(?:v1|packages)\//.test(path) &&
    // These change nothing.
    !path.includes('/npm/v1/security/') &&
    // One merges with git before its transaction, and there is no pull request here with a review or a scheduled merge; `forge/pulls` tests them.
    !/\/pulls\/\{index\}\/(?:update|merge$|reviews\/)/.test(path),
)
const ofRepository = routes.filter(({ path }) => inRepository.test(path))

/** The query without which an operation refuses the request. */
const queryOf = ({ path }: Mounted) =>
  path.endsWith('/admin/hooks/{id}/tests') ? '?repository=ada/code' : ''

async function ask(mounted: Mounted, authorization: string) {
  const response = await fetch(app.url + pathOf(mounted) + queryOf(mounted), {
    method: mounted.method,
    headers: { Authorization: authorization },
    redirect: 'manual',
  })
  return { status: response.status, body: await response.text() }
}

/** What is wrong when rights are withdrawn before the transactions of these operations. */
async function faultsOf(withdraw: () => Promise<unknown>, among: readonly Mounted[]): Promise<string[]> {
  const authorization = `token ${await make.token(ada)}`
  const faults: string[] = []
  gate.close()
  const held: { mounted: Mounted; answer: ReturnType<typeof ask> }[] = []
  for (const mounted of among) {
    const answer = ask(mounted, authorization)
    held.push({ mounted, answer })
    if (!(await waitsAt(gate, answer)))
      faults.push(`${mounted.method} ${mounted.path} begins no transaction: ${JSON.stringify(await answer)}`)
  }
  await withdraw()
  const before = await storedIn(pool)
  gate.open()
  for (const { mounted, answer } of held) {
    const { status, body } = await answer
    const later = await ask(mounted, authorization)
    if (status < 300 || status !== later.status || body !== later.body)
      faults.push(`${mounted.method} ${mounted.path}: ${status}, later ${later.status}`)
  }
  const after = await storedIn(pool)
  return [...faults, ...Object.keys(before).filter((table) => before[table] !== after[table])]
}

test('the operations were found', () => {
  assert.ok(routes.length > 80 && ofRepository.length > 30, `${routes.length}, ${ofRepository.length}`)
})

test('a token that is deleted before the transaction gives no rights', async () => {
  const newest = pool`
    delete from forge.access_token
    where id = (select max(id) from forge.access_token where account_id = ${ada.id})`
  assert.deepEqual(await faultsOf(async () => newest, routes), [])
})

test('an account that is prohibited to sign in before the transaction has no rights', async () => {
  const prohibit = (prohibit_login: boolean) =>
    make.begin((tx) => updateAccount(tx, ada.id, { prohibit_login }))
  const faults = await faultsOf(() => prohibit(true), routes)
  await prohibit(false)
  assert.deepEqual(faults, [])
})

// Pull requests have labels and milestones, too.
for (const units of [['has_issues', 'has_pull_requests'], ['has_actions']] as const) {
  test(`a unit that is switched off before the transaction is off: ${units.join(', ')}`, async () => {
    const turn = (isOn: boolean) =>
      make.begin(async (tx) => {
        const row = await lockRepository(tx, repo.id)
        assert.ok(row)
        await updateRepository(tx, row, {
          settings: { ...row.settings, ...Object.fromEntries(units.map((unit) => [unit, isOn])) },
        })
      })
    const its = ofRepository.filter((each) => unitOf(each) === units[0])
    assert.ok(its.length > 5)
    const faults = await faultsOf(() => turn(false), its)
    await turn(true)
    assert.deepEqual(faults, [])
  })
}

test('an administrator who is demoted before the transaction is none', async () => {
  const ofSite = routes.filter(({ path }) => path.startsWith('/api/v1/admin/'))
  const demote = () => make.begin((tx) => updateAccount(tx, ada.id, { is_admin: false }))
  assert.deepEqual(await faultsOf(demote, ofSite), [])
})

test('an owner who leaves the organization before the transaction is none', async () => {
  const ofOrganization = routes.filter(({ path }) => /\/orgs\/\{org\}|\/teams\/\{id\}/.test(path))
  const [teams, memberships] = [pool`forge.team_member`, pool`forge.membership`]
  const deleted: object[][] = []
  const leave = async () => {
    for (const table of [teams, memberships])
      deleted.push(await pool<object[]>`delete from ${table} where account_id = ${ada.id} returning *`)
  }
  const faults = await faultsOf(leave, ofOrganization)
  const [inTeams = [], inOrganizations = []] = deleted
  await pool`insert into forge.membership ${pool(inOrganizations)}`
  await pool`insert into forge.team_member ${pool(inTeams)}`
  assert.deepEqual(faults, [])
})

test('an owner whose repositories are transferred before the transaction has lost them', async () => {
  const giveAway = () =>
    make.begin(async (tx) => {
      for (const { id } of await tx<{ id: number }[]>`select id from forge.repository order by id`) {
        const row = await lockRepository(tx, id)
        assert.ok(row)
        await updateOwner(tx, await updateRepository(tx, row, { is_private: true }), vic.id)
      }
      await tx`delete from forge.repository_collaborator`
      await tx`delete from forge.repository_transfer`
    })
  assert.deepEqual(await faultsOf(giveAway, ofRepository), [])
})
