import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { onServer } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { until } from '../../support/wait.ts'

const folder = await temporaryFolder()
const { call, pool, make } = await startApp({ DATA_DIR: folder })
const boss = await make.admin({ name: 'boss' })
const ada = await make.person({ name: 'Ada' })

const list = 'GET /api/v1/admin/unadopted'
const adopt = 'POST /api/v1/admin/unadopted/{owner}/{repo}'
const remove = 'DELETE /api/v1/admin/unadopted/{owner}/{repo}'
const at = (owner: string, name: string) => join(folder, 'repositories', owner, `${name}.git`)
const lay = (owner: string, name: string, ...more: string[]) => {
  mkdirSync(at(owner, name), { recursive: true })
  execFileSync('git', ['init', '-q', '--bare', ...more, at(owner, name)])
}
const find = (query: Record<string, string | number> = {}) => call(list, { as: boss, query })
const show = (repo: string) =>
  call('GET /api/v1/repos/{owner}/{repo}', { as: boss, params: { owner: 'ada', repo } })

test(`${list} names directories without a repository, by owner and name, under globs and in pages`, async () => {
  for (const name of ['docs', 'data', 'zoo']) lay('ada', name)
  lay('boss', 'docs')
  lay('nobody', 'docs')
  lay('ada', 'x.wiki')
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'known' } })
  const all = await find()
  assert.deepEqual(all.body, ['ada/data', 'ada/docs', 'ada/zoo', 'boss/docs'])
  assert.equal(all.headers.get('x-total-count'), '4')
  assert.equal(all.headers.get('link'), null)
  assert.deepEqual((await find({ query: 'ada' })).body, ['ada/data', 'ada/docs', 'ada/zoo'])
  assert.deepEqual((await find({ pattern: '*/do*' })).body, ['ada/docs', 'boss/docs'])
  assert.deepEqual((await find({ query: '[' })).body, [])
  const page = await find({ limit: 3, page: 2 })
  assert.deepEqual([page.body, page.headers.get('x-total-count')], [['boss/docs'], '4'])
  assert.equal((await call(list, { as: ada })).status, 403)
  assert.equal((await call(list)).status, 401)
})

