import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { browserOf, hostile } from '../browser.ts'

const { url, call, make } = await startApp({ DATA_DIR: join(await temporaryFolder(), 'data') })
const ada = await make.person({ name: 'ada' })
const { get, page, statusOf } = browserOf(url)
const home = 'https://forgehall.example/ada/tools'

await call('POST /api/v1/user/repos', { as: ada, body: { name: 'tools', auto_init: true } })
const release = async (body: object) =>
  (
    await call('POST /api/v1/repos/{owner}/{repo}/releases', {
      as: ada,
      params: { owner: 'ada', repo: 'tools' },
      body,
    })
  ).body

test('GET /{owner}/{repo}/releases says that there are none', async () => {
  assert.match(await page('/ada/tools/releases'), /No releases yet\. A release gives a tag/)
  assert.equal(await statusOf('/ada/tools/releases/latest'), 404)
})

test('GET /{owner}/{repo}/releases and GET /{owner}/{repo}/releases/tag/{tag...} show notes and files, and no drafts', async () => {
  const { id } = await release({ tag_name: 'v1/rc', name: 'One', body: `*new* ${hostile.join(' ')}` })
  await release({ tag_name: 'next', name: 'Secret', draft: true })
  await release({ tag_name: 'beta', prerelease: true })
  const sent = await fetch(`${url}/api/v1/repos/ada/tools/releases/${id}/assets?name=a%26b.txt`, {
    method: 'POST',
    headers: { authorization: ada.authorization, 'content-type': 'text/plain' },
    body: 'content',
  })
  assert.equal(sent.status, 201)
  for (const path of [
    '/ada/tools/releases',
    '/ada/tools/releases/tag/v1/rc',
    '/ada/tools/releases/tag/V1%2Frc',
  ]) {
    const text = await page(path)
    assert.ok(text.includes(`href="${home}/releases/tag/v1/rc">One</a>`), path)
    assert.match(text, /<em>new<\/em>/)
    assert.ok(text.includes(`<a href="${home}/releases/download/v1%2Frc/a%26b.txt">a&amp;b.txt</a>`), path)
    assert.match(text, /7 B.*0 downloads/)
    assert.doesNotMatch(text, /Secret/)
    assert.match(text, /aria-current="page">Releases/)
  }
  const all = await page('/ada/tools/releases')
  assert.match(all, /2 releases/)
  assert.match(all, /prerelease/)
  assert.equal(await statusOf('/ada/tools/releases/tag/next'), 404)
  const seen = await get('/ada/tools/releases/tag/next', { authorization: ada.authorization })
  assert.match(await seen.text(), /draft/)
  const latest = await get('/ada/tools/releases/latest')
  assert.deepEqual([latest.status, latest.headers.get('location')], [303, `${home}/releases/tag/v1/rc`])
})

test('GET /{owner}/{repo}/releases shows ten at a time', async () => {
  for (let at = 0; at < 10; at++) await release({ tag_name: `n${at}` })
  assert.match(await page('/ada/tools/releases'), /releases\?page=2/)
  assert.match(await page('/ada/tools/releases?page=2'), /One/)
})
