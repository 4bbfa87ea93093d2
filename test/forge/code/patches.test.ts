import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import type { Somebody } from '../../support/forge/make.ts'
import { client, clientOk } from '../../support/git.ts'

const folder = await temporaryFolder()
const { call, pool, make } = await startApp({ DATA_DIR: join(folder, 'data') })
const [ada, eve] = await make.people('ada', 'eve')

const PATCH = 'POST /api/v1/repos/{owner}/{repo}/diffpatch'
const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join('')

let made = 0
/** A repository of ada with some files on `main`, and a clone of it. */
async function repository(format = 'sha1') {
  const name = `r${++made}`
  const body = { name, object_format_name: format, auto_init: true }
  assert.equal((await call('POST /api/v1/user/repos', { as: ada, body })).status, 201)
  const params = { owner: 'ada', repo: name }
  const files = Object.entries({ text: lines, 'docs/a b': 'one\n', gone: 'x\n' }).map(([path, content]) => ({
    operation: 'create',
    path,
    content: Buffer.from(content).toString('base64'),
  }))
  const literal = 'POST /api/v1/repos/{owner}/{repo}/contents'
  assert.equal((await call(literal, { as: ada, params, body: { files } })).status, 201)
  const path = join(folder, 'data', 'repositories', 'ada', `${name}.git`)
  const work = join(folder, `${name}-work`)
  await clientOk(folder, 'clone', '-q', path, work)
  return {
    name,
    git: (...args: string[]) => clientOk(path, ...args),
    /** The clone. */
    work: (...args: string[]) => clientOk(work, ...args),
    file: (file: string) => join(work, file),
    whole: async () => {
      const { code, stdout, stderr } = await client(path, 'fsck', '--strict', '--full')
      assert.deepEqual([code, `${stdout}${stderr}`.replace(/^dangling .*\n/gm, '')], [0, ''])
    },
  }
}
type Made = Awaited<ReturnType<typeof repository>>

const patch = ({ name }: Made, content: string, more: object = {}, as: Somebody = ada) =>
  call(PATCH, { as, params: { owner: 'ada', repo: name }, body: { content, ...more } })

/** A patch that changes a line between two others; the numbers of its lines are wrong. */
const change = (at: number, to: string, { from = `line ${at}`, path = 'text' } = {}) =>
  `--- a/${path}\n+++ b/${path}\n@@ -3,3 +3,3 @@\n line ${at - 1}\n-${from}\n+${to}\n line ${at + 1}\n`

const temporary = () => readdir(join(folder, 'data', 'repositories', '.temporary')).catch(() => [])

for (const format of ['sha1', 'sha256'])
  test(`${PATCH} commits the files that a patch changes, adds, moves and removes (${format})`, async () => {
    const repo = await repository(format)
    const before = await repo.git('rev-parse', 'main')
    await repo.work('mv', 'docs/a b', 'moved')
    await repo.work('rm', '-q', 'gone')
    await repo.work('update-index', '--chmod=+x', 'text')
    const blob = await repo.work('rev-parse', 'HEAD:README.md')
    await repo.work('update-index', '--add', '--cacheinfo', `120000,${blob},link`)
    await repo.work('update-index', '--add', '--cacheinfo', `160000,${before},module`)
    await repo.work('update-index', '--add', '--cacheinfo', `100644,${blob},gone/below`)
    await repo.work('commit', '-qm', 'all')
    const content = `${await repo.work('diff', '--binary', '--full-index', 'HEAD^', 'HEAD')}\n`
    const { status, body } = await patch(repo, content, {
      message: 'Apply',
      author: { name: 'Grace', email: 'grace@example.com' },
      dates: { author: '2020-02-03T04:05:06Z' },
      signoff: true,
    })
    assert.equal(status, 201, JSON.stringify(body))
    assert.equal(body.content, null)
    assert.equal(await repo.git('rev-parse', 'main'), body.commit.sha)
    assert.equal(await repo.git('rev-parse', 'main^'), before)
    assert.equal(await repo.git('rev-parse', 'main^{tree}'), await repo.work('rev-parse', 'HEAD^{tree}'))
    assert.equal(
      await repo.git('show', '-s', '--format=%an %aI%n%B', 'main'),
      'Grace 2020-02-03T04:05:06+00:00\nApply\n\nSigned-off-by: Grace <grace@example.com>',
    )
    await repo.whole()
    assert.deepEqual(await temporary(), [])
  })

test(`${PATCH} applies a patch made elsewhere, at another line, and keeps blanks that it adds`, async () => {
  const repo = await repository()
  const { status, body } = await patch(repo, change(7, 'seven  '))
  assert.deepEqual([status, body.commit?.message], [201, 'apply-patch\n'], JSON.stringify(body))
  assert.match(await repo.git('show', 'main:text'), /line 6\nseven {2}\nline 8/)
  const mail = `From: x\nSubject: y\n\n---\n text | 2 +-\n\n${change(9, 'nine')}-- \n2.39\n`
  assert.equal((await patch(repo, mail)).status, 201)
})

