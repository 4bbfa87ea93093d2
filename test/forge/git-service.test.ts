import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { createGitService } from '../../src/forge/git-service.ts'
import { usageOf } from '../../src/limiter/usage.ts'
import { temporaryFolder } from '../support/folder.ts'
import { okOf } from '../support/git.ts'
import { gitBehind } from '../support/git-program.ts'
import { until } from '../support/wait.ts'

const folder = await temporaryFolder()
/** A git that waits before it writes an object as long as there is a file `wait`. */
const slow = `case " $* " in *" hash-object "*) while [ -e "$here/wait" ]; do sleep 0.02; done; esac`
const { PATH } = process.env
process.env.PATH = await gitBehind(folder, slow)
const megabytes = 1024 ** 2
const service = createGitService(join(folder, 'data'), {
  start: 60_000,
  milliseconds: { short: 60_000, long: 60_000 },
  memory: { short: 512 * megabytes, long: 512 * megabytes },
})
process.env.PATH = PATH
after(async () => {
  await rm(join(folder, 'wait'), { force: true })
  await service.git.close()
})

test('what requests of one client change leaves places for another client', async () => {
  const reads = usageOf('git-read')
  const share = availableParallelism() + 1
  const change = async (address: string) => {
    const { git } = service.forRequest({ id: 'request', address })
    okOf(await git.run(folder, ['hash-object', '--stdin'], { input: 'text' }))
  }
  await writeFile(join(folder, 'wait'), '')
  const own = Array.from({ length: share + 1 }, () => change('192.0.2.1'))
  await until('the client has its places', () => reads.running === share && reads.waiting === 1)
  const other = change('192.0.2.2')
  await until('the other client has a place', () => reads.running === share + 1)
  assert.equal(reads.waiting, 1)
  await rm(join(folder, 'wait'))
  await Promise.all([...own, other])
})
