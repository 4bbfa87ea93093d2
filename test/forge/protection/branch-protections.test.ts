import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startProtected } from '../../support/forge/protected.ts'
import { clientOk } from '../../support/git.ts'

const { call, pool, make, ada, bob, eve, repository } = await startProtected()
const LIST = 'GET /api/v1/repos/{owner}/{repo}/branch_protections'
const CREATE = 'POST /api/v1/repos/{owner}/{repo}/branch_protections'
const ORDER = 'POST /api/v1/repos/{owner}/{repo}/branch_protections/priority'
const GET = 'GET /api/v1/repos/{owner}/{repo}/branch_protections/{name...}'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/branch_protections/{name...}'
const DELETE = 'DELETE /api/v1/repos/{owner}/{repo}/branch_protections/{name...}'
const named = (name: string, body?: object) => ({ params: { name }, ...(body && { body }) })

test(`${CREATE}, ${GET}, ${LIST}, ${EDIT}, ${DELETE} and ${ORDER} list, show and change rules, and record changes`, async () => {
  const repo = await repository()
  const created = await repo.ask(ada, CREATE, { body: { rule_name: 'main' } })
  assert.equal(created.status, 201)
  const { rule_name, branch_name, priority, enable_push, status_check_contexts, required_approvals } =
    created.body
  assert.deepEqual(
    [rule_name, branch_name, priority, enable_push, status_check_contexts, required_approvals],
    ['main', 'main', 1, false, [], 0],
  )
  assert.deepEqual((await repo.ask(ada, GET, named('main'))).body, created.body)
  const glob = await repo.ask(ada, CREATE, { body: { branch_name: 'release/**' } })
  assert.deepEqual([glob.body.branch_name, glob.body.priority], ['', 2])
  const listed = await repo.ask(ada, LIST)
  assert.deepEqual(listed.body, [created.body, glob.body])
  assert.equal(listed.headers.get('x-total-count'), null)
  const edited = await repo.ask(ada, EDIT, named('release/**', { required_approvals: 2, priority: -1 }))
  assert.deepEqual(edited.body, {
    ...glob.body,
    required_approvals: 2,
    priority: -1,
    updated_at: edited.body.updated_at,
  })
  assert.equal((await repo.ask(ada, DELETE, named('release/**'))).status, 204)
  assert.equal((await repo.ask(ada, DELETE, named('release/**'))).status, 404)
  assert.equal((await repo.ask(ada, GET, named('release/**'))).status, 404)
  assert.equal((await repo.ask(ada, EDIT, named('release/**', {}))).status, 404)
  assert.equal((await repo.ask(ada, ORDER, { body: { ids: [] } })).status, 204)
  const deeds = await pool<{ action: string }[]>`
    select action from forge.audit where target_name = ${`ada/${repo.name}`} and action like '%protection%' order by id`
  assert.deepEqual(
    deeds.map(({ action }) => action.replace('repository.branch_', '')),
    [
      'protection_created',
      'protection_created',
      'protection_edited',
      'protection_deleted',
      'protections_ordered',
    ],
  )
})

test(`${CREATE} and ${EDIT}: every field is stored and sent, and absent members keep their values`, async () => {
  const repo = await repository()
  const flags = {
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_deploy_keys: true,
    enable_force_push: true,
    enable_force_push_allowlist: true,
    force_push_allowlist_deploy_keys: true,
    enable_merge_whitelist: true,
    enable_bypass_allowlist: true,
    enable_status_check: true,
    enable_approvals_whitelist: true,
    block_on_rejected_reviews: true,
    block_on_official_review_requests: true,
    block_on_outdated_branch: true,
    dismiss_stale_approvals: true,
    ignore_stale_approvals: true,
    require_signed_commits: true,
    block_admin_merge_override: true,
  }
  const given = {
    rule_name: 'main',
    priority: 7,
    ...flags,
    push_whitelist_usernames: ['bob', 'ada', 'BOB'],
    force_push_allowlist_usernames: ['bob'],
    merge_whitelist_usernames: ['ada'],
    bypass_allowlist_usernames: ['bob'],
    approvals_whitelist_username: ['ada'],
    status_check_contexts: ['ci/*', 'lint'],
    required_approvals: 3,
    protected_file_patterns: '*.lock',
    unprotected_file_patterns: 'docs/**',
  }
  const { status, body } = await repo.ask(ada, CREATE, { body: given })
  assert.equal(status, 201)
  assert.deepEqual(body, {
    ...body,
    ...given,
    branch_name: 'main',
    push_whitelist_usernames: ['ada', 'bob'],
    push_whitelist_teams: [],
  })
  const same = await repo.ask(ada, EDIT, named('main', {}))
  assert.deepEqual(same.body, { ...body, updated_at: same.body.updated_at })
  const none = Object.fromEntries(Object.keys(flags).map((flag) => [flag, false]))
  const cleared = await repo.ask(
    ada,
    EDIT,
    named('main', {
      ...none,
      push_whitelist_usernames: [],
      status_check_contexts: [],
      required_approvals: -1,
      protected_file_patterns: '',
    }),
  )
  assert.deepEqual(cleared.body, {
    ...body,
    ...none,
    push_whitelist_usernames: [],
    bypass_allowlist_usernames: [],
    status_check_contexts: [],
    protected_file_patterns: '',
    updated_at: cleared.body.updated_at,
  })
})

