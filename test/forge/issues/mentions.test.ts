import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { notificationConsumer } from '../../../src/forge/watching/events.ts'
import { startApp } from '../../support/app.ts'
import { startBackground } from '../../support/background.ts'
import { onServer } from '../../support/database.ts'
import { at, type Repo } from '../../support/forge/issues.fixtures.ts'
import { until } from '../../support/wait.ts'

const { call, pool, clock, make } = await startApp()
const background = startBackground({ pool, clock }, { consumers: [notificationConsumer] })
after(() => background.stop())
const [owner, bob] = await make.people('Owner', 'bob')

const OPEN = 'POST /api/v1/repos/{owner}/{repo}/issues'
const COMMENT = 'POST /api/v1/repos/{owner}/{repo}/issues/{index}/comments'
const EDIT = 'PATCH /api/v1/repos/{owner}/{repo}/issues/{index}'
const RENDER = 'POST /api/v1/markup'

/** Constructs of a line: `…` is what stands inside. */
const inline = [
  '…',
  '(…)',
  '**…**',
  '*…*',
  '_…_',
  '~~…~~',
  '<b>…</b>',
  '<kbd>…</kbd>',
  '<code>…</code>',
  '<title>…</title>',
  '`…`',
  '``a ` …``',
  '$…$',
  '<!-- … -->',
  '[…](x)',
  '[…]',
  '[[…]]',
  '![…](x)',
  '<a href="x">…</a>',
  '"…"',
  'x…',
  'https://x.example/…',
  '\\…',
  'one[^1]\n\n[^1]: …',
]

/** Constructs of lines. */
const blocks = [
  '…',
  '# …',
  '> …',
  '- …',
  '1. …',
  '- [ ] …',
  '> [!NOTE]\n> …',
  '| a |\n|---|\n| … |',
  'term\n: …',
  'a\n\n    …',
  '```\n…\n```',
  '~~~\n…',
  '<details>\n\n…\n\n</details>',
  '<pre>…</pre>',
  '<script>…</script>',
  '$$\n…\n$$',
]

/** Numbers of the issues of a repository about which an account has a thread, and of those that mention it. */
async function numbersOf({ id }: Repo, account: { id: number }) {
  const [row] = await pool<[{ notified: number[]; mentioned: number[] }]>`
    select
      array(select number from forge.notification join forge.issue on issue.id = issue_id
        where issue.repository_id = ${id} and account_id = ${account.id} order by number) as notified,
      array(select number from forge.issue_mention join forge.issue on issue.id = issue_id
        where repository_id = ${id} and account_id = ${account.id} order by number) as mentioned`
  return row
}

test(`${OPEN} notifies exactly the accounts that the rendered text links`, async () => {
  const repo = await make.repository(owner)
  // What is linked does not depend on the database, so a server is asked for a fifth of the texts.
  const texts = blocks
    .flatMap((block) => inline.map((line) => block.replace('…', () => line.replace('…', '@bob'))))
    .filter((_, index) => !onServer || index % 5 === 0)
  const linked: number[] = []
  for (const [index, body] of texts.entries()) {
    const [opened, { body: shown }] = await Promise.all([
      call(OPEN, { as: owner, params: at(repo), body: { title: 'x', body } }),
      call(RENDER, { as: owner, body: { Text: body, Mode: 'comment' } }),
    ])
    assert.equal(opened.status, 201)
    if (/<a href="[^"]*\/bob"[^>]*>@bob<\/a>/.test(shown)) linked.push(index + 1)
  }
  // Both lists must have entries, or the comparison could not fail.
  const few = onServer ? 16 : 80
  assert.ok(linked.length > few && linked.length < texts.length - few, `${linked.length} of ${texts.length}`)
  const named = (numbers: number[]) => numbers.map((number) => texts[number - 1])
  assert.deepEqual(named((await numbersOf(repo, bob)).mentioned), named(linked))
  await until(
    'all threads are there',
    async () => (await numbersOf(repo, bob)).notified.length >= linked.length,
  )
  assert.deepEqual(named((await numbersOf(repo, bob)).notified), named(linked))
})

test(`${COMMENT} notifies the accounts that it mentions, ${EDIT} notifies nobody`, async () => {
  const repo = await make.repository(owner)
  const params = at(repo, { index: 1 })
  for (const title of ['x', 'y']) await call(OPEN, { as: owner, params: at(repo), body: { title, body: '' } })
  await call(EDIT, { as: owner, params: at(repo, { index: 2 }), body: { body: '@bob' } })
  await call(COMMENT, { as: owner, params, body: { body: '<!-- @bob --> `@bob`' } })
  assert.deepEqual((await numbersOf(repo, bob)).mentioned, [])
  await call(COMMENT, { as: owner, params, body: { body: 'so, **@Bob**' } })
  await until('the thread is there', async () => (await numbersOf(repo, bob)).notified.length > 0)
  assert.deepEqual(await numbersOf(repo, bob), { notified: [1], mentioned: [1] })
})

test(`${OPEN} notifies the members of a mentioned team who may read the issue`, async () => {
  const [member, blind, stranger, outsider] = await make.people('member', 'blind', 'stranger', 'outsider')
  const organization = await make.organization(owner, { name: 'Guild' })
  const other = await make.organization(owner, { name: 'Other' })
  const repo = await make.repository(organization, { is_private: true })
  const everywhere = { includes_all_repositories: true }
  const code = { 'repo.code': 'write' } as const
  await make.team(organization, [member, owner], { name: 'Devs', ...everywhere })
  await make.team(organization, [blind], { name: 'blind', ...everywhere, permission: 'none', units: code })
  await make.team(organization, [stranger], { name: 'strangers' })
  await make.team(other, [outsider], { name: 'devs', ...everywhere })
  const all = '@guild/blind @guild/strangers @other/devs @guild/nobody @nobody/devs @guild'
  for (const body of ['ask **@GUILD/devs**.', all, '`@guild/devs`', '@guild/devs/x'])
    await call(OPEN, { as: owner, params: { owner: 'Guild', repo: repo.name }, body: { title: 'x', body } })
  await until('the thread is there', async () => (await numbersOf(repo, member)).notified.length > 0)
  assert.deepEqual(await numbersOf(repo, member), { notified: [1], mentioned: [1] })
  for (const each of [blind, stranger, outsider, owner])
    assert.deepEqual((await numbersOf(repo, each)).mentioned, [], each.name)
})
