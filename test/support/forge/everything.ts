import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after } from 'node:test'
import { triggerConsumer } from '../../../src/actions/trigger/consumer.ts'
import { workflowConsumer } from '../../../src/forge/actions/workflow-events.ts'
import { notificationConsumer } from '../../../src/forge/watching/events.ts'
import { hookConsumer } from '../../../src/forge/webhooks/events.ts'
import { workflowMessages } from '../../../src/forge/webhooks/payload/messages.ts'
import { createLog } from '../../../src/log.ts'
import { type Settings, startApp } from '../app.ts'
import { startBackground } from '../background.ts'
import type { Answered, Call } from '../client.ts'
import { temporaryFolder } from '../folder.ts'
import { clientOk } from '../git.ts'
import { startReceiver } from '../receiver.ts'
import { until } from '../wait.ts'
import { rows, startRunner } from './actions.ts'
import { GPG_KEY } from './gpg-key.fixtures.ts'
import { makersFor } from './make.ts'
import { dotPicture } from './pictures.ts'
import { success, take } from './runs.ts'
import { ACCEPTED } from './ssh-key.fixtures.ts'
import { settled, startRepository } from './workflows.ts'

const root = 'https://forgehall.example/'

/** A text with each kind of link that rendering makes everywhere, and a file with those of files. */
const comment = (commit: string) =>
  `#1, !1, @eve, ${commit}, ada/code#1, [the issue](${root}ada/code/issues/1)`
const readme = (commit: string) => `# Welcome

[manual](docs/manual.md), [top](/docs), ![picture](docs/dot.png), ${comment(commit)}
`

/** The smallest picture: one dot. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const ci = `name: Checks
on: [push, workflow_dispatch]
jobs:
  build:
    steps: [{ run: echo }]
`

/**
 * A server with one of everything that the API makes: accounts, a pushed repository, issues, packages, statuses, hooks
 * with deliveries, a run with logs and a second attempt, notifications. `answers` are those of all calls so far; `ada`
 * is an administrator who may read everything.
 */
