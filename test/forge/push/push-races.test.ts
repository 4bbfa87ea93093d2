import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openPool } from '../../../src/db/open.ts'
import { serveApp } from '../../support/app.ts'
import { openTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor, samePassword } from '../../support/forge/make.ts'
import { clientOk } from '../../support/git.ts'
import { gitBehind } from '../../support/git-program.ts'

const branchesAtOnce = 6
/**
 * Two servers on one database and one folder. Of those who read the refs together the first has them last, when they
 * are old.
 */
const folder = await temporaryFolder()
const slow = `case " $* " in *" for-each-ref "*)
  turn=0; while ! mkdir $here/turn.$turn 2> /dev/null; do turn=$((turn + 1)); done
  "$real" "$@" > $here/turn.$turn/refs
  sleep $((${branchesAtOnce} - turn % ${branchesAtOnce}))
  cat $here/turn.$turn/refs
  exit 0
esac`
const { PATH } = process.env
process.env.PATH = await gitBehind(folder, slow)
const settings = { DATA_DIR: join(folder, 'data') }
const database = await openTestDatabase()
const ownPool = database.url === undefined ? database.pool : openPool({ url: database.url, poolSize: 5 })
const left = await serveApp(database, settings)
const right = await serveApp({ ...database, pool: ownPool }, settings)
process.env.PATH = PATH
after(async () => {
  await Promise.all([left.close(), right.close()])
  if (ownPool !== database.pool) await ownPool.end({ timeout: 5 })
  await database.close()
})
const { pool } = database
const ada = await makersFor(left).person({ name: 'ada' })
const rounds = 2
/** As long as `main`, so that HEAD weighs the same whichever it names. */
const branches = ['anna', 'bert', 'cleo', 'dora', 'emil', 'finn']

test('POST /{owner}/{repo}/git-receive-pack: concurrent pushes leave the row in the state of the last one', async () => {
  const work = join(folder, 'work')
  await clientOk(folder, 'init', '-q', work)
  await clientOk(work, 'commit', '-qm', 'one', '--allow-empty')
  for (let round = 0; round < rounds; round++) {
    const name = `busy${round}`
    const made = await left.call('POST /api/v1/user/repos', { as: ada, body: { name } })
    assert.equal(made.status, 201)
    await pool`delete from forge.event`
    await Promise.all(
      branches.map((branch, at) => {
        const address = new URL(at % 2 ? left.url : right.url)
        Object.assign(address, { username: 'ada', password: samePassword, pathname: `/ada/${name}.git` })
        return clientOk(work, 'push', '-q', address.href, `HEAD:refs/heads/${branch}`)
      }),
    )
    const [row] = await pool`
      select id, size, is_empty, branch_count, default_branch
      from forge.repository
      where key = ${name}`
    const head = await readFile(join(settings.DATA_DIR, 'repositories', 'ada', `${name}.git`, 'HEAD'), 'utf8')
    const size = await left.app.tools.gitService.repositories.bytes({ owner: 'ada', name })
    assert.deepEqual(
      [row?.is_empty, row?.branch_count, row?.size, `ref: refs/heads/${row?.default_branch}\n`],
      [false, branches.length, size, head],
    )
    assert.ok(branches.includes(row?.default_branch))
    const told = await pool`select from forge.event where kind = 'ref.updated'`
    assert.equal(told.length, branches.length)
    assert.equal((await pool`select from forge.push_journal`).length, 0)
  }
})
