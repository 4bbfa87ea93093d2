import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { personAt } from '../../pages/person.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type As, bearer } from '../../support/forge/make.ts'
import { photo } from '../../support/forge/photo.ts'
import { dotPicture, pngHead } from '../../support/forge/pictures.ts'
import { until } from '../../support/wait.ts'

const folder = await temporaryFolder()
const { call, pool, make, url, clock } = await startApp({ DATA_DIR: folder })
const boss = await make.admin({ name: 'boss' })
const [ada, eve] = await make.people('ada', 'eve')
await make.organization(ada, { name: 'guild' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'code', template: true } })

const scopes = [
  ['/api/v1/user/avatar', {}, 'GET /api/v1/user', {}],
  ['/api/v1/orgs/{org}/avatar', { org: 'guild' }, 'GET /api/v1/orgs/{org}', { org: 'guild' }],
  [
    '/api/v1/repos/{owner}/{repo}/avatar',
    { owner: 'ada', repo: 'code' },
    'GET /api/v1/repos/{owner}/{repo}',
    { owner: 'ada', repo: 'code' },
  ],
] as const

const picture = (sha256: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/avatars/pictures/${sha256}`, { headers })
const stored = () =>
  readdirSync(join(folder, 'packages'), { recursive: true, withFileTypes: true }).filter((entry) =>
    /^[0-9a-f]{64}$/.test(entry.name),
  ).length
const runs = async () => {
  const [row] = await pool<{ count: number; is_running: boolean }[]>`
    select exec_times as count, claim is not null as is_running
    from forge.cron_task
    where name = 'cleanup_packages'`
  return row ?? { count: 0, is_running: false }
}
/** The task runs on its own after the answer. */
async function cleanUp(): Promise<void> {
  const before = await runs()
  await call('POST /api/v1/admin/cron/{task}', { as: boss, params: { task: 'cleanup_packages' } })
  await until('the contents are cleaned up', async () => {
    const now = await runs()
    return now.count > before.count && !now.is_running
  })
}

for (const [path, params, show, shown] of scopes) {
  const set = (image: unknown, as: As = ada) => call(`POST ${path}`, { as, params, body: { image } })
  const remove = (as: As = ada) => call(`DELETE ${path}`, { as, params })
  const address = async () => (await call(show, { as: ada, params: shown })).body.avatar_url

  test(`POST ${path} sets a picture, DELETE ${path} removes it`, async () => {
    const before = await address()
    assert.equal((await remove()).status, 204)
    assert.equal(await address(), before)
    assert.equal((await set(dotPicture.base64)).status, 204)
    assert.equal(await address(), `https://forgehall.example/avatars/pictures/${dotPicture.sha256}`)
    const other = pngHead(4096, 4096)
    assert.equal((await set(other.base64)).status, 204)
    assert.equal(await address(), `https://forgehall.example/avatars/pictures/${other.sha256}`)
    assert.equal((await picture(other.sha256)).headers.get('content-type'), 'image/png')
    assert.equal((await remove()).status, 204)
    assert.equal(await address(), before)
    assert.equal((await picture(other.sha256)).status, 404)
    const trail = await pool<{ details: unknown }[]>`
      select details from forge.audit where details ? 'avatar' order by id desc limit 3`
    assert.deepEqual(
      trail.map(({ details }) => details),
      [{ avatar: null }, { avatar: other.sha256 }, { avatar: dotPicture.sha256 }],
    )
  })

  test(`POST ${path} refuses bytes that are no image or too large, and stores nothing`, async () => {
    const before = stored()
    const refusal = async (image: unknown) => {
      const { status, body } = await set(image)
      return [status, body.message]
    }
    assert.deepEqual(await refusal('R0lGOD*h'), [400, 'illegal base64 data at input byte 6'])
    for (const image of ['', Buffer.from('text').toString('base64'), undefined])
      assert.deepEqual(await refusal(image), [422, 'this is no PNG, JPEG, GIF or WebP image'])
    for (const [width, height] of [
      [4097, 1],
      [1, 4097],
      [2 ** 32 - 1, 2 ** 32 - 1],
    ] as const)
      assert.deepEqual(await refusal(pngHead(width, height).base64), [
        422,
        'the image has more than 4096 pixels in a row or column',
      ])
    const largest = pngHead(1, 1, 1024 * 1024 - 33)
    assert.deepEqual(await refusal(pngHead(1, 1, 1024 * 1024 - 32).base64), [
      422,
      'the image has more than 1048576 bytes',
    ])
    assert.equal((await set('A'.repeat(2 * 1024 * 1024))).status, 413)
    assert.equal((await set(7)).status, 422)
    assert.equal(stored(), before)
    assert.equal((await set(largest.base64)).status, 204)
    await remove()
  })

  test(`POST ${path} and DELETE ${path} are not for everybody`, async () => {
    assert.equal((await call(`POST ${path}`, { params, body: { image: dotPicture.base64 } })).status, 401)
    assert.equal((await call(`DELETE ${path}`, { params })).status, 401)
    if (path.startsWith('/api/v1/user')) {
      const narrow = bearer(await make.token(ada, 'read:user'))
      assert.deepEqual(
        [(await set(dotPicture.base64, narrow)).status, (await remove(narrow)).status],
        [403, 403],
      )
    } else {
      assert.deepEqual([(await set(dotPicture.base64, eve)).status, (await remove(eve)).status], [403, 403])
      assert.equal((await set(dotPicture.base64, boss)).status, 204)
      assert.equal((await remove(boss)).status, 204)
    }
  })
}

