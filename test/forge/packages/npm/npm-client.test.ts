import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startApp } from '../../../support/app.ts'
import { temporaryFolder } from '../../../support/folder.ts'
import { longest } from '../../../support/wait.ts'

// Addresses of tarballs follow the request, so that the client finds them.
const folder = await temporaryFolder()
const { pool, url, make } = await startApp({ DATA_DIR: join(folder, 'data'), PUBLIC_URL: '' })
const [ada, eve] = await make.people('Ada', 'eve')

const registry = `${url}/api/packages/ada/npm/`
const run = promisify(execFile)
const userconfig = join(folder, 'npmrc')
const settings = (token: string, name = '_authToken') =>
  writeFile(userconfig, `registry=${registry}\n${registry.replace('http:', '')}:${name}=${token}\n`)

/** The npm that comes with node, with nothing of this machine's settings, and nowhere else to go. */
async function npm(cwd: string, ...args: string[]) {
  const { PATH } = process.env
  const env = {
    PATH,
    HOME: folder,
    npm_config_userconfig: userconfig,
    npm_config_globalconfig: join(folder, 'nothing'),
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry: registry,
    npm_config_update_notifier: 'false',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_fetch_retries: '0',
    npm_config_prefer_online: 'true',
  }
  try {
    const { stdout, stderr } = await run('npm', args, { cwd, env, timeout: longest })
    return { ok: true, out: stdout.trim(), all: stdout + stderr }
  } catch (error) {
    const output = error as { stdout?: string; stderr?: string }
    return { ok: false, out: output.stdout ?? '', all: `${output.stdout}${output.stderr}` }
  }
}
const good = async (...args: Parameters<typeof npm>) => {
  const ran = await npm(...args)
  assert.ok(ran.ok, `npm ${args.slice(1).join(' ')}: ${ran.all}`)
  return ran.out
}

let made = 0
/** A folder with a package in it. */
async function pack(manifest: Record<string, unknown>, text = 'module.exports = 1\n'): Promise<string> {
  const path = join(folder, `package${++made}`)
  await mkdir(path)
  await writeFile(join(path, 'package.json'), JSON.stringify(manifest))
  await writeFile(join(path, 'index.js'), text)
  return path
}
async function project(): Promise<string> {
  const path = await pack({ name: 'project', version: '0.0.0', private: true })
  return path
}
const installed = async (path: string, name: string, file = 'package.json') =>
  readFile(join(path, 'node_modules', name, file), 'utf8')
const rows = async () =>
  (
    await pool<{ name: string; version: string }[]>`
    select package.name, version.version
    from forge.package
    join forge.package_version as version on version.package_id = package.id
    order by version.id`
  ).map(({ name, version }) => `${name}@${version}`)

test('npm publish, view, install and ping work, with and without a scope', { timeout: longest }, async () => {
  await settings(ada.token)
  await good(folder, 'ping')
  assert.equal(await good(folder, 'whoami'), 'Ada')
  const tool = { name: 'tool', version: '1.0.0', description: 'A tool', keywords: ['sharp'], license: 'MIT' }
  await good(await pack({ ...tool }, 'module.exports = "tool"\n'), 'publish')
  await good(
    await pack({ name: '@club/kit', version: '0.1.0', dependencies: { tool: '^1.0.0' } }, '// kit\n'),
    'publish',
  )
  assert.deepEqual(await rows(), ['tool@1.0.0', '@club/kit@0.1.0'])
  assert.equal(await good(folder, 'view', 'tool', 'description'), 'A tool')
  assert.equal(await good(folder, 'view', '@club/kit@0.1.0', 'dependencies.tool'), '^1.0.0')

  const path = await project()
  await good(path, 'install', '@club/kit')
  assert.equal(await installed(path, 'tool', 'index.js'), 'module.exports = "tool"\n')
  assert.equal(await installed(path, '@club/kit', 'index.js'), '// kit\n')
  const lock = JSON.parse(await readFile(join(path, 'package-lock.json'), 'utf8'))
  const { resolved, integrity } = lock.packages['node_modules/@club/kit']
  assert.equal(resolved, `${url}/api/packages/Ada/npm/@club/kit/-/kit-0.1.0.tgz`)
  assert.match(integrity, /^sha512-/)
  await good(path, 'ci')
  const found = JSON.parse(await good(folder, 'search', 'TOOL', '--json'))
  assert.deepEqual(
    found.map(({ name, version, description }: Record<string, string>) => [name, version, description]),
    [['tool', '1.0.0', 'A tool']],
  )
})

