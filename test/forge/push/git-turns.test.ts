import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { usageOf } from '../../../src/limiter/usage.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { samePassword } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'
import { gitBehind } from '../../support/git-program.ts'
import { until } from '../../support/wait.ts'

const folder = await temporaryFolder()
/** A git that waits in each push as long as there is a file `wait`. */
const slow = `case " $* " in *" receive-pack --stateless-rpc . "*)
  : > "$here/begun"; while [ -e "$here/wait" ]; do sleep 0.02; done
esac`
const { PATH } = process.env
process.env.PATH = await gitBehind(folder, slow)
const { call, url, make, log } = await startApp({ DATA_DIR: join(folder, 'data') })
process.env.PATH = PATH
after(() => rm(join(folder, 'wait'), { force: true }))
const ada = await make.person({ name: 'ada' })

test('POST /{owner}/{repo}/git-receive-pack: one client leaves places for another, and a client that leaves is no overload', async () => {
  const body = { name: 'code', auto_init: true }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const address = new URL('/ada/code.git', url)
  Object.assign(address, { username: 'ada', password: samePassword })
  const work = join(folder, 'work')
  await clientOk(folder, 'clone', '-q', address.href, work)
  const transfers = usageOf('git-transfer')
  const push = async (from: string, branch: string) => {
    const header = `http.extraHeader=X-Forwarded-For: ${from}`
    const { code } = await client(work, '-c', header, 'push', '-q', 'origin', `HEAD:refs/heads/${branch}`)
    assert.equal(code, 0, branch)
  }
  await writeFile(join(folder, 'wait'), '')
  const pushes: Promise<void>[] = []
  // A push that has worked for its time lets the next one work, until the client has all its places.
  const share = availableParallelism() + 1
  for (let count = 1; count <= share + 1; count++) {
    pushes.push(push('192.0.2.1', `a${count}`))
    await until('the push has come', () => transfers.running + transfers.waiting === count)
  }
  await until('the client has its places', () => transfers.running === share)
  const leaver = new AbortController()
  const headers = { 'X-Forwarded-For': '192.0.2.1', Authorization: ada.authorization }
  const { signal } = leaver
  const refused = transfers.rejected
  const archive = fetch(`${url}/api/v1/repos/ada/code/archive/main.zip`, { headers, signal }).catch(
    () => 'left',
  )
  await until('the archive waits', () => transfers.waiting === 2)
  leaver.abort()
  assert.equal(await archive, 'left')
  await until('it waits no more', () => transfers.waiting === 1)
  const isArchive = ({ route }: Record<string, unknown>) => String(route).includes('/archive/')
  await until('its request is over', () => log.lines().some(isArchive))
  // It is no overload.
  assert.equal(log.lines().find(isArchive)?.status, 499)
  assert.deepEqual(
    log.lines().filter(({ level }) => level === 'warn' || level === 'error'),
    [],
  )
  assert.equal(transfers.rejected, refused)
  pushes.push(push('192.0.2.2', 'b'))
  await until('the other client has a place', () => transfers.running === share + 1)
  assert.equal(transfers.waiting, 1)
  await rm(join(folder, 'wait'))
  await Promise.all(pushes)
})
