import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { pageRoutes } from '../../../src/pages/routes.ts'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { makersFor } from '../../support/forge/make.ts'
import { signedIn } from '../admin/browser.ts'

const app = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const { call } = app
const make = makersFor(app)
const ada = await make.admin({ name: 'ada' })
const guild = await make.organization(ada, { name: 'guild' })
await make.team(guild, [], { name: 'makers' })
await call('POST /api/v1/user/repos', { as: ada, body: { name: 'code', auto_init: true } })
const milestones = 'POST /api/v1/repos/{owner}/{repo}/milestones'
await call(milestones, { as: ada, params: { owner: 'ada', repo: 'code' }, body: { title: 'First' } })
const { page, statusOf } = await signedIn(app, 'ada')

const parameters: Readonly<Record<string, string>> = {
  owner: 'ada',
  username: 'ada',
  repo: 'code',
  org: 'guild',
  team: 'makers',
  'kind/{path...}': 'branch/main',
}
const pathOf = (path: string) =>
  path.replace(/\{(kind\/\{path\.\.\.\}|\w+(?:\.\.\.)?)\}?/g, (_, name: string) => parameters[name] ?? '1')

/** A filter of each name that finds nothing. */
const filters: Readonly<Record<string, string>> = {
  ...{ q: 'zzz', query: 'zzz', event: 'zzz', branch: 'zzz', actor: 'zzz', labels: 'zzz' },
  ...{ status: 'failure', state: 'closed', disabled: 'true', visibility: 'private', created_by: 'ada' },
}

/** The sentences of a page about what is not there. */
const sentencesOf = (shown: string) =>
  [...shown.matchAll(/<p class="empty">([^<]*)/g)].map(([, sentence = '']) => sentence.trim())

/** Its first words name what is not there: `No open issues in this milestone.` */
const isPlain = (sentence: string) =>
  /^No (?!more\b)(?:[a-zA-Z]+ )*[a-zA-Z]+s\b|^No (?:\w+ )?people\b/.test(sentence)

const lists = Object.values(pageRoutes).filter(
  ({ method, query = {} }) => method === 'GET' && 'page' in query,
)

test('each list that is empty names what is not there, also under a filter and behind its end', async () => {
  const said: string[] = []
  for (const { path, query = {} } of lists) {
    const at = pathOf(path)
    if ((await statusOf(at)) !== 200) continue
    const filter = Object.keys(query).flatMap((name) => (filters[name] ? [`${name}=${filters[name]}`] : []))
    for (const asked of ['', ...filter, 'page=9']) {
      if ((await statusOf(`${at}?${asked}`)) !== 200) continue
      const sentences = sentencesOf(await page(`${at}?${asked}`))
      said.push(...sentences.map((sentence) => `${at}?${asked}: ${sentence}`))
    }
  }
  assert.ok(said.length > 60, `${said.length} sentences`)
  assert.deepEqual(
    said.filter((each) => !isPlain(each.slice(each.indexOf(': ') + 2))),
    [],
  )
})

/** What lists say, and why: nothing yet, nothing under this filter, or nothing on this page. */
const sentences = {
  '/ada/code/milestone/1': 'No open issues in this milestone. ',
  '/ada/code/milestone/1?state=closed': 'No closed issues in this milestone. ',
  '/ada/code/milestone/1?state=all': 'No issues in this milestone. ',
  '/ada/code/milestones?state=closed': 'No closed milestones. ',
  '/ada/code/issues': 'No open issues. ',
  '/ada/code/issues?q=zzz': 'No issues match what you look for. ',
  '/ada/code/issues?page=2': 'No issues on this page of the list. ',
  '/ada/code/releases?page=2': 'No releases yet.',
  '/-/admin/webhooks?type=default': 'No webhooks for new repositories yet.',
  '/-/admin/badges': 'No badges yet.',
  '/-/admin/badges?page=2': 'No badges on this page of the list.',
  '/-/admin/users?q=zzz': 'No users match what you look for.',
  '/explore/repos?q=zzz': 'No repositories match “zzz”.',
  '/settings/keys': 'No keys yet.',
} as const

test('an empty list says whether there is nothing yet, or nothing that is looked for', async () => {
  for (const [path, sentence] of Object.entries(sentences)) {
    const shown = (await page(path)).replace('&ldquo;', '“').replace('&rdquo;', '”')
    assert.ok(shown.includes(`<p class="empty">${sentence}`), `${path}: ${sentencesOf(shown)}`)
  }
})