test('a second npm publish of a version is refused, and nothing of it is stored', {
  timeout: longest,
}, async () => {
  const before = await rows()
  const again = await npm(await pack({ name: 'tool', version: '1.0.0' }), 'publish')
  assert.ok(!again.ok)
  assert.match(again.all, /previously published|409/)
  await settings(eve.token)
  const stranger = await npm(await pack({ name: 'other', version: '1.0.0' }), 'publish')
  assert.match(stranger.all, /403/)
  assert.match(stranger.all, /user should have specific permission/)
  await settings('0'.repeat(40))
  const wrong = await npm(await pack({ name: 'other', version: '1.0.0' }), 'publish')
  assert.match(wrong.all, /E401|401/)
  assert.deepEqual(await rows(), before)
  await settings(Buffer.from(`ada:${ada.token}`).toString('base64'), '_auth')
  await good(await pack({ name: 'other', version: '1.0.0' }), 'publish')
})

test('npm dist-tag add, ls and rm move tags, and install follows them', { timeout: longest }, async () => {
  await settings(ada.token)
  await good(await pack({ name: 'tool', version: '2.0.0-rc.1' }), 'publish', '--tag', 'next')
  assert.equal(await good(folder, 'dist-tag', 'ls', 'tool'), 'latest: 1.0.0\nnext: 2.0.0-rc.1')
  await good(folder, 'dist-tag', 'add', 'tool@1.0.0', 'stable')
  await good(folder, 'dist-tag', 'add', '@club/kit@0.1.0', 'stable')
  assert.equal(await good(folder, 'dist-tag', 'ls', '@club/kit'), 'latest: 0.1.0\nstable: 0.1.0')
  const path = await project()
  await good(path, 'install', 'tool@next')
  assert.equal(JSON.parse(await installed(path, 'tool')).version, '2.0.0-rc.1')
  await good(folder, 'dist-tag', 'add', 'tool@2.0.0-rc.1', 'latest')
  await good(folder, 'dist-tag', 'rm', 'tool', 'next')
  assert.equal(await good(folder, 'dist-tag', 'ls', 'tool'), 'latest: 2.0.0-rc.1\nstable: 1.0.0')
  const latest = await npm(folder, 'dist-tag', 'rm', 'tool', 'latest')
  assert.match(latest.all, /400 .*latest can be moved, but not removed/)
})

test('npm deprecate warns users who install', { timeout: longest }, async () => {
  await good(folder, 'deprecate', 'tool@1.0.0', 'use 2')
  const warned = await npm(await project(), 'install', 'tool@1.0.0')
  assert.match(warned.all, /deprecated tool@1\.0\.0: use 2/)
  await good(folder, 'deprecate', 'tool@1.0.0', '')
  assert.doesNotMatch((await npm(await project(), 'install', 'tool@1.0.0')).all, /deprecated/)
})

test('npm unpublish removes a version, then all of a package', { timeout: longest }, async () => {
  await good(folder, 'unpublish', 'tool@2.0.0-rc.1')
  assert.equal(await good(folder, 'dist-tag', 'ls', 'tool'), 'latest: 1.0.0\nstable: 1.0.0')
  await good(await pack({ name: '@club/kit', version: '0.2.0' }), 'publish')
  await good(folder, 'unpublish', '@club/kit@0.1.0')
  assert.deepEqual(await rows(), ['tool@1.0.0', 'other@1.0.0', '@club/kit@0.2.0'])
  await good(folder, 'unpublish', '@club/kit', '--force')
  await good(folder, 'unpublish', 'other@1.0.0', '--force')
  assert.deepEqual(await rows(), ['tool@1.0.0'])
  assert.match((await npm(folder, 'view', '@club/kit')).all, /E404/)
  const events = await pool<{ action: string; name: string }[]>`
    select payload ->> 'action' as action, payload #>> '{package,name}' as name
    from forge.event
    where kind = 'package.changed'
    order by id`
  assert.deepEqual(
    events.filter(({ name }) => name === '@club/kit').map(({ action }) => action),
    ['created', 'created', 'deleted', 'deleted'],
  )
})

test('npm unpublish removes a version where only a scope has this registry', {
  timeout: longest,
}, async () => {
  await writeFile(
    userconfig,
    `registry=${url}\n@club:registry=${registry}\n${registry.replace('http:', '')}:_authToken=${ada.token}\n`,
  )
  for (const version of ['1.0.0', '1.1.0'])
    await good(await pack({ name: '@club/far', version }), 'publish', `--registry=${url}`)
  await good(folder, 'unpublish', '@club/far@1.1.0', `--registry=${url}`)
  assert.deepEqual(await rows(), ['tool@1.0.0', '@club/far@1.0.0'])
})

test('npm install takes the versions of a shrinkwrap', { timeout: longest }, async () => {
  await settings(ada.token)
  for (const version of ['1.0.0', '1.1.0']) await good(await pack({ name: 'part', version }), 'publish')
  const whole = await pack({ name: 'whole', version: '1.0.0', dependencies: { part: '^1.0.0' } })
  await good(whole, 'install', 'part@1.0.0', '--no-save')
  await good(whole, 'shrinkwrap')
  await good(whole, 'publish')
  const path = await project()
  await good(path, 'install', 'whole')
  const part = await readFile(join(path, 'node_modules/whole/node_modules/part/package.json'), 'utf8')
  assert.equal(JSON.parse(part).version, '1.0.0')
})