test(`${adopt} makes a private repository of a directory, once`, async () => {
  const source = join(folder, 'work')
  const env = { ...process.env, GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a' }
  const git = (...args: string[]) =>
    execFileSync('git', args, { env: { ...env, GIT_COMMITTER_EMAIL: 'a@b' }, stdio: 'ignore' })
  git('init', '-q', '-b', 'trunk', source)
  git('-C', source, 'commit', '-q', '--allow-empty', '-m', 'x')
  git('-C', source, 'push', at('ada', 'docs'), 'trunk')
  const params = { owner: 'ada', repo: 'Docs' }
  const answers = await Promise.all([1, 2].map(() => call(adopt, { as: boss, params })))
  const statuses = answers.map(({ status }) => status).sort()
  assert.equal(statuses[0], 204)
  assert.ok(statuses[1] === 404 || statuses[1] === 409)
  const { body } = await show('docs')
  assert.deepEqual(
    [body.name, body.private, body.empty, body.default_branch, body.branch_count],
    ['Docs', true, false, 'trunk', 1],
  )
  assert.equal((await pool`select id from forge.event where payload::text like '%Docs%'`).length, 0)
  assert.equal((await pool`select id from forge.audit where action = 'repository.adopted'`).length, 1)
  assert.equal((await call(adopt, { as: boss, params })).status, 404)
  assert.equal((await call(remove, { as: boss, params })).status, 404)
})

test(`${adopt} refuses a directory whose branches git cannot read`, async () => {
  const go = async (repo: string) => {
    const { status, body } = await call(adopt, { as: boss, params: { owner: 'ada', repo } })
    return [status, body?.message]
  }
  const refused = [422, 'the directory has a link or special file at "refs" or below it']
  const links = {
    'to-nothing': 'nowhere',
    'to-a-file': '/etc/hostname',
    'to-a-folder': '/usr/lib',
    'to-itself': 'link',
    'to-the-top': '../..',
  }
  for (const [name, target] of Object.entries(links)) {
    lay('ada', name)
    symlinkSync(target, join(at('ada', name), 'refs/heads/link'))
    assert.deepEqual(await go(name), refused, name)
  }
  lay('ada', 'without-object')
  writeFileSync(join(at('ada', 'without-object'), 'refs/heads/main'), `${'1'.repeat(40)}\n`)
  assert.deepEqual(await go('without-object'), [422, 'the directory is no bare git repository'])
  lay('ada', 'refs-elsewhere')
  rmSync(join(at('ada', 'refs-elsewhere'), 'refs'), { recursive: true })
  symlinkSync(join(at('ada', 'docs'), 'refs'), join(at('ada', 'refs-elsewhere'), 'refs'))
  assert.deepEqual(await go('refs-elsewhere'), refused)
  assert.equal((await find({ query: 'ada/to-*' })).body.length, Object.keys(links).length)
})

test(`${adopt} refuses a directory that makes git read other directories or run programs`, async () => {
  const other = at('ada', 'docs')
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const append = (text: string) => (folder: string) => appendFileSync(join(folder, 'config'), text)
  const link = (path: string, target: string) => (folder: string) => {
    rmSync(join(folder, path), { recursive: true, force: true })
    symlinkSync(target, join(folder, path))
  }
  const leads: readonly (readonly [change: (folder: string) => void, message: RegExp])[] = [
    ...['objects/info/alternates', 'objects/info/http-alternates', 'commondir', 'gitdir'].map(
      (name) =>
        [(folder: string) => write(join(folder, name), `${other}\n`), RegExp(`has ${name}, which`)] as const,
    ),
    [(folder) => write(join(folder, 'worktrees/a/gitdir'), `${other}\n`), /has worktrees, which leads out/],
    [(folder) => write(join(folder, 'config.worktree'), '[core]\n'), /has config\.worktree/],
    [link('objects', join(other, 'objects')), /link or special file at "objects"/],
    [link('objects/pack', join(other, 'objects/pack')), /link or special file at "objects" or below/],
    [link('objects/info', join(other, 'objects/info')), /link or special file at "objects" or below/],
    [link('config', join(other, 'config')), /link or special file at "config"/],
    [link('HEAD', join(other, 'HEAD')), /link or special file at "HEAD"/],
    [link('packed-refs', '/etc/passwd'), /link or special file at "packed-refs"/],
    [(folder) => execFileSync('mkfifo', [join(folder, 'shallow')]), /link or special file at "shallow"/],
    [append('[include]\n\tpath = /etc/passwd\n'), /configuration with include\.path/],
    [append('[includeIf "gitdir:/"]\npath = /x\n'), /configuration with includeif\.\*\.path/],
    [append('[core] worktree = /\n'), /configuration with core\.worktree/],
    [append('[CORE]\n\tfsMonitor = /bin/touch\n'), /configuration with core\.fsmonitor/],
    [append('[core]\n\thooksPath = /tmp\n'), /configuration with core\.hookspath/],
    [append('[diff "x"]\n\ttextconv = touch\n'), /configuration with diff\.\*\.textconv/],
    [append('[diff.x]\n\tcommand = touch\n'), /configuration with diff\.x\.command/],
    [append('[gc]\n\trecentObjectsHook = touch\n'), /configuration with gc\.recentobjectshook/],
    [append('[extensions]\n\tworktreeConfig\n'), /configuration with extensions\.worktreeconfig/],
    [append('[user]\n\tname = a\\\n[core] worktree = /\n'), /a line that is no setting/],
    [append(`# ${'x'.repeat(70_000)}`), /configuration that is too large/],
  ]
  for (const [number, [change, message]] of leads.entries()) {
    const repo = `lead-${number}`
    lay('ada', repo)
    change(at('ada', repo))
    const { status, body } = await call(adopt, { as: boss, params: { owner: 'ada', repo } })
    assert.equal(status, 422, repo)
    assert.match(body.message, message, repo)
    assert.equal((await show(repo)).status, 404)
  }
})

test(`${adopt} accepts the settings that other servers and clones leave in a configuration`, async () => {
  lay('ada', 'mirror')
  appendFileSync(
    join(at('ada', 'mirror'), 'config'),
    '; a comment\n[remote "origin"]\n\turl = https://example.org/x\n\tfetch = +refs/*:refs/*\n\tmirror = true\n' +
      '[receive]\n\tdenyNonFastForwards = true # no force\n[core]\tsharedRepository\n',
  )
  symlinkSync('/usr/share', join(at('ada', 'mirror'), 'hooks', 'linked'))
  assert.equal((await call(adopt, { as: boss, params: { owner: 'ada', repo: 'mirror' } })).status, 204)
})

test(`${adopt} refuses invalid repositories, owners and names; the files stay`, async () => {
  mkdirSync(at('ada', 'empty'), { recursive: true })
  const go = async (owner: string, repo: string) =>
    (await call(adopt, { as: boss, params: { owner, repo } })).status
  assert.equal(await go('ada', 'empty'), 422)
  assert.ok(existsSync(at('ada', 'empty')))
  assert.equal(await go('ada', 'x.wiki'), 422)
  assert.equal(await go('nobody', 'docs'), 404)
  assert.equal(await go('ada', 'missing'), 404)
  for (const repo of ['../boss/docs', 'a\0b', '%2e%2e', '...']) assert.equal(await go('ada', repo), 404)
  assert.equal((await call(adopt, { as: ada, params: { owner: 'ada', repo: 'zoo' } })).status, 403)
  assert.equal((await call(adopt, { params: { owner: 'ada', repo: 'zoo' } })).status, 401)
})

test(`${remove} removes the directory and nothing else`, async () => {
  const drop = async (owner: string, repo: string) =>
    (await call(remove, { as: boss, params: { owner, repo } })).status
  assert.equal((await call(remove, { as: ada, params: { owner: 'ada', repo: 'zoo' } })).status, 403)
  assert.equal((await call(remove, { params: { owner: 'ada', repo: 'zoo' } })).status, 401)
  for (const repo of ['../boss/docs', '...', 'missing', 'known']) assert.equal(await drop('ada', repo), 404)
  assert.equal(await drop('ada', 'ZOO'), 204)
  assert.ok(!existsSync(at('ada', 'zoo')) && existsSync(at('ada', 'data')) && existsSync(at('boss', 'docs')))
  assert.equal(await drop('ada', 'zoo'), 404)
  assert.equal((await pool`select id from forge.audit where action = 'unadopted.deleted'`).length, 1)
})

test('of concurrent requests that adopt and delete a directory, one succeeds', {
  skip: !onServer && 'one session: nothing can be made to wait',
}, async () => {
  lay('ada', 'both')
  const params = { owner: 'ada', repo: 'both' }
  const waiting = (many: number) =>
    until(`${many} wait`, async () => {
      const rows = await pool`
        select pid
        from pg_locks
        where not granted and relation = 'forge.repository'::regclass`
      return rows.length >= many
    })
  const going: Promise<{ status: number }>[] = []
  await pool.begin(async (hold) => {
    await hold`lock table forge.repository in exclusive mode`
    going.push(call(adopt, { as: boss, params }))
    await waiting(1)
    // Whatever it does, it is done with what it can do now.
    const removing = call(remove, { as: boss, params })
    going.push(removing)
    await Promise.race([removing, waiting(2)])
  })
  const statuses = (await Promise.all(going)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 204).length, 1, String(statuses))
  assert.ok(
    statuses.every((status) => [204, 404, 409].includes(status)),
    String(statuses),
  )
  assert.equal((await show('both')).status === 200, existsSync(at('ada', 'both')))
})