test('pictures are shown with their account everywhere, also after it is renamed', async () => {
  const params = { org: 'guild' }
  await call('POST /api/v1/orgs/{org}/avatar', { as: ada, params, body: { image: dotPicture.base64 } })
  await call('POST /api/v1/user/avatar', { as: ada, body: { image: dotPicture.base64 } })
  await call('POST /api/v1/orgs/{org}/rename', { as: ada, params, body: { new_name: 'crew' } })
  const address = `https://forgehall.example/avatars/pictures/${dotPicture.sha256}`
  const crew = { org: 'crew' }
  const teams = await call('GET /api/v1/user/teams', { as: ada })
  assert.equal(teams.body[0].organization.avatar_url, address)
  const asUser = await call('GET /api/v1/users/{username}', { as: ada, params: { username: 'crew' } })
  assert.equal(asUser.body.avatar_url, address)
  const repo = await call('GET /api/v1/repos/{owner}/{repo}', { params: { owner: 'ada', repo: 'code' } })
  assert.equal(repo.body.owner.avatar_url, address)
  assert.ok((await (await fetch(`${url}/ada`)).text()).includes(`src="${address}"`))
  await call('POST /api/v1/orgs/{org}/rename', { as: ada, params: crew, body: { new_name: 'guild' } })
})

test('GET /avatars/pictures/{hash} sends a picture with its type, whole or in ranges, to everybody', async () => {
  const whole = await picture(dotPicture.sha256)
  assert.deepEqual(Buffer.from(await whole.arrayBuffer()), dotPicture.bytes)
  const header = (name: string) => whole.headers.get(name)
  assert.deepEqual(
    [whole.status, header('content-type'), header('content-length'), header('etag')],
    [200, 'image/gif', String(dotPicture.bytes.length), `"${dotPicture.sha256}"`],
  )
  assert.deepEqual(
    [header('cache-control'), header('x-content-type-options'), header('content-disposition')],
    ['public, max-age=604800', 'nosniff', null],
  )
  assert.equal((await picture(dotPicture.sha256, { 'if-none-match': `"${dotPicture.sha256}"` })).status, 304)
  const part = await picture(dotPicture.sha256, { range: 'bytes=0-2' })
  assert.deepEqual([part.status, await part.text()], [206, 'GIF'])
  assert.equal((await picture(dotPicture.sha256, { range: 'bytes=999-' })).status, 416)
  for (const name of ['0'.repeat(64), dotPicture.sha256.toUpperCase(), 'x', "'"])
    assert.equal((await picture(name)).status, 404, name)
})

test('GET /avatars/pictures/{hash} sends no other content', async () => {
  const params = { owner: 'ada', name: 'tool', version: '1', package: 'tool', file: 'a.bin' }
  const bytes = pngHead(1, 2)
  const put = await fetch(`${url}/api/packages/ada/generic/${params.package}/1/a.png`, {
    method: 'PUT',
    headers: { authorization: ada.authorization },
    body: new Uint8Array(bytes.bytes),
  })
  assert.equal(put.status, 201)
  assert.equal((await picture(bytes.sha256)).status, 404)
})

