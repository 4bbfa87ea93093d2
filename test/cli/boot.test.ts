import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { version } from '../../package.json'
import { binary } from '../support/binary.ts'

/** Has each script say whether it was given what V8 had made of it before, and whether V8 took that. */
const saying = `import vm from 'node:vm'
  const { Script } = vm
  vm.Script = class extends Script {
    constructor(...args) {
      super(...args)
      console.log(args[1].cachedData?.length > 100_000, this.cachedDataRejected)
    }
  }`

async function versionWith(...flags: string[]) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, binary, '--version'])
  return stdout.trim().split('\n')
}

test('the program is not compiled anew by the node that has built it', async () => {
  assert.deepEqual(await versionWith('--import', `data:text/javascript,${encodeURIComponent(saying)}`), [
    'true false',
    version,
  ])
})

test('it is where V8 does not take what was made of it with other settings', async () => {
  assert.deepEqual(await versionWith('--no-opt'), [version])
})
