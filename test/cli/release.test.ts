import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { test } from 'node:test'
import { dependencies, version } from '../../package.json'
import { temporaryFolder } from '../support/folder.ts'

const folder = await temporaryFolder()
const release = resolve('dist/release')

/** The environment without what npm or npx, which may have started the tests, hands on to npm. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')),
)

/** Runs a program without a registry. */
const run = (program: string, args: string[], cwd: string) =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...environment, npm_config_offline: 'true' },
  })

test('npm run release makes the file, a package, the list of its parts and checksums; npx forgehall runs it', () => {
  run(process.execPath, ['src/build/release.mjs', '--no-binary'], process.cwd())
  const archive = `forgehall-${version}.tgz`
  const names = ['NOTICES.txt', archive, 'forgehall.cjs', 'sbom.json']
  assert.deepEqual(readdirSync(release).toSorted(), [...names, 'SHA256SUMS'].toSorted())
  const sums = names.map((name) => {
    const hash = createHash('sha256').update(readFileSync(join(release, name)))
    return `${hash.digest('hex')}  ${name}\n`
  })
  assert.equal(readFileSync(join(release, 'SHA256SUMS'), 'utf8'), sums.join(''))

  const sbom: { components: { name: string }[] } = JSON.parse(
    readFileSync(join(release, 'sbom.json'), 'utf8'),
  )
  const parts = new Set(sbom.components.map(({ name }) => name))
  const missing = Object.keys(dependencies).filter((name) => !parts.has(name))
  assert.deepEqual(missing, [])

  const files = run('tar', ['-tzf', join(release, archive)], folder).split('\n')
  for (const file of ['docs/operating.md', 'NOTICES.txt', 'LICENSE'])
    assert.ok(files.includes(`package/${file}`))
  assert.deepEqual(
    files.filter((file) => file.endsWith('.png')),
    [],
  )

  run('npm', ['install', '--no-audit', '--no-fund', join(release, archive)], folder)
  assert.deepEqual(
    readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.')),
    ['forgehall'],
  )
  assert.equal(run('npx', ['--no-install', 'forgehall', '--version'], folder), `${version}\n`)
  assert.match(run('npx', ['--no-install', 'forgehall', '--help'], folder), /^Usage: forgehall/m)
})

test('npm pack makes no package of this folder, which would bring libraries that are in the file already', () => {
  const packing = spawnSync('npm', ['pack', '--dry-run'], { encoding: 'utf8' })
  assert.notEqual(packing.status, 0)
  assert.match(packing.stderr, /Run "npm run release", and publish dist\/release\/forgehall-<version>\.tgz/)
})
