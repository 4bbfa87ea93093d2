import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { flush, packet } from '../../../src/git/http/pkt-line.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor, samePassword } from '../../support/forge/make.ts'
import { clientOk } from '../../support/git.ts'
import { until } from '../../support/wait.ts'

const folder = await temporaryFolder()
const app = await startApp({ DATA_DIR: join(folder, 'data') })
const { call, pool, url } = app
const ada = await makersFor(app).person({ name: 'ada' })

/** A push that has said what it asks for, and not yet sent its pack. */
function beginPush(target: URL, [ref, before, after]: readonly [string, string, string], pack: Buffer) {
  const headers = {
    'content-type': 'application/x-git-receive-pack-request',
    authorization: `Basic ${Buffer.from(`ada:${samePassword}`).toString('base64')}`,
  }
  const sending = request(target, { method: 'POST', headers })
  const answer = new Promise<string>((resolve, reject) => {
    sending.on('error', reject)
    sending.on('response', (response) => {
      let said = ''
      response.setEncoding('utf8').on('data', (text: string) => (said += text))
      response.on('end', () => resolve(said))
    })
  })
  sending.write(Buffer.concat([packet(`${before} ${after} ${ref}\0report-status\n`), flush]))
  return () => {
    sending.end(pack)
    return answer
  }
}

test('POST /{owner}/{repo}/git-receive-pack: a push is published although others moved its branch away and back meanwhile', async () => {
  await call('POST /api/v1/user/repos', { as: ada, body: { name: 'back' } })
  const work = join(folder, 'work')
  await clientOk(folder, 'init', '-q', work)
  const address = new URL('/ada/back.git', url)
  Object.assign(address, { username: 'ada', password: samePassword })
  const commit = async (message: string) => {
    await clientOk(work, 'commit', '-qm', message, '--allow-empty')
    return clientOk(work, 'rev-parse', 'HEAD')
  }
  const push = (id: string) => clientOk(work, 'push', '-q', '--force', address.href, `${id}:refs/heads/main`)
  const journal = async () => (await pool`select from forge.push_journal`).length

  const one = await commit('one')
  await push(one)
  const two = await commit('two')
  const three = await commit('three')
  const input = `${three}\n^${one}\n`
  const pack = execFileSync('git', ['-C', work, 'pack-objects', '--revs', '--stdout', '-q'], { input })
  const target = new URL('/ada/back.git/git-receive-pack', url)
  const finish = beginPush(target, ['refs/heads/main', one, three], pack)
  await until('it stands in the journal', async () => (await journal()) === 1)
  await push(two)
  await push(one)
  assert.match(await finish(), /ok refs\/heads\/main/)
  const told = await pool<{ after: string }[]>`
    select payload ->> 'after' as after
    from forge.event
    where kind = 'ref.updated'
    order by id`
  assert.deepEqual(
    told.map(({ after }) => after),
    [one, two, one, three],
  )
  assert.equal(await journal(), 0)
})