export async function startEverything(settings: Settings = {}) {
  const folder = await temporaryFolder()
  const dataDir = join(folder, 'data')
  const app = await startApp({ DATA_DIR: dataDir, ...settings })
  const { pool, clock, log } = app
  const make = makersFor(app)
  const [ada, eve] = [await make.admin({ name: 'ada' }), await make.person({ name: 'eve' })]
  const background = startBackground(
    { pool, clock, log: createLog('info', log) },
    {
      consumers: [
        hookConsumer,
        triggerConsumer(workflowMessages),
        workflowConsumer(root),
        notificationConsumer,
      ],
      followers: [app.app.workflows],
    },
  )
  after(() => background.stop())
  const answers: { literal: string; answered: Answered }[] = []
  const call = async (literal: string, given: Call = {}): Promise<Answered> => {
    const answered = await app.call(literal, { as: ada, ...given })
    answers.push({ literal, answered })
    if (answered.status >= 400)
      throw new Error(`${literal} ${answered.status}: ${JSON.stringify(answered.body).slice(0, 300)}`)
    return answered
  }
  const forge = { ...app, call, make, ada, eve, folder, answers }
  const repo = await startRepository(forge, 'code')
  const inRepo = { owner: 'ada', repo: 'code' }
  const of = (path: string) => `/api/v1/repos/{owner}/{repo}${path}`

  const receiver = await startReceiver()
  const hook = {
    type: 'gitea',
    active: true,
    events: ['push', 'repository'],
    config: { url: receiver.url, content_type: 'json' },
  }
  const hooks = {
    repository: (await call(`POST ${of('/hooks')}`, { params: inRepo, body: hook })).body.id,
    user: (await call('POST /api/v1/user/hooks', { body: hook })).body.id,
    site: (
      await call('POST /api/v1/admin/hooks', {
        body: { ...hook, config: { ...hook.config, is_system_webhook: 'true' } },
      })
    ).body.id,
    organization: 0,
  }

  const first = await repo.push({
    'README.md': 'Code',
    '.editorconfig': 'root = true\n',
    'docs/manual.md': '# Manual\n\n[back](../README.md)\n',
    'a b#%.txt': 'odd',
  })
  await writeFile(join(repo.path, 'docs', 'dot.png'), Buffer.from(dot, 'base64'))
  await repo.push({ '.gitea/workflows/ci.yml': ci })
  await repo.git('tag', 'v1')
  await repo.git('push', '-q', 'origin', 'v1', 'HEAD:refs/tags/spare', 'HEAD:refs/heads/feature/one')
  const commit = await repo.push({ 'README.md': readme(first), 'docs/guide.md': 'A guide\n' })
  await settled(forge)
  const bare = join(dataDir, 'repositories', 'ada', 'code.git')
  await clientOk(bare, 'notes', 'add', '-m', 'a note', commit)
  await clientOk(bare, 'tag', '-a', '-m', 'annotated', 'annotated', commit)
  const objects = {
    blobs: await clientOk(bare, 'rev-parse', `${commit}:README.md`),
    tags: await clientOk(bare, 'rev-parse', 'annotated'),
  }
  await clientOk(bare, 'tag', '-d', 'annotated')

  const runner = await startRunner(forge)
  const runAll = async () => {
    const [row] = await pool<[{ jobs: number }]>`
      select count(*) as jobs from forge.action_job where status = 'queued'`
    for (let left = row.jobs; left > 0; left--) {
      const { task, end } = await take(runner)
      await runner.client.updateLog({ taskId: task.id, index: 0n, rows: rows('one', 'two'), noMore: true })
      await end(success)
    }
  }
  await runAll()
  await pool`
    insert into forge.action_artifact
      (repository_id, run_id, attempt, name, media_type, size, expires_at, created_at, updated_at)
    select repository_id, id, 1, 'report', 'application/zip', 0, '2026-12-31', '2026-01-31', '2026-01-31'
    from forge.action_run
    where id = 1`
  await call(`POST ${of('/actions/runs/{run}/rerun')}`, { params: { ...inRepo, run: 1 } })
  await call(`POST ${of('/actions/workflows/{workflow_id}/dispatches')}`, {
    params: { ...inRepo, workflow_id: 'ci.yml' },
    query: { return_run_details: 'true' },
    body: { ref: 'main' },
  })
  await runAll()

  await call(`POST ${of('/statuses/{sha}')}`, {
    params: { ...inRepo, sha: commit },
    body: { state: 'success', context: 'lint', target_url: `${root}ada/code/actions` },
  })
  await call(`POST ${of('/labels')}`, { params: inRepo, body: { name: 'kind/bug', color: '#ee0701' } })
  const milestone = (await call(`POST ${of('/milestones')}`, { params: inRepo, body: { title: 'v1' } })).body
    .id
  await call(`PUT ${of('/collaborators/{collaborator}')}`, {
    params: { ...inRepo, collaborator: 'eve' },
    body: { permission: 'write' },
  })
  await call(`PUT ${of('/topics')}`, { params: inRepo, body: { topics: ['engine'] } })
  await call(`POST ${of('/branch_protections')}`, { params: inRepo, body: { rule_name: 'release/*' } })
  await call(`POST ${of('/tag_protections')}`, {
    params: inRepo,
    body: { name_pattern: 'release-*', whitelist_usernames: ['eve'] },
  })
  const issue = { params: { ...inRepo, index: 1 } }
  await call(`POST ${of('/issues')}`, {
    params: inRepo,
    as: eve,
    body: { title: 'It leaks', body: `@ada see ${comment(commit)}`, assignees: ['ada'] },
  })
  await call(`PATCH ${of('/issues/{index}')}`, { ...issue, body: { milestone } })
  await call(`POST ${of('/issues/{index}/labels')}`, { ...issue, body: { labels: ['kind/bug'] } })
  const said = (
    await call(`POST ${of('/issues/{index}/comments')}`, { ...issue, as: eve, body: { body: '@ada still' } })
  ).body.id
  await call(`POST ${of('/issues/{index}/pin')}`, issue)
  const attached = { query: { name: 'notes.txt' }, headers: { 'content-type': 'text/plain' }, body: 'notes' }
  const files = {
    issue: (await call(`POST ${of('/issues/{index}/assets')}`, { ...issue, ...attached })).body.id,
    comment: (
      await call(`POST ${of('/issues/comments/{id}/assets')}`, {
        params: { ...inRepo, id: said },
        ...attached,
      })
    ).body.id,
  }
  await call(`POST ${of('/issues/{index}/reactions')}`, { ...issue, body: { content: 'heart' } })
  await call(`POST ${of('/issues/comments/{id}/reactions')}`, {
    params: { ...inRepo, id: said },
    body: { content: '+1' },
  })

  const { id: organization } = (await call('POST /api/v1/orgs', { body: { username: 'guild' } })).body
  const inOrg = { params: { org: 'guild' } }
  await call('POST /api/v1/orgs/{org}/labels', { ...inOrg, body: { name: 'urgent', color: '#ee0701' } })
  hooks.organization = (await call('POST /api/v1/orgs/{org}/hooks', { ...inOrg, body: hook })).body.id
  const team = (
    await call('POST /api/v1/orgs/{org}/teams', {
      ...inOrg,
      body: { name: 'readers', permission: 'read', units: ['repo.code'] },
    })
  ).body.id
  await call('PUT /api/v1/teams/{id}/members/{username}', { params: { id: team, username: 'ada' } })
  await call('PUT /api/v1/orgs/{org}/public_members/{username}', {
    params: { org: 'guild', username: 'ada' },
  })
  await call('POST /api/v1/orgs/{org}/repos', { ...inOrg, body: { name: 'tools' } })
  await call('PUT /api/v1/teams/{id}/repos/{org}/{repo}', {
    params: { id: team, org: 'guild', repo: 'tools' },
  })

  await call('PUT /api/packages/{owner}/generic/{package}/{version}/{file}', {
    params: { owner: 'ada', package: 'tool', version: '1.0+2~a', file: 'tool.bin' },
    body: 'bytes',
  })
  for (const name of ['plain', '@ada/scoped'])
    await call('PUT /api/packages/{owner}/npm/{name}', {
      params: { owner: 'ada', name },
      body: {
        name,
        'dist-tags': { latest: '1.0.0' },
        versions: { '1.0.0': { name, version: '1.0.0', readme: '# hello' } },
        _attachments: { [`${name}-1.0.0.tgz`]: { data: Buffer.from(name).toString('base64') } },
      },
    })

  const release = (
    await call(`POST ${of('/releases')}`, {
      params: inRepo,
      body: { tag_name: 'v1', name: 'First', body: comment(commit) },
    })
  ).body.id
  const file = (
    await call(`POST ${of('/releases/{id}/assets')}`, {
      params: { ...inRepo, id: release },
      query: { name: 'notes.txt' },
      headers: { 'content-type': 'text/plain' },
      body: 'notes',
    })
  ).body

  const picture = new FormData()
  picture.append('title', 'A dot')
  picture.append('picture', new Blob([new Uint8Array(dotPicture.bytes)], { type: 'image/gif' }), 'dot.gif')
  const headers = { authorization: `token ${await make.token(ada, 'all')}` }
  const sent = await fetch(`${forge.url}/api/media/pictures`, { method: 'POST', body: picture, headers })
  const { url: pictureUrl } = (await sent.json()) as { url: string }
  const sitePicture = pictureUrl.slice(pictureUrl.lastIndexOf('/') + 1)

  await call(`POST ${of('/avatar')}`, { params: inRepo, body: { image: dotPicture.base64 } })
  await call('POST /api/v1/user/avatar', { body: { image: dotPicture.base64 } })
  await call('POST /api/v1/orgs/{org}/avatar', {
    params: { org: 'guild' },
    body: { image: dotPicture.base64 },
  })

  const secret = { data: 'hush' }
  const variable = { value: 'shown' }
  for (const [path, params] of [
    [of('/actions'), inRepo],
    ['/api/v1/orgs/{org}/actions', { org: 'guild' }],
    ['/api/v1/user/actions', {}],
  ] as const) {
    await call(`PUT ${path}/secrets/{secretname}`, { params: { ...params, secretname: 'S' }, body: secret })
    await call(`POST ${path}/variables/{variablename}`, {
      params: { ...params, variablename: 'V' },
      body: variable,
    })
  }
  await call('POST /api/v1/admin/actions/variables/{variablename}', {
    params: { variablename: 'V' },
    body: variable,
  })
  await call(`POST ${of('/keys')}`, { params: inRepo, body: { title: 'deploys', key: ACCEPTED[1]?.line } })
  const key = (await call('POST /api/v1/user/keys', { body: { title: 'laptop', key: ACCEPTED[0]?.line } }))
    .body.id
  const gpgKey = (await call('POST /api/v1/user/gpg_keys', { body: { armored_public_key: GPG_KEY } })).body.id
  await call('POST /api/v1/user/emails', { body: { emails: ['ada2@example.com'] } })
  await call('POST /api/v1/admin/badges', {
    body: { slug: 'kind', description: 'Kind', image_url: `${root}avatars/${'0'.repeat(32)}` },
  })
  await call('POST /api/v1/admin/users/{username}/badges', {
    params: { username: 'ada' },
    body: { badge_slugs: ['kind'] },
  })
  await call('POST /api/v1/users/{username}/tokens', {
    params: { username: 'ada' },
    body: { name: 'second', scopes: ['read:user'] },
  })
  await call('POST /api/v1/markdown', {
    body: { Text: readme(first), Mode: 'gfm', Context: 'ada/code/src/branch/main' },
  })
  await call('POST /api/v1/markdown', {
    body: { Text: comment(first), Mode: 'comment', Context: 'ada/code' },
  })
  await call('POST /api/news', { body: { title: 'News', content: 'Text' } })
  await pool`
    insert into forgehall.mail (kind, recipient, state, attempts, error, created_at, due_at, finished_at)
    values ('account_made', 'nobody@example.com', 'failed', 1, '550 no such user', ${clock.now()}, ${clock.now()}, ${clock.now()})`
  await call('POST /api/media', {
    body: { title: 'Dot', media_type: 'image', url: `${root}ada/code/raw/branch/main/docs/dot.png` },
  })
  await call('POST /api/stats/session/start', { body: { username: 'visitor' } })
  await mkdir(join(dataDir, 'repositories', 'ada', 'stray.git', 'objects'), { recursive: true })
  await call('POST /api/v1/user/repos', { as: eve, body: { name: 'gift', private: true } })
  await call(`POST ${of('/transfer')}`, {
    as: eve,
    params: { owner: 'eve', repo: 'gift' },
    body: { new_owner: 'ada' },
  })
  await until('the hooks have been sent', () => receiver.received.length >= 6)
  await settled(forge)
  const runners: Record<string, number> = { admin: runner.id }
  for (const [name, scope] of [
    ['repos', { owner_id: null, repository_id: repo.id }],
    ['orgs', { owner_id: organization, repository_id: null }],
    ['user', { owner_id: ada.id, repository_id: null }],
  ] as const)
    runners[name] = (await startRunner(forge, { name, scope })).id
  return {
    ...forge,
    background,
    repo,
    hooks,
    runners,
    team,
    said,
    key,
    gpgKey,
    commit,
    first,
    objects,
    release,
    file,
    files,
    sitePicture,
  }
}