test('a content stays until no account or repository has it as a picture', async () => {
  await cleanUp()
  assert.equal((await picture(dotPicture.sha256)).status, 200)
  await call('DELETE /api/v1/user/avatar', { as: ada })
  await cleanUp()
  assert.equal((await picture(dotPicture.sha256)).status, 200)
  const before = stored()
  await call('DELETE /api/v1/orgs/{org}/avatar', { as: ada, params: { org: 'guild' } })
  clock.tick(1000)
  await cleanUp()
  assert.equal((await picture(dotPicture.sha256)).status, 404)
  const [row] = await pool`select from forge.package_blob where sha256 = ${dotPicture.sha256}`
  assert.equal(row, undefined)
  assert.ok(stored() < before)
})

test('a content without its file is 404; the account keeps its picture', async () => {
  const lost = pngHead(3, 3)
  await call('POST /api/v1/user/avatar', { as: eve, body: { image: lost.base64 } })
  const { rm } = await import('node:fs/promises')
  await rm(join(folder, 'packages', lost.sha256.slice(0, 2), lost.sha256))
  assert.equal((await picture(lost.sha256)).status, 404)
})

test('POST /api/v1/repos/{owner}/{repo}/generate copies the picture of the template if the request names it', async () => {
  const params = { owner: 'ada', repo: 'code' }
  await call('POST /api/v1/repos/{owner}/{repo}/avatar', {
    as: ada,
    params,
    body: { image: dotPicture.base64 },
  })
  const generate = (body: object) =>
    call('POST /api/v1/repos/{owner}/{repo}/generate', { as: eve, params, body: { owner: 'eve', ...body } })
  const { status, body } = await generate({ name: 'with', avatar: true })
  assert.equal(status, 201)
  const shown = await call('GET /api/v1/repos/{owner}/{repo}', { params: { owner: 'eve', repo: 'with' } })
  assert.ok(shown.body.avatar_url.endsWith(dotPicture.sha256))
  assert.equal(body.avatar_url, shown.body.avatar_url)
  assert.equal((await generate({ name: 'without', labels: true })).body.avatar_url, '')
})

test('the menu of pages shows the picture that the API names, a sent one and a drawn one', async () => {
  const { get, signIn } = personAt({ url })
  const cookie = await signIn('ada')
  const shown = async () => /class="menu-picture" src="([^"]+)"/.exec((await get('/', cookie)).text)?.[1]
  const named = async () => (await call('GET /api/v1/user', { as: ada })).body.avatar_url
  await call('POST /api/v1/user/avatar', { as: ada, body: { image: dotPicture.base64 } })
  assert.ok((await named()).endsWith(dotPicture.sha256))
  assert.equal(await shown(), await named())
  await call('DELETE /api/v1/user/avatar', { as: ada })
  assert.ok(!(await named()).endsWith(dotPicture.sha256))
  assert.equal(await shown(), await named())
})

test('a picture for a resource that is deleted meanwhile is 404, and not in the audit trail', async () => {
  for (const table of ['account', 'repository'])
    await pool.unsafe(`
      create function forge.lose_${table}() returns trigger language plpgsql as 'begin return null; end';
      create trigger lose before update on forge.${table} for each row execute function forge.lose_${table}()`)
  const deeds = () => pool`select id from forge.audit`
  const before = await deeds()
  try {
    for (const [path, params] of scopes) {
      const set = await call(`POST ${path}`, { as: ada, params, body: { image: dotPicture.base64 } })
      assert.deepEqual([set.status, (await call(`DELETE ${path}`, { as: ada, params })).status], [404, 404])
    }
    assert.equal((await deeds()).length, before.length)
  } finally {
    for (const table of ['account', 'repository'])
      await pool.unsafe(`drop trigger lose on forge.${table}; drop function forge.lose_${table}()`)
  }
})

test('POST /api/v1/user/avatar keeps nothing of where and when a photo was taken', async () => {
  const image = photo({ orientation: 6 }).toString('base64')
  assert.equal((await call('POST /api/v1/user/avatar', { as: eve, body: { image } })).status, 204)
  const { avatar_url } = (await call('GET /api/v1/user', { as: eve })).body
  const sent = await fetch(url + new URL(avatar_url).pathname)
  assert.deepEqual(Buffer.from(await sent.arrayBuffer()), photo({ orientation: 6, isBare: true }))
})