test(`${EDIT} turns lists on only along with the permission that they limit`, async () => {
  const repo = await repository()
  const { body } = await repo.ask(ada, CREATE, {
    body: {
      rule_name: 'a',
      enable_push_whitelist: true,
      enable_force_push: true,
      enable_bypass_allowlist: false,
    },
  })
  assert.deepEqual([body.enable_push_whitelist, body.enable_force_push], [false, false])
  const alone = await repo.ask(ada, EDIT, named('a', { enable_push_whitelist: true }))
  assert.equal(alone.body.enable_push_whitelist, false)
  const both = await repo.ask(ada, EDIT, named('a', { enable_push: true, enable_push_whitelist: true }))
  assert.equal(both.body.enable_push_whitelist, true)
  const off = await repo.ask(ada, EDIT, named('a', { enable_push: false }))
  assert.deepEqual([off.body.enable_push, off.body.enable_push_whitelist], [false, false])
})

test(`${CREATE} refuses an empty, a taken and a long name and unknown users, and stores nothing`, async () => {
  const repo = await repository()
  await repo.ask(ada, CREATE, { body: { rule_name: 'main' } })
  const hidden = await make.person({ name: `hidden${repo.name}`, visibility: 'private' })
  const unknown = (name: string) => `user does not exist [uid: 0, name: ${name}]`
  for (const [body, status, message] of [
    [{}, 400, 'both rule_name and branch_name are empty'],
    [{ rule_name: 'main' }, 403, 'Branch protection already exist'],
    [{ rule_name: 'x'.repeat(256) }, 422, '[RuleName]: MaxSize'],
    [{ rule_name: 'x', push_whitelist_usernames: ['nobody'] }, 422, unknown('nobody')],
    [{ rule_name: 'x', push_whitelist_usernames: [hidden.name] }, 422, unknown(hidden.name)],
    [{ rule_name: 'x', approvals_whitelist_username: ['..'] }, 422, unknown('..')],
  ] as const) {
    const answer = await repo.ask(ada, CREATE, { body })
    assert.deepEqual([answer.status, answer.body.message], [status, message])
  }
  const kept = await repo.ask(ada, CREATE, {
    body: {
      rule_name: 'y',
      push_whitelist_usernames: ['eve', 'bob'],
      bypass_allowlist_usernames: ['nobody'],
    },
  })
  assert.deepEqual([kept.status, kept.body.push_whitelist_usernames], [201, ['bob']])
  assert.equal((await repo.ask(ada, LIST)).body.length, 2)
})

test('rules are for administrators of the repository, and cannot change in an archived one', async () => {
  const repo = await repository()
  await repo.ask(ada, CREATE, { body: { rule_name: 'main' } })
  for (const [literal, more] of [
    [LIST, {}],
    [CREATE, { body: { rule_name: 'x' } }],
    [GET, named('main')],
    [EDIT, named('main', {})],
    [DELETE, named('main')],
    [ORDER, { body: { ids: [1] } }],
  ] as const) {
    for (const [as, status] of [
      [undefined, 401],
      [eve, 403],
      [bob, 403],
    ] as const)
      assert.equal((await repo.ask(as, literal, more)).status, status, literal)
  }
  await call('PATCH /api/v1/repos/{owner}/{repo}', { as: ada, params: repo.params, body: { archived: true } })
  assert.equal((await repo.ask(ada, CREATE, { body: { rule_name: 'x' } })).status, 423)
  assert.equal((await repo.ask(ada, EDIT, named('main', {}))).status, 423)
  assert.equal((await repo.ask(ada, DELETE, named('main'))).status, 423)
  assert.equal((await repo.ask(ada, ORDER, { body: { ids: [] } })).status, 423)
  assert.equal((await repo.ask(ada, LIST)).body.length, 1)
})

