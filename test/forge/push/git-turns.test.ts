import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
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
const { call, url, make } = await startApp({ DATA_DIR: join(folder, 'data') })
process.env.PATH = PATH
after(() => rm(join(folder, 'wait'), { force: true }))
const ada = await make.person({ name: 'ada' })

test('POST /{owner}/{repo}/git-receive-pack: clients take turns in the queue', async () => {
  const body = { name: 'code', auto_init: true }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const address = new URL('/ada/code.git', url)
  Object.assign(address, { username: 'ada', password: samePassword })
  const work = join(folder, 'work')
  await clientOk(folder, 'clone', '-q', address.href, work)
  const transfers = usageOf('git-transfer')
  const order: string[] = []
  const push = async (from: string, branch: string) => {
    const header = `http.extraHeader=X-Forwarded-For: ${from}`
    const { code } = await client(work, '-c', header, 'push', '-q', 'origin', `HEAD:refs/heads/${branch}`)
    order.push(code === 0 ? branch : `${branch} failed`)
  }
  await writeFile(join(folder, 'wait'), '')
  const pushes = [push('192.0.2.1', 'a1')]
  await until('git has the first push', () => existsSync(join(folder, 'begun')))
  for (const [at, from] of ['192.0.2.1', '192.0.2.1', '192.0.2.1', '192.0.2.2'].entries()) {
    pushes.push(push(from, from.endsWith('2') ? 'b1' : `a${at + 2}`))
    await until('the push waits', () => transfers.waiting === at + 1)
  }
  await rm(join(folder, 'wait'))
  await Promise.all(pushes)
  // The second client came last, and waits for the push under way and for one turn of the first client at most.
  assert.ok(order.indexOf('b1') <= 2, order.join())
  assert.equal(order.filter((each) => each.endsWith('failed')).length, 0, order.join())
})
