import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { version } from '../../package.json'
import { binary } from '../support/binary.ts'

/** What the built file says and does where Node calls itself by another version. */
async function runAs(nodeVersion: string, args: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'forgehall-old-node-'))
  const preload = join(folder, 'preload.cjs')
  await writeFile(preload, `Object.defineProperty(process, 'version', { value: '${nodeVersion}' })`)
  const child = spawn(process.execPath, ['--require', preload, binary, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH },
  })
  const said = Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await once(child, 'close')
  const [out, err] = await said
  const left = (await readdir(folder)).filter((name) => name !== 'preload.cjs')
  await rm(folder, { recursive: true })
  return { code, out, err, left }
}

for (const old of ['v18.20.8', 'v20.18.3', 'v9.11.2', 'v20.9.0']) {
  test(`Node ${old} hears that it is too old, and nothing else is printed or made`, async () => {
    for (const args of [[], ['--version'], ['stat', 'list']])
      assert.deepEqual(await runAs(old, args), {
        code: 1,
        out: '',
        err: `Forgehall needs Node 20.19 or newer; this is ${old}\n`,
        left: [],
      })
  })
}

test('a Node that is new enough is let in', async () => {
  for (const young of ['v20.19.0', 'v22.0.0', 'v100.1.0']) {
    const { code, out, err } = await runAs(young, ['--version'])
    assert.deepEqual([code, out, err], [0, `${version}\n`, ''])
  }
})