test('lists have teams of the organization; users who leave a team or the repository may no longer push', async () => {
  const crew = await make.organization(ada, { name: 'crew' })
  const writers = await make.team(crew, [bob], {
    name: 'Writers',
    permission: 'write',
    includes_all_repositories: true,
  })
  await make.team(crew, [eve], { name: 'strangers', permission: 'write' })
  const params = { owner: 'crew', repo: 'tool' }
  await call('POST /api/v1/orgs/{org}/repos', {
    as: ada,
    params: { org: 'crew' },
    body: { name: 'tool', auto_init: true },
  })
  const rules = '/api/v1/repos/{owner}/{repo}/branch_protections'
  const lists = {
    enable_push: true,
    enable_push_whitelist: true,
    push_whitelist_teams: ['writers', 'strangers'],
  }
  const created = await call(`POST ${rules}`, { as: ada, params, body: { rule_name: '*', ...lists } })
  assert.deepEqual([created.status, created.body.push_whitelist_teams], [201, ['Writers']])
  const unknown = await call(`POST ${rules}`, {
    as: ada,
    params,
    body: { rule_name: 'x', push_whitelist_teams: ['none'] },
  })
  assert.match(unknown.body.message, /^team does not exist \[org_id \d+, team_id 0, name: none\]$/)
  const branch = (as: typeof ada, name: string) =>
    call('POST /api/v1/repos/{owner}/{repo}/branches', { as, params, body: { new_branch_name: name } })
  assert.equal((await branch(ada, 'a')).status, 403)
  assert.equal((await branch(bob, 'b')).status, 201)
  await call('PUT /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: ada,
    params: { ...params, collaborator: 'bob' },
    body: { permission: 'write' },
  })
  await call('DELETE /api/v1/teams/{id}/members/{username}', {
    as: ada,
    params: { id: writers.id, username: 'bob' },
  })
  assert.equal((await branch(bob, 'c')).status, 403)
  await call(`PATCH ${rules}/{name...}`, {
    as: ada,
    params: { ...params, name: '*' },
    body: { push_whitelist_usernames: ['bob'] },
  })
  assert.equal((await branch(bob, 'd')).status, 201)
  await call('DELETE /api/v1/repos/{owner}/{repo}/collaborators/{collaborator}', {
    as: ada,
    params: { ...params, collaborator: 'bob' },
  })
  assert.deepEqual((await call(`GET ${rules}`, { as: ada, params })).body[0].push_whitelist_usernames, [])
  assert.equal((await branch(bob, 'e')).status, 403)
})

test('a branch shows the effect of its rule for each caller', async () => {
  const repo = await repository()
  const show = async (as: typeof ada | undefined) => {
    const { body } = await repo.ask(as, 'GET /api/v1/repos/{owner}/{repo}/branches/{branch...}', {
      params: { branch: 'main' },
    })
    const { protected: isProtected, user_can_push, user_can_merge, effective_branch_protection_name } = body
    return [isProtected, user_can_push, user_can_merge, effective_branch_protection_name]
  }
  assert.deepEqual(await show(bob), [false, true, true, ''])
  await repo.ask(ada, CREATE, {
    body: {
      rule_name: 'm*',
      enable_push: true,
      enable_push_whitelist: true,
      push_whitelist_usernames: ['bob'],
      enable_merge_whitelist: true,
      merge_whitelist_usernames: ['ada'],
      enable_status_check: true,
      status_check_contexts: ['ci/*'],
      required_approvals: 2,
    },
  })
  assert.deepEqual(await show(ada), [true, false, true, 'm*'])
  assert.deepEqual(await show(bob), [true, true, false, ''])
  assert.deepEqual(await show(eve), [true, false, false, ''])
  assert.deepEqual(await show(undefined), [true, false, false, ''])
  const [listed] = (await repo.ask(bob, 'GET /api/v1/repos/{owner}/{repo}/branches')).body
  assert.deepEqual(
    [listed.enable_status_check, listed.status_check_contexts, listed.required_approvals],
    [true, ['ci/*'], 2],
  )
})

test('a rule follows the branch with its name; globs keep branches from being renamed', async () => {
  const repo = await repository()
  await clientOk(repo.path, 'branch', 'work', 'main')
  await repo.ask(ada, CREATE, { body: { rule_name: 'main' } })
  await repo.ask(ada, CREATE, { body: { rule_name: 'fixed/*' } })
  const rename = async (as: typeof ada, branch: string, name: string) => {
    const { status, body } = await repo.ask(as, 'PATCH /api/v1/repos/{owner}/{repo}/branches/{branch...}', {
      params: { branch },
      body: { name },
    })
    return status === 204 ? '' : `${status} ${body.message}`
  }
  const failed = '403 Failed to rename branch due to branch protection rules.'
  const admins = '403 User must be a repo or site admin to rename default or protected branches.'
  assert.equal(await rename(bob, 'main', 'trunk'), admins)
  assert.equal(await rename(ada, 'work', 'fixed/1'), failed)
  assert.equal(await rename(ada, 'main', 'trunk'), '')
  const names = async () =>
    (await repo.ask(ada, LIST)).body.map((rule: { rule_name: string }) => rule.rule_name)
  assert.deepEqual(await names(), ['trunk', 'fixed/*'])
  await repo.ask(ada, CREATE, { body: { rule_name: 'work' } })
  assert.equal(await rename(bob, 'work', 'play'), admins)
  await clientOk(repo.path, 'branch', 'fixed/2', 'trunk')
  assert.equal(await rename(ada, 'fixed/2', 'free'), failed)
  assert.equal(
    await rename(ada, 'work', 'trunk/x'),
    '409 the branch or tag has been changed meanwhile; read it again',
  )
  assert.deepEqual(await names(), ['trunk', 'fixed/*', 'work'])
  assert.equal(await rename(ada, 'work', 'play'), '')
  assert.deepEqual(await names(), ['trunk', 'fixed/*', 'play'])
  assert.equal(await clientOk(repo.path, 'for-each-ref', '--format=%(refname:short)'), 'fixed/2\nplay\ntrunk')
})
