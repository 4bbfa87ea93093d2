import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runBinary, serveHome } from '../support/binary.ts'
import { basic } from '../support/forge/make.ts'
import { runWords } from '../support/words.ts'

const { home, serving } = await serveHome({ ADMIN_USERNAME: 'root', ADMIN_PASSWORD: 'wished for it' })

const badge = (...words: string[]) => runBinary(['badge', ...words], home.environment)

async function ask(path: string) {
  const response = await fetch(`${serving.url}/api/v1/admin/${path}`, {
    headers: basic('root', 'wished for it'),
  })
  return response.json()
}

test('badges are made, given, listed, taken and removed, which the server and its audit trail show at once', async () => {
  const image = 'https://example.org/founder.png'
  const added = await badge('add', 'founder', '--description', 'Was there', '--image-url', image)
  assert.deepEqual(added, { code: 0, out: `founder  Was there  ${image}\n`, err: '' })
  assert.equal((await badge('add', 'gold')).out, 'gold\n')
  assert.equal((await badge('list')).out, `founder  Was there  ${image}\ngold\n`)
  assert.equal((await badge('give', 'ROOT', 'gold', 'founder')).out, 'root has gold, founder\n')
  const [first, second] = (await ask('users/root/badges')) as { slug: string }[]
  assert.deepEqual([first?.slug, second?.slug], ['gold', 'founder'])
  assert.equal((await badge('take', 'root', 'gold', 'silver')).out, 'root has lost gold\n')
  assert.equal((await badge('take', 'root', 'gold')).out, 'root has lost nothing\n')
  assert.equal((await badge('list', 'root')).out, `founder  Was there  ${image}\n`)
  assert.equal((await badge('remove', 'founder')).out, 'founder is deleted\n')
  assert.deepEqual([(await badge('list', 'root')).out, (await badge('list')).out], ['', 'gold\n'])
  const { entries } = (await ask('audit?actor=command+line')) as { entries: { action: string }[] }
  assert.deepEqual(
    entries.map(({ action }) => action).filter((action) => action.startsWith('badge.')),
    ['badge.deleted', 'badge.taken', 'badge.given', 'badge.created', 'badge.created'],
  )
})

for (const [words, sentence] of [
  [['add'], /takes one name/],
  [['add', 'two', 'words'], /takes one name/],
  [['add', '-'], /invalid slug/],
  [['add', 'gold'], /badge already exists \[slug: gold\]/],
  [['add', 'x', '--image-url', 'nonsense'], /\[ImageURL\]: Url/],
  [['remove', 'nothing'], /badge does not exist \[slug: nothing\]/],
  [['give', 'root'], /takes a user and badge slugs/],
  [['give', 'nobody', 'gold'], /there is no "nobody"/],
  [['give', 'root', 'nothing'], /badge does not exist \[slug: nothing\]/],
  [['list', 'nobody'], /there is no "nobody"/],
] as const) {
  test(`badge ${words.join(' ')} is refused in one sentence`, async () => {
    const { code, out, err } = await runWords(['badge', ...words], home.environment)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, sentence)
    assert.equal(err.trim().split('\n').length, 1, err)
  })
}
