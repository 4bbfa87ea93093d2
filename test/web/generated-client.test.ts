import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import openapiTypes, { astToString } from 'openapi-typescript'
import { startApp } from '../support/app.ts'
import { makersFor, samePassword } from '../support/forge/make.ts'

const run = promisify(execFile)
const folder = await mkdtemp(join(tmpdir(), 'forgehall-client-'))
const app = await startApp({ DATA_DIR: join(folder, 'data') })
after(() => rm(folder, { recursive: true }))

/** A program that a user would write: every path, body and answer has the type that the documents give it. */
const tour = `
import type { paths as Forge } from './forge.js'
import type { paths as Site } from './site.js'

type Of<Answer> = Answer extends { content: { 'application/json': infer Body } } ? Body : undefined
type Sent<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } } ? Body : undefined
type Got<Operation> = Operation extends { responses: infer Answers } ? Of<Answers[keyof Answers & (200 | 201 | 204)]> : never

const [, , root = '', authorization = ''] = process.argv
const client = <Paths>(base: string) => async <Path extends keyof Paths & string, Method extends keyof Paths[Path] & string>(
  method: Method, path: Path, body: Sent<Paths[Path][Method]>, params: Record<string, string | number> = {},
): Promise<Got<Paths[Path][Method]>> => {
  const url = base + path.replace(/\\{(\\w+)\\}/g, (_, name: string) => String(params[name]))
  const headers = { authorization, 'content-type': 'application/json' }
  const reply = await fetch(url, { method: method.toUpperCase(), headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(method + ' ' + url + ': ' + reply.status + ' ' + text)
  return (text === '' ? undefined : JSON.parse(text)) as Got<Paths[Path][Method]>
}
const site = client<Site>(root)
const forge = client<Forge>(root + '/api/v1')

const post = await site('post', '/api/news', { title: 'The doors are open', content: 'Come in.' })
const posts = await site('get', '/api/news', undefined)
const media = await site('post', '/api/media', { title: 'Dawn', media_type: 'image', url: 'https://media.example.org/dawn.jpg' })
const session = await site('post', '/api/stats/session/start', { username: 'ada' })
const online: string = (await site('get', '/api/stats/users', undefined))[0]!.username
const total: number = (await site('get', '/api/stats/overview', undefined)).general.users.total
await site('post', '/api/stats/session/end', { sessionId: session.sessionId })
await site('delete', '/api/media/{id}', undefined, { id: media.id })

const grace = await forge('post', '/admin/users', { username: 'grace', email: 'grace@example.org', password: 'a long password' })
const found = await forge('get', '/admin/users', undefined)
const org = await forge('post', '/orgs', { username: 'engines', visibility: 'limited' })
const repo = await forge('post', '/orgs/{org}/repos', { name: 'crane' }, { org: org.username })
const issue = await forge('post', '/repos/{owner}/{repo}/issues', { title: 'It leaks' }, { owner: 'engines', repo: repo.name })
const comment = await forge('post', '/repos/{owner}/{repo}/issues/{index}/comments', { body: 'Look.' }, { owner: 'engines', repo: 'crane', index: issue.number })
// @ts-expect-error a title is required
void (() => forge('post', '/repos/{owner}/{repo}/issues', {}))
// @ts-expect-error this is no visibility
void (() => forge('post', '/orgs', { username: 'x', visibility: 'hidden' }))
// @ts-expect-error there is no such path
void (() => forge('get', '/nothing', undefined))
console.log(JSON.stringify([post.id === posts[0]!.id, online, total, grace.login, found.length > 1, issue.number, comment.body]))
`

test('GET /openapi3.v1.json and GET /api/openapi.json generate a client that type-checks and runs the tour', async () => {
  for (const [name, path] of [
    ['forge', '/openapi3.v1.json'],
    ['site', '/api/openapi.json'],
  ] as const) {
    const types = astToString(await openapiTypes(await (await fetch(app.url + path)).text()))
    await writeFile(join(folder, `${name}.ts`), types)
  }
  await writeFile(join(folder, 'tour.ts'), tour)
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await symlink(resolve('node_modules'), join(folder, 'node_modules'))
  const flags = '--strict --target es2022 --module nodenext --types node --skipLibCheck tour.ts'.split(' ')
  const checked = await run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...flags], {
    cwd: folder,
  }).catch((error: { stdout: string }) => error)
  assert.equal(checked.stdout, '')
  await makersFor(app).admin({ name: 'boss' })
  const authorization = `Basic ${btoa(`boss:${samePassword}`)}`
  const { stdout } = await run(process.execPath, ['tour.js', app.url, authorization], { cwd: folder })
  assert.deepEqual(JSON.parse(stdout), [true, 'ada', 1, 'grace', true, 1, 'Look.'])
})