test(`${PATCH} is published like a push`, async () => {
  const repo = await repository()
  const { body } = await patch(repo, change(1, 'one'), { new_branch: 'topic' })
  const [event] = await pool<{ payload: { ref: string; after: string } }[]>`
    select payload from forge.event
    where kind = 'ref.updated' and payload -> 'repository' ->> 'name' = ${repo.name}
    order by id desc limit 1`
  assert.deepEqual([event?.payload.ref, event?.payload.after], ['refs/heads/topic', body.commit.sha])
  assert.match(await repo.git('show', 'main:text'), /line 1\n/)
  const again = await patch(repo, change(1, 'uno'), { new_branch: 'topic' })
  assert.deepEqual([again.status, again.body.message], [422, 'branch already exists [name: topic]'])
  assert.equal((await patch(repo, change(1, 'eins', { from: 'one' }), { branch: 'topic' })).status, 201)
  assert.equal((await pool`select from forge.push_journal`).length, 0)
})

test(`${PATCH} refuses invalid patches and those that do not apply, and changes nothing`, async () => {
  const repo = await repository()
  const head = await repo.git('rev-parse', 'main')
  const added = (path: string, mode = '100644') =>
    `diff --git a/${path} b/${path}\nnew file mode ${mode}\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`
  const many = Array.from({ length: 1001 }, (_, at) => added(`f${at}`)).join('')
  for (const [content, message] of [
    ['', '[Content]: Required'],
    ['hello', 'the patch does not apply: No valid patches in input (allow with "--allow-empty")'],
    [change(1, 'x', { from: 'nothing' }), 'the patch does not apply: text: patch does not apply'],
    [change(1, 'x', { path: 'none' }), 'the patch does not apply: none: does not exist in index'],
    [added('text'), /^the patch does not apply: /],
    [added('.git/config'), /^the patch does not apply: invalid path '.git\/config'$/],
    [added('a/.GIT/x'), /malformed|invalid path/],
    [added('a/../b'), /invalid path|malformed/],
    [added('../b'), /invalid path|malformed/],
    [added('/b'), /invalid path|malformed|does not apply/],
    [added('text/x'), /^the patch does not apply: /],
    [added('x'.repeat(256)), /malformed/],
    [added(`${'x/'.repeat(2100)}y`), /malformed|does not apply/],
    [added('"a\\377b"').replaceAll(/([ab])\/"/g, '"$1/'), /malformed/],
    [added('.gitmodules', '120000'), "the patch does not apply: invalid path '.gitmodules'"],
    [
      added('.gitmodules').replace('+x', '+[submodule "x"]\n+\tpath = x\n+\turl = -u./y'),
      /^git refuses a file: gitmodules/,
    ],
    [many, 'the patch does not apply: it changes more than 1000 files'],
  ] as const) {
    const { status, body } = await patch(repo, content)
    assert.equal(status, 422, `${content.slice(0, 200)} ${JSON.stringify(body)}`)
    if (typeof message === 'string') assert.equal(body.message, message)
    else assert.match(body.message, message)
    assert.ok(!JSON.stringify(body).includes(folder))
  }
  for (const [more, status] of [
    [{ branch: 'none' }, 404],
    [{ branch: 'a..b' }, 422],
    [{ new_branch: '-x' }, 422],
    [{ dates: { author: '1960-01-01T00:00:00Z' } }, 422],
  ] as const)
    assert.equal((await patch(repo, change(1, 'x'), more)).status, status)
  assert.equal(await repo.git('rev-parse', 'main'), head)
  assert.deepEqual(await temporary(), [])
  assert.equal((await pool`select from forge.push_journal`).length, 0)
  const hollow = { name: 'hollow' }
  await call('POST /api/v1/user/repos', { as: ada, body: hollow })
  const empty = await call(PATCH, {
    as: ada,
    params: { owner: 'ada', repo: 'hollow' },
    body: { content: added('x') },
  })
  assert.equal(empty.status, 422)
})

test(`${PATCH} does not run programs of the configuration of a repository`, async () => {
  const repo = await repository()
  await repo.git('config', 'merge.own.driver', `touch ${join(folder, 'ran')}`)
  const files = [{ operation: 'create', path: '.gitattributes', content: btoa('text merge=own\n') }]
  const literal = 'POST /api/v1/repos/{owner}/{repo}/contents'
  await call(literal, { as: ada, params: { owner: 'ada', repo: repo.name }, body: { files } })
  assert.equal((await patch(repo, change(15, 'fifteen'))).status, 201)
  await writeFile(repo.file('text'), lines.replace('line 2\n', 'two\n'))
  const content = `${await repo.work('diff', '--full-index')}\n`
  assert.equal((await patch(repo, content)).status, 201)
  assert.match(await repo.git('show', 'main:text'), /two\n(?:line \d+\n)+fifteen/)
  assert.deepEqual((await readdir(folder)).includes('ran'), false)
})

test(`${PATCH} requires write access to the code`, async () => {
  const repo = await repository()
  const content = change(1, 'x')
  const others = async () => (await patch(repo, content, {}, eve)).status
  const edit = (body: object) =>
    call('PATCH /api/v1/repos/{owner}/{repo}', {
      as: ada,
      params: { owner: 'ada', repo: repo.name },
      body,
    })
  const anonymous = await call(PATCH, { params: { owner: 'ada', repo: repo.name }, body: { content } })
  assert.equal(anonymous.status, 401)
  assert.equal(await others(), 403)
  await edit({ private: true })
  assert.equal(await others(), 404)
  await edit({ archived: true })
  assert.equal((await patch(repo, content)).status, 423)
  await edit({ archived: false })
  const rule = { rule_name: 'main', enable_push: false }
  await call('POST /api/v1/repos/{owner}/{repo}/branch_protections', {
    as: ada,
    params: { owner: 'ada', repo: repo.name },
    body: rule,
  })
  assert.equal((await patch(repo, content)).status, 403)
})
